#include "troupe/runtime/http/curl_transfer.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/config/redact.hpp"
#include "troupe/runtime/http/curl_errors.hpp"
#include "troupe/runtime/http/curl_transport.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace troupe {

namespace {

constexpr size_t longest_head = size_t{64} << 10;

long milliseconds(caf::timespan x) {
  return static_cast<long>(
    std::chrono::ceil<std::chrono::milliseconds>(x).count());
}

std::string seconds_text(caf::timespan x) {
  auto result = std::to_string(std::chrono::duration<double>{x}.count());
  result.erase(result.find_last_not_of('0') + 1);
  if (result.back() == '.')
    result.pop_back();
  return result + " s";
}

// No limit is a day: it is only looked at again after that.
curl_clock::duration bounded(caf::timespan limit) {
  constexpr auto day = std::chrono::hours{24};
  return limit > caf::timespan{0} ? std::min<caf::timespan>(limit, day) : day;
}

// A line break would begin a header of its own.
bool is_one_line(std::string_view text) {
  return text.find_first_of(std::string_view{"\r\n\0", 3})
         == std::string_view::npos;
}

int status_of(std::string_view line) {
  auto result = 0;
  auto space = std::min(line.find(' '), line.size());
  auto text = line.substr(std::min(space + 1, line.size()), 3);
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

template <class T>
void set(void* easy, CURLoption option, T value) {
  curl_easy_setopt(static_cast<CURL*>(easy), option, value);
}

} // namespace

curl_transfer::curl_transfer(http_request request,
                             std::unique_ptr<http_handler> handler,
                             size_t max_unconsumed)
  : request_(std::move(request)),
    handler_(std::move(handler)),
    lines_(nullptr, curl_slist_free_all),
    max_unconsumed_(static_cast<int64_t>(max_unconsumed)) {
  // nop
}

bool curl_transfer::consume(size_t bytes) noexcept {
  auto count = static_cast<int64_t>(bytes);
  auto left = unconsumed_.fetch_sub(count) - count;
  return left <= max_unconsumed_ / 2 && paused_.load()
         && paused_.exchange(false);
}

void curl_transfer::prepare(void* easy, const curl_settings& settings) {
  set(easy, CURLOPT_NOSIGNAL, 1L);
  set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  set(easy, CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_2TLS});
  set(easy, CURLOPT_ACCEPT_ENCODING, "");
  set(easy, CURLOPT_USERAGENT, "troupe");
  set(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  if (!settings.no_proxy.empty())
    set(easy, CURLOPT_NOPROXY, settings.no_proxy.c_str());
  set(easy, CURLOPT_HEADERFUNCTION, &curl_transfer::on_header_line);
  set(easy, CURLOPT_WRITEFUNCTION, &curl_transfer::on_body);
  set(easy, CURLOPT_PREREQFUNCTION, &curl_transfer::on_connected);
}

caf::error curl_transfer::configure(void* easy,
                                    const curl_clock::time_point& now) {
  easy_ = easy;
  now_ = &now;
  started_at_ = now;
  enter(transfer_phase::connecting);
  if (!add_lines())
    return make_error(errc::configuration,
                      "a header of the request has a line break in it",
                      mask_url(request_.url),
                      "check the api_key for a stray line break");
  set_options();
  return {};
}

bool curl_transfer::add_lines() {
  auto add = [this](const char* line) {
    auto* longer = curl_slist_append(lines_.get(), line);
    if (longer != nullptr) {
      static_cast<void>(lines_.release());
      lines_.reset(longer);
    }
    return longer != nullptr;
  };
  for (const auto& [name, value] : request_.headers) {
    auto line = name;
    line.append(": ").append(value);
    if (!is_one_line(line) || !add(line.c_str()))
      return false;
  }
  return add("expect:"); // no round trip before a long body
}

void curl_transfer::set_options() {
  set(easy_, CURLOPT_PRIVATE, this);
  set(easy_, CURLOPT_HEADERDATA, this);
  set(easy_, CURLOPT_WRITEDATA, this);
  set(easy_, CURLOPT_PREREQDATA, this);
  set(easy_, CURLOPT_ERRORBUFFER, detail_.data());
  set(easy_, CURLOPT_HTTPHEADER, lines_.get());
  set(easy_, CURLOPT_URL, request_.url.c_str());
  // Share a connection rather than open many; only TLS can offer that.
  set(easy_, CURLOPT_PIPEWAIT, request_.url.starts_with("https:") ? 1L : 0L);
  set(easy_, CURLOPT_CONNECTTIMEOUT_MS,
      milliseconds(request_.timeouts.connect));
  auto is_post = request_.method == "POST";
  auto is_get = request_.method == "GET";
  set(easy_, CURLOPT_CUSTOMREQUEST,
      is_post || is_get ? nullptr : request_.method.c_str());
  if (is_post) {
    set(easy_, CURLOPT_POSTFIELDSIZE_LARGE,
        static_cast<curl_off_t>(request_.body.size()));
    set(easy_, CURLOPT_POSTFIELDS, request_.body.data());
  } else {
    set(easy_, CURLOPT_HTTPGET, 1L);
  }
}

void curl_transfer::release() {
  set(easy_, CURLOPT_ERRORBUFFER, static_cast<char*>(nullptr));
  set(easy_, CURLOPT_HTTPHEADER, static_cast<curl_slist*>(nullptr));
  set(easy_, CURLOPT_POSTFIELDS, static_cast<char*>(nullptr));
  easy_ = nullptr;
}

int curl_transfer::resume() {
  stalled_ = false;
  enter(phase_);
  return curl_easy_pause(static_cast<CURL*>(easy_), CURLPAUSE_CONT);
}

bool curl_transfer::is_overdue() const {
  return is_silent() || started_at_ + bounded(request_.timeouts.total) <= *now_;
}

bool curl_transfer::is_silent() const {
  return phase_ != transfer_phase::connecting && !stalled_
         && since_ + patience() <= *now_;
}

// Another phase may begin at any moment, with its own patience.
curl_clock::time_point curl_transfer::not_overdue_before() const {
  const auto& limits = request_.timeouts;
  auto result = std::min(
    started_at_ + bounded(limits.total),
    *now_ + std::min(bounded(limits.first_byte), bounded(limits.idle)));
  if (phase_ == transfer_phase::connecting || stalled_)
    return result;
  return std::min(result, since_ + patience());
}

curl_clock::duration curl_transfer::patience() const {
  return bounded(phase_ == transfer_phase::waiting
                   ? request_.timeouts.first_byte
                   : request_.timeouts.idle);
}

caf::error curl_transfer::overdue() const {
  const auto& limits = request_.timeouts;
  auto result = fault{};
  result.kind = errc::timeout;
  if (!is_silent())
    result.message = "not done after " + seconds_text(limits.total);
  else if (phase_ == transfer_phase::waiting)
    result.message = "no answer after " + seconds_text(limits.first_byte);
  else
    result.message = "silence in the middle of the answer for "
                     + seconds_text(limits.idle);
  result.where = mask_url(request_.url);
  result.retryable = true;
  return make_error(std::move(result));
}

caf::error curl_transfer::outcome(int code) const {
  if (code == CURLE_OK)
    return {};
  if (refusal_)
    return refusal_;
  auto result = curl_fault(code, phase_, detail_.data());
  result.where = mask_url(request_.url);
  return make_error(std::move(result));
}

void curl_transfer::finish(caf::error why) {
  over_.store(true);
  auto handler = std::move(handler_);
  handler->on_done(std::move(why));
}

size_t curl_transfer::on_header_line(char* data, size_t, size_t size,
                                     void* self) {
  auto& transfer = *static_cast<curl_transfer*>(self);
  return transfer.take_header_line({data, size}) ? size : 0;
}

size_t curl_transfer::on_body(char* data, size_t, size_t size, void* self) {
  auto& transfer = *static_cast<curl_transfer*>(self);
  transfer.stalled_ = transfer.must_pause();
  if (transfer.stalled_)
    return CURL_WRITEFUNC_PAUSE;
  return transfer.take_body({data, size}) ? size : 0;
}

int curl_transfer::on_connected(void* self, char*, char*, int, int) {
  static_cast<curl_transfer*>(self)->enter(transfer_phase::waiting);
  return CURL_PREREQFUNC_OK;
}

bool curl_transfer::take_header_line(std::string_view line) {
  enter(transfer_phase::answering);
  if (has_head_)
    return true; // a trailer
  if (line.starts_with("HTTP/")) {
    head_.status = status_of(line);
    head_.lines.clear();
  } else if (line == "\r\n" || line == "\n") {
    if (head_.status >= 200) { // others only announce the answer
      has_head_ = true;
      handler_->on_head(std::move(head_));
    }
  } else if (head_.lines.size() + line.size() > longest_head) {
    return refuse("the head of the answer is too long");
  } else {
    head_.lines += line;
  }
  return true;
}

bool curl_transfer::take_body(std::string_view bytes) {
  enter(transfer_phase::answering);
  received_ += bytes.size();
  if (received_ > request_.max_answer)
    return refuse("the answer has more than "
                  + std::to_string(request_.max_answer) + " bytes");
  unconsumed_.fetch_add(static_cast<int64_t>(bytes.size()));
  handler_->on_data(bytes);
  return true;
}

bool curl_transfer::must_pause() {
  if (unconsumed_.load() <= max_unconsumed_)
    return false;
  paused_.store(true);
  // Whoever consumed before the store did not see it.
  return unconsumed_.load() > max_unconsumed_ / 2 || !paused_.exchange(false);
}

void curl_transfer::enter(transfer_phase phase) {
  phase_ = phase;
  since_ = *now_;
}

bool curl_transfer::refuse(std::string message) {
  refusal_ = make_error(errc::protocol, std::move(message),
                        mask_url(request_.url));
  return false;
}

} // namespace troupe
