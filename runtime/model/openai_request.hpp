#pragma once

#include "troupe/runtime/messages/model_messages.hpp"
#include "troupe/runtime/model/provider_codec.hpp"

#include "caf/expected.hpp"

#include <string>

namespace troupe {

/// The JSON body that asks for `request` by chat completions. The history in
/// it is one a provider accepts whatever the messages are: each tool call is
/// followed by exactly one result, in call order, and a result without a call
/// is left out. Private reasoning is not sent. Blocks are sent as they are, so
/// they have to be such as the model takes; those of results follow the last
/// result of their turn in a message of the user.
///
/// The settings of `request` become fields of the body; one that is null
/// takes our own field of that name away. Settings that are no object, or that
/// name what only troupe may say (model, messages, tools, stream, n), are
/// `errc::configuration`.
caf::expected<std::string> encode_openai_body(const model_request& request,
                                              answer_mode mode);

} // namespace troupe
