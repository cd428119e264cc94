#pragma once

#include "caf/error.hpp"
#include "caf/make_message.hpp"
#include "caf/message.hpp"
#include "caf/timespan.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Every kind of failure troupe reports. The names are the words of
/// `error.kind` in the run object and on stderr: public and fixed. The values
/// travel between nodes: append, never reorder.
enum class errc : uint8_t {
  // What a model provider can answer; together `provider` in retry rules.
  auth = 1,
  rate_limit,
  overloaded,
  invalid_request,
  context_length,
  timeout,
  network,
  protocol,
  cassette,
  // Everything else.
  limit,
  tool,
  permission,
  sandbox,
  policy,
  storage,
  structured_result,
  routing,
  configuration,
  cancelled,
  internal,
};

inline constexpr auto last_errc = errc::internal;

/// The contract's word for `kind`, for example "rate_limit".
std::string to_string(errc kind);

/// The kind called `name`; `errc::internal` when there is none.
errc errc_from_string(std::string_view name);

/// Whether `kind` is one of the nine that a model provider reports.
constexpr bool is_provider_error(errc kind) {
  return kind <= errc::cassette;
}

/// What went wrong, where, and what to do about it. Plain data: the details
/// of a `caf::error` whose category is "troupe".
struct fault {
  errc kind = errc::internal;
  /// One sentence for the operator, without secrets.
  std::string message;
  /// File with line and column, key path, URL, tool or path; may be empty.
  std::string where;
  /// What to type or change; may be empty.
  std::string hint;
  /// The HTTP status that a provider sent, or 0.
  int32_t status = 0;
  /// Whether asking again may succeed.
  bool retryable = false;
  /// How long the provider asked to wait; 0 when it did not say.
  caf::timespan retry_after{0};
};

/// Packs `what` into the error type that all layers share.
caf::error make_error(fault what);

/// Shorthand for a fault of `kind` that says `message` about `where`.
caf::error make_error(errc kind, std::string message, std::string where = {},
                      std::string hint = {});

/// Packs all errors of a file into one; `faults` must not be empty. The first
/// one is what `to_fault` gives.
caf::error make_error(const std::vector<fault>& faults);

/// The details of any error: those given to `make_error`, or for an error of
/// CAF itself the nearest kind (a timeout, a receiver that is gone, an exit)
/// and its text.
fault to_fault(const caf::error& why);

/// Every fault that was packed into `why`, at least one unless `why` is no
/// error.
std::vector<fault> to_faults(const caf::error& why);

/// "KIND: message (where)", the line the program prints after its name.
std::string render(const fault& what);

} // namespace troupe

CAF_ERROR_CODE_ENUM(troupe::errc, "troupe")
