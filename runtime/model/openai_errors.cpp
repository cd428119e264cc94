#include "troupe/runtime/model/openai_errors.hpp"

#include "troupe/runtime/http/retry_policy.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace troupe {

namespace {

struct kind_of_status {
  int status;
  errc kind;
};

constexpr auto statuses = std::array{
  kind_of_status{401, errc::auth},       kind_of_status{402, errc::rate_limit},
  kind_of_status{403, errc::auth},       kind_of_status{408, errc::timeout},
  kind_of_status{409, errc::overloaded}, kind_of_status{429, errc::rate_limit},
  kind_of_status{500, errc::overloaded}, kind_of_status{502, errc::overloaded},
  kind_of_status{503, errc::overloaded}, kind_of_status{504, errc::timeout},
  kind_of_status{529, errc::overloaded},
};

struct kind_of_word {
  std::string_view word;
  errc kind;
};

// Pieces of the codes and types that servers use where there is no status.
constexpr auto words = std::array{
  kind_of_word{"rate_limit", errc::rate_limit},
  kind_of_word{"quota", errc::rate_limit},
  kind_of_word{"too_many_requests", errc::rate_limit},
  kind_of_word{"overloaded", errc::overloaded},
  kind_of_word{"unavailable", errc::overloaded},
  kind_of_word{"server_error", errc::overloaded},
  kind_of_word{"internal", errc::overloaded},
  kind_of_word{"timeout", errc::timeout},
  kind_of_word{"auth", errc::auth},
  kind_of_word{"api_key", errc::auth},
  kind_of_word{"permission", errc::auth},
  kind_of_word{"invalid", errc::invalid_request},
  kind_of_word{"bad_request", errc::invalid_request},
};

// How servers word that the conversation is too long.
constexpr auto too_long = std::array<std::string_view, 6>{
  "context_length", "context length",     "context window",
  "context size",   "prompt is too long", "too many tokens",
};

std::string lower(std::string_view text) {
  auto result = std::string{text};
  std::transform(result.begin(), result.end(), result.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return result;
}

bool contains(std::string_view text, std::string_view piece) {
  return text.find(piece) != std::string_view::npos;
}

bool is_too_long(const openai_complaint& said, int status) {
  auto refuses = status == 0 || status == 400 || status == 413 || status == 422;
  auto text = lower(said.code + ' ' + said.message);
  return refuses
         && std::any_of(too_long.begin(), too_long.end(),
                        [&](auto piece) { return contains(text, piece); });
}

errc kind_by_status(int status) {
  for (const auto& entry : statuses)
    if (entry.status == status)
      return entry.kind;
  if (status >= 500)
    return errc::overloaded;
  return status >= 400 ? errc::invalid_request : errc::protocol;
}

errc kind_by_word(const openai_complaint& said) {
  auto text = lower(said.code + ' ' + said.type);
  for (const auto& entry : words)
    if (contains(text, entry.word))
      return entry.kind;
  return errc::protocol;
}

// An account without credit stays without, however long one waits.
bool is_out_of_credit(const openai_complaint& said, int status) {
  return status == 402 || contains(said.code, "insufficient_quota")
         || contains(said.type, "insufficient_quota");
}

std::string hint_for(errc kind, int status) {
  if (kind == errc::auth)
    return "check the provider's api_key and what it may use";
  if (status == 404)
    return "check the provider's base_url and the model's name";
  if (status >= 300 && status < 400)
    return "redirects are not followed: set base_url to where it leads";
  return {};
}

} // namespace

fault openai_fault(const openai_complaint& said, int status) {
  auto result = fault{};
  if (status == 0 && said.status >= 400 && said.status < 600)
    status = static_cast<int>(said.status);
  result.status = status;
  result.message = said.message;
  if (is_too_long(said, status)) {
    result.kind = errc::context_length;
    return result;
  }
  result.kind = status == 0 ? kind_by_word(said) : kind_by_status(status);
  result.retryable = status == 0 ? is_retryable_kind(result.kind)
                                 : is_retryable_status(status);
  if (is_out_of_credit(said, status))
    result.retryable = false;
  result.hint = hint_for(result.kind, status);
  return result;
}

} // namespace troupe
