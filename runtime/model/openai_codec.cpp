#include "troupe/config/redact.hpp"
#include "troupe/runtime/http/retry_policy.hpp"
#include "troupe/runtime/model/hide_secrets.hpp"
#include "troupe/runtime/model/openai_decoder.hpp"
#include "troupe/runtime/model/openai_errors.hpp"
#include "troupe/runtime/model/openai_request.hpp"
#include "troupe/runtime/model/provider_codec.hpp"
#include "troupe/runtime/text/utf8.hpp"

#include <chrono>
#include <utility>

namespace troupe {

namespace {

constexpr auto default_url = "https://api.openai.com/v1";

constexpr size_t longest_message = 500;

bool is_http(std::string_view url) {
  return url.substr(0, 7) == "http://" || url.substr(0, 8) == "https://";
}

class openai_codec : public provider_codec {
public:
  explicit openai_codec(provider_settings settings)
    : settings_(std::move(settings)) {
    if (settings_.base_url.empty())
      settings_.base_url = default_url;
    url_ = join_url(settings_.base_url, "chat/completions");
    if (!settings_.api_key.empty())
      authorization_ = "Bearer " + settings_.api_key.reveal();
  }

  caf::expected<http_request> encode(const model_request& request,
                                     answer_mode mode) const override {
    if (!is_http(url_))
      return make_error(errc::configuration,
                        "base_url must start with http:// or https://",
                        mask_url(settings_.base_url));
    auto body = encode_openai_body(request, mode);
    if (!body)
      return body.error();
    auto result = http_request{};
    result.url = url_;
    result.timeouts = settings_.timeouts;
    result.headers.push_back({"content-type", "application/json"});
    if (mode == answer_mode::streamed)
      result.headers.push_back({"accept", "text/event-stream"});
    if (!authorization_.empty())
      result.headers.push_back({"authorization", authorization_});
    result.body = std::move(*body);
    return result;
  }

  std::unique_ptr<response_decoder> make_decoder() const override {
    return std::make_unique<openai_decoder>(settings_.api_key);
  }

  fault error_of(const http_head& head, std::string_view body) const override {
    auto parser = openai_chunk_parser{};
    auto* chunk = parser.parse(body);
    auto said = chunk == nullptr ? openai_complaint{} : chunk->complaint;
    if (said.message.empty())
      said.message = body.substr(0, 4 * longest_message);
    auto result = openai_fault(said, head.status);
    result.message = excerpt(hide_secrets(said.message, settings_.api_key),
                             longest_message);
    if (result.message.empty())
      result.message = "HTTP status " + std::to_string(head.status);
    result.where = mask_url(url_);
    result.retry_after = retry_after_of(head, std::chrono::system_clock::now());
    return result;
  }

private:
  provider_settings settings_;
  std::string url_;
  std::string authorization_;
};

} // namespace

std::unique_ptr<provider_codec> make_openai_codec(provider_settings settings) {
  return std::make_unique<openai_codec>(std::move(settings));
}

} // namespace troupe
