#pragma once

#include "caf/meta/type_name.hpp"

namespace troupe {

/// The answer where there is nothing to say but that it is done.
struct done {};

template <class Inspector>
auto inspect(Inspector& f, done&) {
  return f(caf::meta::type_name("troupe::done"));
}

/// Asks an actor to end all that it does, and itself; answered with `done`
/// when everything is over (processes gone, transfers closed, blocking calls
/// returned), so its owner can say so. An error says what could not be ended.
struct end_work {};

template <class Inspector>
auto inspect(Inspector& f, end_work&) {
  return f(caf::meta::type_name("troupe::end_work"));
}

} // namespace troupe
