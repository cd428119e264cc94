// The reference server of remote sandboxes: what a machine runs so that
// troupe's tools work there. Its root is a folder; its commands are not
// contained, so it belongs on a machine, or in a container, that is thrown
// away.
//
//   remote_server FOLDER           one request a line on its standard streams
//   remote_server FOLDER --http    on a port of the loopback, which it prints
//
// The protocol stands in troupe/sandbox/remote/remote_protocol.hpp.

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/disk_tree.hpp"
#include "troupe/sandbox/file_space.hpp"
#include "troupe/sandbox/process_plan.hpp"
#include "troupe/sandbox/process_runner.hpp"
#include "troupe/sandbox/remote/remote_protocol.hpp"
#include "troupe/sandbox/scoped_open.hpp"
#include "troupe/sandbox/sha256.hpp"
#include "troupe/sandbox/workspace.hpp"
#include "troupe/sandbox/workspace_path.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using namespace troupe;
namespace http = boost::beast::http;
using tcp = boost::asio::ip::tcp;

/// A folder, and the commands that run in it.
class served_folder {
public:
  using told = std::function<void(std::string line)>;

  served_folder(std::shared_ptr<workspace> where,
                std::shared_ptr<process_runner> runner)
    : where_(std::move(where)),
      runner_(std::move(runner)),
      files_(where_->root().descriptor, probe_resolution()) {
    policy_.limits.wall = std::chrono::hours{24};
    policy_.limits.output = max_remote_message / 4;
  }

  served_folder(const served_folder&) = delete;
  served_folder& operator=(const served_folder&) = delete;

  ~served_folder() {
    // What runs ends first: it tells of that here.
    runner_ = nullptr;
  }

  /// Answers at once, or for a command when it has ended. Any thread.
  void serve(const remote_request& x, const told& tell) {
    auto answer = remote_answer{};
    answer.id = x.id;
    switch (x.call) {
      case remote_call::read:
        answer.failed = read(x.path, answer.content);
        break;
      case remote_call::write:
        answer.failed = write(x.path, x.content);
        break;
      case remote_call::exec:
        return exec(x, tell);
      case remote_call::cancel:
        return cancel(x.id);
      case remote_call::close:
        end_all();
        break;
    }
    tell(encode(answer, x.call));
  }

  void cancel(uint64_t id) {
    auto guard = std::lock_guard{mutex_};
    if (auto found = running_.find(id); found != running_.end())
      runner_->terminate(found->second);
  }

private:
  void end_all() {
    auto guard = std::lock_guard{mutex_};
    for (const auto& [id, process] : running_)
      runner_->terminate(process);
  }

  static caf::expected<tree_path> parse(const std::string& path) {
    auto parsed = parse_workspace_path(path);
    if (!parsed)
      return std::move(parsed.error());
    return tree_path{parsed->relative, to_string(*parsed)};
  }

  caf::error read(const std::string& path, std::string& to) {
    auto parsed = parse(path);
    if (!parsed)
      return std::move(parsed.error());
    auto failed = files_.read(*parsed, [&to](std::string_view piece) {
      to += piece;
      return to.size() <= max_remote_message / 2;
    });
    if (!failed && to.size() > max_remote_message / 2)
      return make_error(errc::tool, path + " is too large");
    return failed;
  }

  // The client has looked at what it overwrites.
  caf::error write(const std::string& path, const std::string& content) {
    auto parsed = parse(path);
    if (!parsed)
      return std::move(parsed.error());
    auto before = std::string{};
    auto known = std::string{};
    if (!read(path, before))
      if (auto digest = sha256_of(before))
        known = *digest;
    auto written = files_.write(*parsed, content, known);
    return written ? caf::error{} : std::move(written.error());
  }

  void exec(const remote_request& x, const told& tell) {
    auto request = process_request{x.command.argv, x.command.directory,
                                   x.command.timeout, x.command.stdin_text};
    auto policy = policy_;
    policy.environment = x.command.environment;
    policy.environment.emplace("HOME", "/tmp");
    policy.limits.output = std::min(policy.limits.output, x.command.output);
    auto spec = plan_process(request, *where_, policy, host_path(),
                             containment::none);
    auto answer = remote_answer{};
    answer.id = x.id;
    if (!spec) {
      answer.failed = std::move(spec.error());
      return tell(encode(answer, x.call));
    }
    auto guard = std::lock_guard{mutex_};
    running_[x.id] = runner_->start(
      std::move(*spec), [this, answer, tell](
                          const caf::expected<process_result>& result) mutable {
        if (result)
          answer.outcome = {result->stdout_text, result->stderr_text,
                            result->status,      result->signal,
                            result->timed_out,   result->truncated};
        else
          answer.failed = result.error();
        forget(answer.id);
        tell(encode(answer, remote_call::exec));
      });
  }

