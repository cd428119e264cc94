#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace troupe::bench {

/// The requests of `calc_request()` with nothing around them: a libcurl multi
/// handle over epoll on the caller's thread, fixed bodies, answers that are
/// searched for one word. What is measured against it is what troupe adds.
class bare_client {
public:
  /// Asks the server at `base_url`.
  explicit bare_client(const std::string& base_url);

  bare_client(const bare_client&) = delete;
  bare_client& operator=(const bare_client&) = delete;
  ~bare_client();

  /// Does `count` runs, `width` of them in flight. Connections stay open from
  /// one call to the next. Throws `std::runtime_error` at the first fault.
  void drive(size_t count, size_t width);

private:
  class loop;
  std::unique_ptr<loop> loop_;
};

} // namespace troupe::bench
