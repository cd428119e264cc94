#include "troupe/runtime/content/content_block.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/config/text_file.hpp"
#include "troupe/runtime/content/media_type.hpp"
#include "troupe/runtime/text/utf8.hpp"
#include "troupe/sandbox/sha256.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace troupe {

namespace {

caf::error refused(const std::string& what, const std::string& name,
                   std::string hint = {}) {
  return make_error(errc::configuration, what, name, std::move(hint));
}

std::string in_mebibytes(uint64_t bytes) {
  return std::to_string(bytes >> 20) + " MiB";
}

caf::error check_size(uint64_t size, const std::string& name) {
  if (size == 0)
    return refused("there is nothing in it", name);
  if (size > largest_block)
    return refused("it has " + std::to_string(size) + " bytes, more than the "
                     + in_mebibytes(largest_block)
                     + " that can go into a message",
                   name);
  return {};
}

caf::error unknown_type(const std::string& name) {
  return refused("it is no image (PNG, JPEG, GIF, WebP), no PDF and no text in "
                 "UTF-8",
                 name, "give it to a tool as a file of the workspace");
}

/// Whether bytes may be of the type that somebody says they have.
caf::error check_type(const std::string& bytes, const content_block& block) {
  if (!is_media_type(block.media_type))
    return refused("\"" + excerpt(sanitize_utf8(block.media_type), 50)
                     + "\" is no media type",
                   block.name);
  auto found = sniff_media_type(bytes, block.name);
  auto claims_image = is_image_type(block.media_type);
  auto claims_pdf = block.media_type == "application/pdf";
  auto is_right = is_text(block) ? is_text_type(found)
                                 : found == block.media_type;
  if (!is_right && (claims_image || claims_pdf || is_text(block)))
    return refused("its bytes are not " + block.media_type
                     + (found.empty() ? "" : " but " + found),
                   block.name);
  return {};
}

bool is_name(const std::string& text) {
  auto is_control = [](unsigned char c) { return c < ' ' || c == 0x7F; };
  return text.size() <= longest_block_name && sanitize_utf8(text) == text
         && std::none_of(text.begin(), text.end(), is_control);
}

caf::error check_block(const content_block& block) {
  if (!is_name(block.name))
    return refused("the name of an attachment is one line of at most 255 bytes "
                   "in UTF-8",
                   excerpt(sanitize_utf8(block.name), 50));
  if (!block.bytes || block.bytes->size() != block.size)
    return refused("an attachment has not the bytes that it says it has",
                   block.name, "make it with make_block or read_block");
  if (auto why = check_size(block.size, block.name))
    return why;
  return check_type(*block.bytes, block);
}

} // namespace

caf::expected<content_block>
make_block(std::string bytes, std::string media_type, std::string name) {
  return make_block(shared<std::string>{std::move(bytes)},
                    std::move(media_type), std::move(name));
}

caf::expected<content_block> make_block(shared<std::string> bytes,
                                        std::string media_type,
                                        std::string name) {
  if (auto why = check_size(bytes->size(), name))
    return why;
  auto result = content_block{};
  if (media_type.empty())
    media_type = sniff_media_type(*bytes, name);
  if (media_type.empty())
    return unknown_type(name);
  auto digest = sha256_of(*bytes);
  if (!digest)
    return std::move(digest.error());
  result.media_type = std::move(media_type);
  result.name = std::move(name);
  result.digest = std::move(*digest);
  result.size = bytes->size();
  result.bytes = std::move(bytes);
  if (auto why = check_block(result))
    return why;
  return result;
}

caf::expected<content_block> read_block(const std::string& path) {
  auto bytes = read_text_file(path, largest_block);
  if (!bytes)
    return std::move(bytes.error());
  auto block = make_block(std::move(*bytes), {},
                          std::filesystem::path{path}.filename().string());
  if (block)
    return block;
  auto why = to_fault(block.error()); // about its name
  return refused(why.message, path, why.hint);
}

bool is_image(const content_block& block) {
  return is_image_type(block.media_type);
}

bool is_text(const content_block& block) {
  return is_text_type(block.media_type);
}

caf::error check_blocks(const std::vector<content_block>& blocks) {
  if (blocks.size() > most_message_blocks)
    return refused("a message has at most "
                     + std::to_string(most_message_blocks) + " attachments",
                   std::to_string(blocks.size()) + " were given");
  auto bytes = uint64_t{0};
  for (const auto& block : blocks) {
    if (auto why = check_block(block))
      return why;
    bytes += block.size;
  }
  if (bytes > most_block_bytes)
    return refused("the attachments of a message have at most "
                     + in_mebibytes(most_block_bytes) + " together",
                   std::to_string(bytes) + " bytes were given");
  return {};
}

caf::error check_blocks(const std::vector<content_block>& blocks,
                        const model_capabilities& can) {
  for (const auto& block : blocks) {
    if (is_image(block) && !can.images)
      return refused("the model takes no images", describe_block(block),
                     "choose a model that does, or leave it out");
    if (!is_image(block) && !is_text(block) && !can.documents)
      return refused("the model takes no documents but texts",
                     describe_block(block),
                     "choose a model that does, or leave it out");
  }
  return {};
}

std::string describe_block(const content_block& block) {
  auto result = std::string{is_image(block) ? "image" : "document"};
  if (!block.name.empty())
    result += " \"" + sanitize_utf8(block.name) + '"';
  return result + " (" + sanitize_utf8(block.media_type) + ", "
         + std::to_string(block.size) + " bytes)";
}

nlohmann::ordered_json block_json(const content_block& block) {
  auto result = nlohmann::ordered_json{};
  result["type"] = is_image(block) ? "image" : "document";
  result["media_type"] = sanitize_utf8(block.media_type);
  result["name"] = sanitize_utf8(block.name);
  result["size"] = block.size;
  result["digest"] = sanitize_utf8(block.digest);
  return result;
}

} // namespace troupe