  void forget(uint64_t id) {
    auto guard = std::lock_guard{mutex_};
    running_.erase(id);
  }

  static std::map<std::string, std::string> host_path() {
    const auto* path = std::getenv("PATH");
    return {{"PATH", path != nullptr ? path : "/usr/bin:/bin"}};
  }

  std::shared_ptr<workspace> where_;
  std::shared_ptr<process_runner> runner_;
  disk_tree files_;
  sandbox_settings policy_;
  std::mutex mutex_;
  std::map<uint64_t, process_runner::process_id> running_;
};

/// Lines in, lines out, until the input ends.
void serve_lines(served_folder& folder) {
  auto mutex = std::make_shared<std::mutex>();
  auto tell = [mutex](const std::string& line) {
    auto guard = std::lock_guard{*mutex};
    std::cout << line << std::endl;
  };
  auto line = std::string{};
  while (std::getline(std::cin, line)) {
    auto request = decode_request(line);
    if (request)
      folder.serve(*request, tell);
    else
      std::cerr << to_fault(request.error()).message << '\n';
  }
}

/// Waits for the answer, or for the client to hang up, which cancels.
std::string wait_for(served_folder& folder, const remote_request& request,
                     int connection) {
  int fds[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
    return {};
  auto result = std::make_shared<std::string>();
  folder.serve(request, [result, fd = fds[1]](std::string text) {
    *result = std::move(text);
    ::close(fd);
  });
  pollfd both[] = {{fds[0], POLLIN, 0}, {connection, POLLRDHUP, 0}};
  while (::poll(both, 2, -1) < 0 || both[0].revents == 0) {
    if (both[1].revents != 0)
      folder.cancel(request.id);
    both[1].fd = both[1].revents != 0 ? -1 : connection;
  }
  ::close(fds[0]);
  return *result;
}

void answer(served_folder& folder, tcp::socket connection, uint64_t id) {
  auto failed = boost::system::error_code{};
  auto buffer = boost::beast::flat_buffer{};
  auto parser = http::request_parser<http::string_body>{};
  parser.body_limit(max_remote_message);
  http::read(connection, buffer, parser, failed);
  if (failed)
    return;
  auto response = http::response<http::string_body>{http::status::ok, 11};
  auto request = decode_request(parser.get().body());
  if (request) {
    // Here a call is a connection, whatever number the client gave it.
    auto theirs = std::exchange(request->id, id);
    auto text = wait_for(folder, *request, connection.native_handle());
    auto mine = decode_answer(text, request->call);
    if (mine) {
      mine->id = theirs;
      text = encode(*mine, request->call);
    }
    response.body() = std::move(text);
  } else {
    response.result(http::status::bad_request);
  }
  response.set(http::field::content_type, "application/json");
  response.keep_alive(false);
  response.prepare_payload();
  http::write(connection, response, failed);
}

// One thread a connection: an example, for a few clients.
void serve_http(served_folder& folder) {
  auto context = boost::asio::io_context{1};
  auto loopback = boost::asio::ip::address_v4::loopback();
  auto acceptor = tcp::acceptor{context, {loopback, 0}};
  std::cout << acceptor.local_endpoint().port() << std::endl;
  auto id = uint64_t{0};
  for (;;) {
    auto connection = acceptor.accept();
    std::thread{[&folder, id = ++id](tcp::socket on) {
                  answer(folder, std::move(on), id);
                },
                std::move(connection)}
      .detach();
  }
}

} // namespace

int main(int argc, char** argv) {
  auto usage = argc < 2 || (argc == 3 && std::string_view{argv[2]} != "--http");
  if (usage || argc > 3) {
    std::cerr << "usage: remote_server FOLDER [--http]\n";
    return EXIT_FAILURE;
  }
  auto where = workspace::open({"directory", argv[1], {}}, "/");
  auto runner = make_host_runner();
  if (!where || !runner) {
    std::cerr << to_fault(where ? runner.error() : where.error()).message
              << '\n';
    return EXIT_FAILURE;
  }
  auto folder = served_folder{*where, std::move(*runner)};
  if (argc == 3)
    serve_http(folder);
  else
    serve_lines(folder);
  return EXIT_SUCCESS;
}
