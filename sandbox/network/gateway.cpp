#include "troupe/sandbox/network/gateway.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/network/detail/dns_server.hpp"
#include "troupe/sandbox/network/detail/gateway_core.hpp"
#include "troupe/sandbox/network/detail/proxy_client.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <pthread.h>

#include <csignal>
#include <system_error>
#include <thread>
#include <utility>

#include <sys/socket.h>

namespace troupe {

namespace {

using boost::asio::redirect_error;
using boost::asio::use_awaitable;
using boost::asio::ip::tcp;
using boost::asio::ip::udp;
using boost::system::error_code;

/// Serves one connection that was accepted.
using client_server = boost::asio::awaitable<void> (*)(proxy_client_ptr client);

int option_of(const unique_fd& fd, int name) {
  auto value = -1;
  auto size = socklen_t{sizeof value};
  if (::getsockopt(fd.get(), SOL_SOCKET, name, &value, &size) != 0)
    return -1;
  return value;
}

bool is_internet(const unique_fd& fd) {
  auto family = option_of(fd, SO_DOMAIN);
  return family == AF_INET || family == AF_INET6;
}

bool is_listener(const unique_fd& fd) {
  return is_internet(fd) && option_of(fd, SO_TYPE) == SOCK_STREAM
         && option_of(fd, SO_ACCEPTCONN) == 1;
}

// A descriptor changes hands once assigned.
template <class Socket, class Protocol>
caf::error assign(Socket& socket, unique_fd& fd, Protocol v4, Protocol v6) {
  auto failed = error_code{};
  socket.assign(option_of(fd, SO_DOMAIN) == AF_INET6 ? v6 : v4, fd.get(),
                failed);
  if (failed)
    return make_error(errc::sandbox,
                      "the gateway cannot use a socket: " + failed.message());
  static_cast<void>(fd.release());
  return {};
}

// No descriptors are left: some will be given back.
boost::asio::awaitable<void> wait_a_moment(gateway_core* core) {
  auto ignored = error_code{};
  auto timer = boost::asio::steady_timer{core->loop(),
                                         std::chrono::milliseconds{50}};
  co_await timer.async_wait(redirect_error(use_awaitable, ignored));
}

// A frame that ends in an exception is told of.
auto end_of_frame(gateway_core* core) {
  return
    [core](const std::exception_ptr& failed) { core->take_failure(failed); };
}

boost::asio::awaitable<void> accept_all(gateway_core* core,
                                        std::shared_ptr<tcp::acceptor> from,
                                        client_server serve) {
  auto failed = error_code{};
  while (failed != boost::asio::error::bad_descriptor
         && failed != boost::asio::error::operation_aborted) {
    while (core->is_full())
      co_await core->wait_for_end();
    auto socket = tcp::socket{core->loop()};
    co_await from->async_accept(socket, redirect_error(use_awaitable, failed));
    if (failed) {
      co_await wait_a_moment(core);
      continue;
    }
    auto ignored = error_code{};
    socket.set_option(tcp::no_delay{true}, ignored);
    auto client = std::make_shared<proxy_client>(core, std::move(socket));
    boost::asio::co_spawn(core->loop(), serve(std::move(client)),
                          end_of_frame(core));
  }
}

// Signals are for the threads of the application.
std::thread start_thread(gateway_core& core) {
  auto all = sigset_t{};
  auto before = sigset_t{};
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  auto result = std::thread{[&core] { core.loop().run(); }};
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return result;
}

class loop_gateway : public gateway {
public:
  loop_gateway(gateway_options options, allow_list allowed)
    : on_end_(options.on_end),
      core_(std::move(options), std::move(allowed)),
      work_(core_.loop().get_executor()),
      thread_(start_thread(core_)) {
    // nop
  }

  // What hangs on the loop is destroyed with it.
  // NOLINTNEXTLINE(bugprone-exception-escape): nobody could go on without it
  ~loop_gateway() override {
    core_.loop().stop();
    thread_.join();
    if (on_end_)
      on_end_(counts());
  }

  caf::error serve_proxy(unique_fd listener) override {
    return serve(std::move(listener), serve_proxy_client);
  }

  caf::error serve_transparent(unique_fd listener) override {
    return serve(std::move(listener), serve_transparent_client);
  }

  caf::error serve_external(unique_fd listener) override {
    if (!core_.external())
      return make_error(errc::policy, "the policy declares no gateway",
                        "network.gateway");
    return serve(std::move(listener), serve_external_client);
  }

  caf::error serve_dns(unique_fd socket) override {
    if (!is_internet(socket) || option_of(socket, SO_TYPE) != SOCK_DGRAM)
      return make_error(errc::sandbox, "the gateway answers DNS on an UDP "
                                       "socket only");
    auto to = std::make_shared<udp::socket>(core_.loop());
    if (auto failed = assign(*to, socket, udp::v4(), udp::v6()))
      return failed;
    spawn([core = &core_, to] { return serve_dns_socket(core, to); });
    return {};
  }

  std::map<std::string, destination_counts> counts() const override {
    return core_.ledger().snapshot();
  }

private:
  caf::error serve(unique_fd listener, client_server how) {
    if (!is_listener(listener))
      return make_error(errc::sandbox,
                        "the gateway serves a listening TCP socket only");
    auto from = std::make_shared<tcp::acceptor>(core_.loop());
    if (auto failed = assign(*from, listener, tcp::v4(), tcp::v6()))
      return failed;
    spawn([core = &core_, from, how] { return accept_all(core, from, how); });
    return {};
  }

  template <class F>
  void spawn(F make_frame) {
    boost::asio::post(core_.loop(), [this, make_frame] {
      boost::asio::co_spawn(core_.loop(), make_frame(), end_of_frame(&core_));
    });
  }

  std::function<void(const std::map<std::string, destination_counts>&)> on_end_;
  gateway_core core_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type>
    work_;
  std::thread thread_;
};

} // namespace

caf::expected<std::unique_ptr<gateway>> gateway::make(gateway_options options) {
  auto& network = options.network;
  if (network.mode == "external") {
    auto entry = parse_allow_entry(network.gateway);
    if (!entry)
      return entry.error();
    if (entry->is_wildcard)
      return make_error(errc::configuration, "a gateway is one host",
                        "network.gateway");
    network.allow = {network.gateway};
  }
  auto allowed = allow_list::make(network.allow);
  if (!allowed)
    return allowed.error();
  try {
    return std::unique_ptr<gateway>{
      std::make_unique<loop_gateway>(std::move(options), std::move(*allowed))};
  } catch (const std::system_error& failed) {
    return make_error(errc::sandbox,
                      std::string{"cannot start the thread of the gateway: "}
                        + failed.what());
  }
}

gateway::~gateway() {
  // nop
}

} // namespace troupe
