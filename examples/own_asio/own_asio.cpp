// A service around a Boost.Asio loop: a run ends as a completion on it.
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <troupe/actors/troupe.hpp>

#include <iostream>
#include <memory>
#include <optional>

namespace asio = boost::asio;
using result = std::shared_ptr<caf::expected<troupe::run_object>>;

// Completes on the loop of `executor` when the run has ended.
template <class Executor, class Token>
auto async_ask(Executor executor, troupe::runtime& host,
               troupe::run_request request, Token token) {
  auto start = [executor, &host](auto handler, troupe::run_request x) {
    auto keep = std::make_shared<decltype(handler)>(std::move(handler));
    auto work = asio::make_work_guard(executor);
    host.start_async(std::move(x), [keep,
                                    work](caf::expected<troupe::run_object> x) {
      auto outcome
        = std::make_shared<caf::expected<troupe::run_object>>(std::move(x));
      asio::post(work.get_executor(), [keep, outcome] { (*keep)(outcome); });
    });
  };
  return asio::async_initiate<Token, void(result)>(start, token,
                                                   std::move(request));
}

asio::awaitable<void> serve(asio::io_context& loop, troupe::runtime& host) {
  auto request = troupe::run_request{"echo", "hello"};
  auto ended = co_await async_ask(loop.get_executor(), host, request,
                                  asio::use_awaitable);
  std::cout << (*ended ? (*ended)->response : "failed") << "\n";
}

int main(int, char** argv) {
  auto options = troupe::runtime_options{};
  options.settings.storage.in_memory = true;
  auto echo = troupe::agent{"echo"};
  echo.model("cassette:" + std::string{argv[1]});
  options.agents = {echo};
  troupe::runtime host{options};
  auto loop = asio::io_context{};
  asio::co_spawn(loop, serve(loop, host), asio::detached);
  loop.run();
}
