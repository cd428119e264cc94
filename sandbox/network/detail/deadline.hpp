#pragma once

#include "caf/timespan.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>

namespace troupe {

/// Calls a function when something has taken too long. Pushing it back while
/// bytes flow costs no timer. Lives on one thread; its destructor calls it off.
class deadline {
public:
  using clock = std::chrono::steady_clock;

  /// Nothing lasts past `total` from now.
  deadline(const boost::asio::any_io_executor& executor, caf::timespan total);

  deadline(const deadline&) = delete;
  deadline& operator=(const deadline&) = delete;

  ~deadline();

  /// From now on `then` is called once when nobody calls `touch` for `limit`;
  /// replaces what was set before.
  void set(caf::timespan limit, std::function<void()> then);

  /// Something happened: the limit counts from now.
  void touch();

  /// Nothing is called any more.
  void clear();

private:
  struct state {
    explicit state(const boost::asio::any_io_executor& executor)
      : timer(executor) {
      // nop
    }

    boost::asio::steady_timer timer;
    clock::time_point end;
    clock::time_point due;
    clock::duration limit{};
    std::function<void()> then;
  };

  static void wait(const std::shared_ptr<state>& x);

  std::shared_ptr<state> state_;
};

} // namespace troupe
