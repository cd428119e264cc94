#pragma once

#include "troupe/config/errc.hpp"
#include "troupe/config/model_settings.hpp"
#include "troupe/runtime/http/http_types.hpp"
#include "troupe/runtime/messages/model_messages.hpp"

#include "caf/error.hpp"
#include "caf/expected.hpp"

#include <memory>
#include <string_view>
#include <vector>

namespace troupe {

/// How a provider is asked to send its answer.
enum class answer_mode : uint8_t { streamed, whole };

/// Turns the body of one successful answer into events. Whatever the mode and
/// wherever the bytes were cut, the same answer gives the same events but for
/// where its texts are divided: deltas, then the tool calls in the model's
/// order, then usage, then exactly one `stop`. One answer, one thread.
class response_decoder {
public:
  virtual ~response_decoder() = default;

  /// Takes the next bytes and appends to `out` what they complete. An error
  /// (`errc::protocol`, or what the provider reported in the middle) is final.
  virtual caf::error feed(std::string_view bytes, std::vector<model_event>& out)
    = 0;

  /// The body has ended: appends what remains, at last `stop`. An answer that
  /// is not whole is an error, never a short answer.
  virtual caf::error finish(std::vector<model_event>& out) = 0;
};

/// What one family of providers speaks. Immutable, so one codec may serve any
/// number of requests on any thread.
class provider_codec {
public:
  virtual ~provider_codec() = default;

  /// The request to send for `request`; the same bytes for the same request.
  /// `errc::configuration` when it cannot be said to this provider.
  virtual caf::expected<http_request>
  encode(const model_request& request, answer_mode mode) const = 0;

  /// A decoder for the body of one answer with a status of 2xx. It tells a
  /// stream from a whole answer itself: not every server honours the mode.
  virtual std::unique_ptr<response_decoder> make_decoder() const = 0;

  /// What an answer with any other status means; `body` may be cut short.
  /// Keys are removed from what the provider said.
  virtual fault error_of(const http_head& head, std::string_view body) const
    = 0;
};

/// Chat completions of OpenAI and every compatible server.
std::unique_ptr<provider_codec> make_openai_codec(provider_settings settings);

} // namespace troupe
