#pragma once

#include "troupe/config/secret.hpp"
#include "troupe/runtime/http/sse_parser.hpp"
#include "troupe/runtime/model/openai_chunk.hpp"
#include "troupe/runtime/model/provider_codec.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Decodes one answer of chat completions, streamed or whole.
class openai_decoder : public response_decoder {
public:
  /// `key` is removed from what errors quote.
  explicit openai_decoder(secret key);

  caf::error feed(std::string_view bytes,
                  std::vector<model_event>& out) override;

  caf::error finish(std::vector<model_event>& out) override;

private:
  using events = std::vector<model_event>;

  enum class form : uint8_t { unknown, streamed, whole };

  // A call whose pieces are still coming.
  struct open_call {
    std::optional<int64_t> index;
    tool_call call;
  };

  // Tells the form by the first byte that is no space.
  void find_form(std::string_view bytes);

  caf::error take_events(events& out);

  caf::error take_event(const sse_event& event, events& out);

  caf::error take_chunk(const openai_chunk& chunk, events& out);

  caf::error take_call(const openai_call_piece& piece);

  // The call that `piece` continues, or null when it begins one.
  open_call* find_call(const openai_call_piece& piece);

  // Gives out what comes once in a turn.
  caf::error end_turn(events& out);

  void give_calls(events& out);

  stop_reason reason() const;

  caf::error complain(const openai_complaint& said) const;

  caf::error malformed(std::string_view what, std::string_view text) const;

  secret key_;
  form form_ = form::unknown;
  sse_parser sse_;
  openai_chunk_parser chunks_;
  // Form whole: the body so far.
  std::string body_;
  std::vector<open_call> calls_;
  std::optional<token_usage> usage_;
  std::string finish_reason_;
  bool has_choice_ = false;
  bool refused_ = false;
  bool done_ = false;
};

} // namespace troupe
