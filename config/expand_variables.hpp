#pragma once

#include "caf/expected.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace troupe {

/// The value of an environment variable, or nothing when it is not set.
using variable_lookup
  = std::function<std::optional<std::string>(std::string_view)>;

/// A text after its variables were put in.
struct expanded_text {
  std::string text;
  bool has_variable = false;
  /// The values that came from variables with secret-looking names.
  std::set<std::string> secrets;
};

/// Replaces `${NAME}` by the variable and `${NAME:-default}` by the default
/// when the variable is unset or empty; `$${` stands for `${`, and any other
/// `$` for itself. What was put in is not looked at again. A variable that is
/// not set, a form that is none of these and a result of more than `limit`
/// bytes are `errc::configuration`; a message never shows a value.
caf::expected<expanded_text> expand_variables(std::string_view text,
                                              const variable_lookup& variables,
                                              size_t limit);

} // namespace troupe
