#include "support/bare_client.hpp"

#include "troupe/sandbox/unique_fd.hpp"

#include <curl/curl.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <sys/epoll.h>

namespace troupe::bench {

namespace {

constexpr auto first_messages = std::string_view{
  R"({"model":"fake","messages":[{"role":"system",)"
  R"("content":"You are a helpful assistant."},)"
  R"({"role":"user","content":"What is 2 plus 3?"})"};

constexpr auto next_messages = std::string_view{
  R"(,{"role":"assistant","content":null,"tool_calls":[{"id":"call_1",)"
  R"("type":"function","function":{"name":"add",)"
  R"("arguments":"{\"a\":2,\"b\":3}"}}]},)"
  R"({"role":"tool","tool_call_id":"call_1","content":"5.0"})"};

constexpr auto rest = std::string_view{
  R"(],"tools":[{"type":"function","function":{"name":"add",)"
  R"("description":"Adds two numbers.","parameters":{"type":"object",)"
  R"("properties":{"a":{"type":"number"},"b":{"type":"number"}},)"
  R"("required":["a","b"],"additionalProperties":false}}}],"stream":true,)"
  R"("stream_options":{"include_usage":true}})"};

struct turn {
  std::string body;
  // What the answer must hold.
  std::string_view word;
};

struct transfer {
  CURL* easy = nullptr;
  size_t turn = 0;
  std::string answer;
};

size_t on_body(char* data, size_t, size_t size, void* self) {
  static_cast<transfer*>(self)->answer.append(data, size);
  return size;
}

void require(bool x, const std::string& why) {
  if (!x)
    throw std::runtime_error{"the bare client has failed: " + why};
}

template <class T>
void set(CURL* easy, CURLoption option, T value) {
  curl_easy_setopt(easy, option, value);
}

} // namespace

class bare_client::loop {
public:
  explicit loop(std::string url)
    : url_(std::move(url)),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      multi_(curl_multi_init()) {
    curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &loop::on_socket);
    curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
    curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &loop::on_timer);
    curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
    curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, 512L);
    for (const auto* line : {"content-type: application/json",
                             "accept: text/event-stream", "expect:"})
      lines_ = curl_slist_append(lines_, line);
  }

  loop(const loop&) = delete;
  loop& operator=(const loop&) = delete;

  ~loop() {
    for (auto& x : transfers_) {
      curl_multi_remove_handle(multi_, x->easy);
      curl_easy_cleanup(x->easy);
    }
    curl_multi_cleanup(multi_);
    curl_slist_free_all(lines_);
  }

  void drive(size_t count, size_t width) {
    left_ = count;
    open_ = 0;
    while (transfers_.size() < width)
      transfers_.push_back(make_transfer());
    for (size_t i = 0; i < width && left_ > 0; ++i)
      begin_run(*transfers_[i]);
    while (open_ > 0) {
      wait_and_serve();
      take_done();
    }
  }

private:
  static int on_socket(CURL*, curl_socket_t socket, int what, void* self,
                       void* known) {
    auto& x = *static_cast<loop*>(self);
    auto event = epoll_event{};
    event.data.fd = socket;
    event.events = ((what & CURL_POLL_IN) != 0 ? uint32_t{EPOLLIN} : 0)
                   | ((what & CURL_POLL_OUT) != 0 ? uint32_t{EPOLLOUT} : 0);
    auto operation = known == nullptr ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
    if (what == CURL_POLL_REMOVE)
      operation = EPOLL_CTL_DEL;
    epoll_ctl(x.epoll_.get(), operation, socket, &event);
    if (operation == EPOLL_CTL_ADD)
      curl_multi_assign(x.multi_, socket, self);
    return 0;
  }

  static int on_timer(CURLM*, long timeout, void* self) {
    static_cast<loop*>(self)->timeout_ = static_cast<int>(timeout);
    return 0;
  }

  std::unique_ptr<transfer> make_transfer() {
    auto result = std::make_unique<transfer>();
    result->easy = curl_easy_init();
    set(result->easy, CURLOPT_URL, url_.c_str());
    set(result->easy, CURLOPT_NOSIGNAL, 1L);
    set(result->easy, CURLOPT_USERAGENT, "troupe");
    set(result->easy, CURLOPT_ACCEPT_ENCODING, "");
    set(result->easy, CURLOPT_HTTPHEADER, lines_);
    set(result->easy, CURLOPT_WRITEFUNCTION, &on_body);
    set(result->easy, CURLOPT_WRITEDATA, result.get());
    set(result->easy, CURLOPT_PRIVATE, result.get());
    return result;
  }

  void begin_run(transfer& x) {
    --left_;
    ++open_;
    x.turn = 0;
    ask(x);
  }

  void ask(transfer& x) {
    const auto& body = turns_[x.turn].body;
    x.answer.clear();
    set(x.easy, CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
    set(x.easy, CURLOPT_POSTFIELDS, body.data());
    curl_multi_add_handle(multi_, x.easy);
  }

  void wait_and_serve() {
    auto running = 0;
    auto count = epoll_wait(epoll_.get(), events_.data(),
                            static_cast<int>(events_.size()), timeout_);
    if (count == 0) {
      timeout_ = -1;
      curl_multi_socket_action(multi_, CURL_SOCKET_TIMEOUT, 0, &running);
    }
    for (auto i = 0; i < count; ++i) {
      const auto& event = events_[static_cast<size_t>(i)];
      auto in = (event.events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0;
      auto out = (event.events & EPOLLOUT) != 0;
      auto mask = (in ? CURL_CSELECT_IN : 0) | (out ? CURL_CSELECT_OUT : 0);
      curl_multi_socket_action(multi_, event.data.fd, mask, &running);
    }
  }

  void take_done() {
    auto left = 0;
    while (auto* message = curl_multi_info_read(multi_, &left)) {
      auto result = message->data.result;
      transfer* x = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &x);
      curl_multi_remove_handle(multi_, x->easy);
      require(result == CURLE_OK, curl_easy_strerror(result));
      require(x->answer.find(turns_[x->turn].word) != std::string::npos,
              "unexpected answer: " + x->answer);
      if (++x->turn < turns_.size()) {
        ask(*x);
        continue;
      }
      --open_;
      if (left_ > 0)
        begin_run(*x);
    }
  }

  const std::string url_;
  const std::array<turn, 2> turns_{
    {{std::string{first_messages}.append(rest), R"("tool_calls")"},
     {std::string{first_messages}.append(next_messages).append(rest),
      "[DONE]"}}};
  unique_fd epoll_;
  CURLM* multi_;
  curl_slist* lines_ = nullptr;
  // In milliseconds; -1: libcurl waits for nothing but its sockets.
  int timeout_ = -1;
  size_t left_ = 0;
  size_t open_ = 0;
  std::vector<std::unique_ptr<transfer>> transfers_;
  std::array<epoll_event, 256> events_;
};

bare_client::bare_client(const std::string& base_url)
  : loop_(std::make_unique<loop>(base_url + "/chat/completions")) {
  // nop
}

bare_client::~bare_client() = default;

void bare_client::drive(size_t count, size_t width) {
  loop_->drive(count, width);
}

} // namespace troupe::bench
