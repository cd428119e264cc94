#include "troupe/runtime/content/media_type.hpp"

#include "troupe/config/text_file.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace troupe {

namespace {

using namespace std::string_view_literals;

constexpr size_t longest_media_type = 127;

struct magic {
  std::string_view bytes;
  std::string_view media_type;
};

constexpr auto magics = std::array{
  magic{"\x89PNG\r\n\x1a\n"sv, "image/png"},
  magic{"\xFF\xD8\xFF"sv, "image/jpeg"},
  magic{"GIF87a"sv, "image/gif"},
  magic{"GIF89a"sv, "image/gif"},
  magic{"%PDF-"sv, "application/pdf"},
};

constexpr auto endings = std::array{
  std::pair{".md"sv, "text/markdown"sv},
  std::pair{".csv"sv, "text/csv"sv},
  std::pair{".html"sv, "text/html"sv},
};

bool is_webp(std::string_view bytes) {
  return bytes.starts_with("RIFF") && bytes.size() >= 12
         && bytes.substr(8, 4) == "WEBP";
}

bool is_text(std::string_view bytes) {
  return bytes.find('\0') == std::string_view::npos && !find_bad_utf8(bytes);
}

// RFC 6838: what the names in a media type are made of.
bool is_restricted(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
         || (c >= '0' && c <= '9')
         || "!#$&-^_.+"sv.find(c) != std::string_view::npos;
}

bool is_restricted_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_restricted);
}

} // namespace

std::string sniff_media_type(std::string_view bytes, std::string_view name) {
  for (const auto& one : magics)
    if (bytes.starts_with(one.bytes))
      return std::string{one.media_type};
  if (is_webp(bytes))
    return "image/webp";
  if (!is_text(bytes))
    return {};
  for (const auto& [ending, media_type] : endings)
    if (name.ends_with(ending))
      return std::string{media_type};
  return "text/plain";
}

bool is_image_type(std::string_view media_type) {
  return media_type == "image/png" || media_type == "image/jpeg"
         || media_type == "image/gif" || media_type == "image/webp";
}

bool is_text_type(std::string_view media_type) {
  return media_type.starts_with("text/")
         || media_type.substr(0, media_type.find(';')) == "application/json";
}

bool is_media_type(std::string_view text) {
  if (text.size() > longest_media_type)
    return false;
  auto is_printable = [](char c) { return c >= ' ' && c <= '~'; };
  auto essence = text.substr(0, text.find(';'));
  auto slash = essence.find('/');
  return slash != std::string_view::npos
         && is_restricted_name(essence.substr(0, slash))
         && is_restricted_name(essence.substr(slash + 1))
         && std::all_of(text.begin(), text.end(), is_printable);
}

} // namespace troupe
