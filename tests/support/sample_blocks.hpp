#pragma once

#include "support/catch.hpp"

#include "troupe/runtime/content/content_block.hpp"

#include <string>
#include <string_view>

namespace troupe::test {

using namespace std::string_view_literals;

/// A picture of one pixel, and `more` behind it to tell it from others.
inline std::string png_bytes(std::string_view more = {}) {
  auto result = std::string{
    "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\0\0\0\0:~\x9bU"sv};
  return result.append(more);
}

inline std::string pdf_bytes(std::string_view more = {}) {
  return std::string{"%PDF-1.4\n\0binary"sv}.append(more);
}

inline content_block image_block(std::string_view more = {},
                                 std::string name = "dot.png") {
  auto result = make_block(png_bytes(more), {}, std::move(name));
  REQUIRE(result);
  return *result;
}

inline content_block pdf_block(std::string name = "paper.pdf") {
  auto result = make_block(pdf_bytes(), {}, std::move(name));
  REQUIRE(result);
  return *result;
}

inline content_block text_block(std::string text,
                                std::string name = "notes.md") {
  auto result = make_block(std::move(text), {}, std::move(name));
  REQUIRE(result);
  return *result;
}

} // namespace troupe::test
