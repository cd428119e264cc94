#pragma once

#include "caf/meta/type_name.hpp"

#include <string>

namespace troupe {

/// What a part of a run has to tell in the run's events, as a `custom` one.
struct run_note {
  std::string name;
  /// The text of a JSON object that has `name` too.
  std::string data_json;
  /// A line for the operator; empty: the event will do.
  std::string for_operator;
};

template <class Inspector>
auto inspect(Inspector& f, run_note& x) {
  return f(caf::meta::type_name("troupe::run_note"), x.name, x.data_json,
           x.for_operator);
}

} // namespace troupe
