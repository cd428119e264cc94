#include "troupe/runtime/model/openai_content.hpp"

#include "troupe/runtime/content/content_block.hpp"
#include "troupe/runtime/content/media_type.hpp"
#include "troupe/runtime/json/json_string.hpp"
#include "troupe/sandbox/remote/base64.hpp"

namespace troupe {

namespace {

// What is no media type may have come out of a store that somebody changed; one
// has no characters that JSON or a URL would escape.
void append_data_url(std::string& out, const content_block& block) {
  auto essence = block.media_type.substr(0, block.media_type.find(';'));
  out += "\"data:";
  out += is_media_type(essence) ? essence : "application/octet-stream";
  out += ";base64,";
  out += to_base64(*block.bytes);
  out += '"';
}

void append_text(std::string& out, std::string_view text) {
  out += R"({"type":"text","text":)";
  append_json_string(out, text);
  out += '}';
}

void append_file(std::string& out, const content_block& block) {
  out += R"({"type":"file","file":{"filename":)";
  append_json_string(out, block.name.empty() ? "document" : block.name);
  out += R"(,"file_data":)";
  append_data_url(out, block);
  out += "}}";
}

void append_block(std::string& out, const content_block& block) {
  if (is_image(block)) {
    out += R"({"type":"image_url","image_url":{"url":)";
    append_data_url(out, block);
    out += "}}";
  } else if (is_text(block)) {
    append_text(out, "[" + describe_block(block) + "]\n" + *block.bytes);
  } else {
    append_file(out, block);
  }
}

} // namespace

void append_openai_content(std::string& out, std::string_view text,
                           const std::vector<content_block>& blocks) {
  out += R"("content":[)";
  if (!text.empty())
    append_text(out, text);
  for (const auto& block : blocks) {
    if (out.back() != '[')
      out += ',';
    append_block(out, block);
  }
  out += ']';
}

} // namespace troupe
