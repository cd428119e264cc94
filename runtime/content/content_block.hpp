#pragma once

#include "troupe/runtime/messages/chat_message.hpp"
#include "troupe/runtime/model/model_capabilities.hpp"

#include "caf/error.hpp"
#include "caf/expected.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

// Images and documents in messages: how they are made and what is taken. Errors
// are `errc::configuration`: they are found before anything runs.

/// The largest block, in bytes.
inline constexpr auto largest_block = uint64_t{20} << 20;

/// All blocks of a message together, and all that one request to a model has.
inline constexpr auto most_block_bytes = uint64_t{50} << 20;

/// The most blocks of one message.
inline constexpr auto most_message_blocks = size_t{32};

/// The longest name of a block, in bytes.
inline constexpr auto longest_block_name = size_t{255};

/// A block of these bytes. Without a media type they are looked at, see
/// `sniff_media_type`; an error where nothing is known of them, where they are
/// not what they are said to be, where there are none or too many.
caf::expected<content_block> make_block(std::string bytes,
                                        std::string media_type = {},
                                        std::string name = {});

/// The same with bytes that others may have already.
caf::expected<content_block> make_block(shared<std::string> bytes,
                                        std::string media_type = {},
                                        std::string name = {});

/// The file at `path` as a block with its name. Blocks the thread.
caf::expected<content_block> read_block(const std::string& path);

/// Whether models see it as an image. What is none is a document.
bool is_image(const content_block& block);

/// Whether it is a document that every model can read, as text.
bool is_text(const content_block& block);

/// Why these cannot be the blocks of one message, whoever made them.
caf::error check_blocks(const std::vector<content_block>& blocks);

/// Why a model that can do so much cannot be shown them, and is not asked.
caf::error check_blocks(const std::vector<content_block>& blocks,
                        const model_capabilities& can);

/// `image "chart.png" (image/png, 4096 bytes)`: for people and models.
std::string describe_block(const content_block& block);

/// What is shown of a block: its type, media_type, name, size and digest.
nlohmann::ordered_json block_json(const content_block& block);

} // namespace troupe
