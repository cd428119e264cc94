#pragma once

#include "troupe/sandbox/sandbox_requests.hpp"
#include "troupe/sandbox/time_budget.hpp"

#include "caf/expected.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Searches texts line by line for one expression, in time linear in the text.
class line_search {
public:
  /// Errors (kind tool): no valid RE2 expression, or one too large.
  static caf::expected<std::shared_ptr<line_search>>
  make(const std::string& pattern);

  virtual ~line_search();

  /// Adds the lines of `text` that match to `result`, until it holds `most` or
  /// the time is spent: then false. Lines come shortened and as valid UTF-8.
  virtual bool run(const std::string& path, std::string_view text, size_t most,
                   const time_budget& time, std::vector<grep_match>& result)
    = 0;
};

} // namespace troupe
