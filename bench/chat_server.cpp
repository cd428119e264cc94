// A chat completions server that costs next to nothing: one thread over epoll,
// answers made once, no JSON parser. Serves the listening socket that is its
// standard input until its parent ends. It asks for the tool `add`, and
// answers a request that holds a tool's result.

#include <strings.h>

#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <unordered_map>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

std::string chunk(std::string_view text) {
  auto size = std::array<char, 16>{};
  auto end = std::to_chars(size.begin(), size.end(), text.size(), 16).ptr;
  auto result = std::string{size.begin(), end};
  result += "\r\n";
  result += text;
  result += "\r\n";
  return result;
}

std::string event(const std::string& delta, const std::string& finish) {
  return chunk(R"(data: {"id":"chatcmpl-1","object":"chat.completion.chunk",)"
               R"("created":1,"model":"fake","choices":[{"index":0,"delta":)"
               + delta + R"(,"finish_reason":)" + finish
               + R"(,"logprobs":null}]})"
                 "\n\n");
}

std::string streamed(const std::string& events) {
  return "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
         "cache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n"
         + events + chunk("data: [DONE]\n\n") + "0\r\n\r\n";
}

std::string call_of_tool() {
  return streamed(
    event(R"({"role":"assistant","content":null})", "null")
    + event(R"({"tool_calls":[{"index":0,"id":"call_1","type":"function",)"
            R"("function":{"name":"add","arguments":""}}]})",
            "null")
    + event(R"({"tool_calls":[{"index":0,"function":)"
            R"({"arguments":"{\"a\":2"}}]})",
            "null")
    + event(R"({"tool_calls":[{"index":0,"function":)"
            R"({"arguments":",\"b\":3}"}}]})",
            "null")
    + event("{}", R"("tool_calls")"));
}

std::string final_answer() {
  auto events = event(R"({"role":"assistant","content":""})", "null");
  for (const auto* word :
       {"The ", "sum ", "of ", "the ", "two ", "numbers ", "is ", "5."})
    events += event(std::string{R"({"content":")"} + word + "\"}", "null");
  return streamed(events + event("{}", R"("stop")"));
}

// The size of the first request in `bytes`; 0 while it is not whole.
size_t request_size(std::string_view bytes) {
  constexpr auto name = std::string_view{"\r\ncontent-length:"};
  auto head = bytes.find("\r\n\r\n");
  if (head == std::string_view::npos)
    return 0;
  auto body = size_t{0};
  for (size_t i = 0; i < head; i = bytes.find("\r\n", i + 1))
    if (strncasecmp(bytes.data() + i, name.data(), name.size()) == 0) {
      auto value = bytes.substr(i + name.size(), head - i - name.size());
      value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
      std::from_chars(value.data(), value.data() + value.size(), body);
    }
  auto result = head + 4 + body;
  return bytes.size() < result ? 0 : result;
}

class chat_server {
public:
  explicit chat_server(int listener)
    : listener_(listener),
      epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    fcntl(listener, F_SETFL, O_NONBLOCK);
    watch(listener);
  }

  void run() {
    auto events = std::array<epoll_event, 256>{};
    for (;;) {
      auto count = epoll_wait(epoll_, events.data(),
                              static_cast<int>(events.size()), -1);
      for (auto i = 0; i < count; ++i) {
        auto fd = events[static_cast<size_t>(i)].data.fd;
        if (fd == listener_)
          take_connections();
        else if (!serve(fd))
          hang_up(fd);
      }
    }
  }

private:
  void watch(int fd) const {
    auto event = epoll_event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
  }

  void take_connections() {
    for (;;) {
      auto fd = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK);
      if (fd < 0)
        return;
      auto on = 1;
      setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
      watch(fd);
    }
  }

  // False when the connection is of no more use.
  bool serve(int fd) {
    auto count = read(fd, buffer_.data(), buffer_.size());
    if (count <= 0)
      return false;
    auto& bytes = received_[fd];
    bytes.append(buffer_.data(), static_cast<size_t>(count));
    while (auto size = request_size(bytes)) {
      auto has_result = bytes.find(R"("role":"tool")") < size; // npos is not
      const auto& answer = has_result ? final_answer_ : call_of_tool_;
      // An answer fits the socket's buffer.
      if (write(fd, answer.data(), answer.size())
          != static_cast<ssize_t>(answer.size()))
        return false;
      bytes.erase(0, size);
    }
    return true;
  }

  void hang_up(int fd) {
    received_.erase(fd);
    close(fd);
  }

  const std::string call_of_tool_ = call_of_tool();
  const std::string final_answer_ = final_answer();
  int listener_;
  int epoll_;
  std::unordered_map<int, std::string> received_;
  std::array<char, 65536> buffer_;
};

} // namespace

int main() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGPIPE, SIG_IGN);
  auto server = chat_server{STDIN_FILENO};
  server.run();
}
