#pragma once

#include "troupe/config/errc.hpp"

#include "caf/error.hpp"

#include <exception>
#include <string>
#include <utility>

namespace troupe::co {

/// The one exception of coroutines: carries a caf::error through the frames
/// until `serve` answers with it.
class failure : public std::exception {
public:
  explicit failure(caf::error reason)
    : reason_(std::move(reason)),
      text_(to_fault(reason_).message) {
    // nop
  }

  failure(errc kind, std::string message, std::string where = {})
    : failure(make_error(kind, std::move(message), std::move(where))) {
    // nop
  }

  /// The sentence of the fault it carries.
  const char* what() const noexcept override {
    return text_.c_str();
  }

  const caf::error& reason() const noexcept {
    return reason_;
  }

private:
  caf::error reason_;
  std::string text_;
};

/// What `caught` says as an error: a failure's reason, and for any other
/// exception `errc::internal` with its text.
caf::error to_error(const std::exception_ptr& caught);

} // namespace troupe::co
