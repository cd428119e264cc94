#pragma once

#include "troupe/config/assembly_settings.hpp"
#include "troupe/runtime/assembly/assembly_record.hpp"

#include "caf/expected.hpp"

#include <memory>
#include <string>

namespace troupe {

/// A question about outputs, compiled. Immutable; any thread.
class output_condition {
public:
  /// Errors: configuration (an expression that RE2 does not know, a pointer
  /// that is none, nothing that is asked or several things).
  static caf::expected<output_condition> make(const condition_settings& x);

  /// Whose output it is about; empty where it is a question in code.
  const std::string& node() const noexcept;

  /// False while that participant has not answered, and where a pointer leads
  /// nowhere. `equals` compares JSON values; an output that is no JSON is a
  /// text, without the white space around it. `contains` and `matches` look at
  /// texts, and at the JSON text of anything else.
  bool holds(const assembly_record& so_far) const;

  /// For people: "triage = billing".
  std::string text() const;

private:
  struct compiled;

  explicit output_condition(std::shared_ptr<const compiled> x)
    : compiled_(std::move(x)) {
    // nop
  }

  std::shared_ptr<const compiled> compiled_;
};

} // namespace troupe
