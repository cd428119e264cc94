#pragma once

#include "troupe/sandbox/sandbox_scope.hpp"

#include "caf/actor_control_block.hpp"
#include "caf/meta/load_callback.hpp"
#include "caf/meta/type_name.hpp"
#include "caf/none.hpp"

#include <optional>
#include <utility>

namespace troupe {

template <class Inspector>
auto inspect(Inspector& f, network_settings& x) {
  return f(caf::meta::type_name("troupe::network_settings"), x.mode, x.allow,
           x.allow_private, x.gateway);
}

template <class Inspector>
auto inspect(Inspector& f, sandbox_limits& x) {
  return f(caf::meta::type_name("troupe::sandbox_limits"), x.wall, x.cpu,
           x.memory, x.processes, x.open_files, x.file, x.tmp, x.output, x.read,
           x.write, x.list);
}

/// A value that may be missing, on its way.
template <class T>
struct optional_part {
  explicit optional_part(std::optional<T>& of)
    : target(of),
      has(of.has_value()),
      value(of.value_or(T{})) {
    // nop
  }

  caf::error load() {
    if (has)
      target = value;
    else
      target.reset();
    return caf::none;
  }

  std::optional<T>& target;
  bool has;
  T value;
};

template <class Inspector, class T>
auto inspect(Inspector& f, optional_part<T>& x) {
  return f(x.has, x.value, caf::meta::load_callback([&x] { return x.load(); }));
}

template <class Inspector>
auto inspect(Inspector& f, sandbox_scope& x) {
  auto files = optional_part{x.files};
  auto runtime_paths = optional_part{x.runtime_paths};
  auto capabilities = optional_part{x.capabilities};
  auto network = optional_part{x.network};
  auto limits = optional_part{x.limits};
  return f(caf::meta::type_name("troupe::sandbox_scope"), files, runtime_paths,
           capabilities, network, limits);
}

/// Asks a sandbox for a reduced view of itself, which is a sandbox too: it owns
/// nothing of its own but the commands it runs, and ends with the one it is of.
/// Error: policy, when anything would be wider.
struct open_scope {
  sandbox_scope scope;
};

template <class Inspector>
auto inspect(Inspector& f, open_scope& x) {
  return f(caf::meta::type_name("troupe::open_scope"), x.scope);
}

/// The sandbox that was opened; `sandbox_of` makes its handle.
struct opened_scope {
  caf::strong_actor_ptr sandbox;
};

template <class Inspector>
auto inspect(Inspector& f, opened_scope& x) {
  return f(caf::meta::type_name("troupe::opened_scope"), x.sandbox);
}

} // namespace troupe
