#pragma once

#include "caf/fwd.hpp"
#include "caf/meta/type_name.hpp"
#include "caf/replies_to.hpp"
#include "caf/typed_actor.hpp"

#include <cstdint>
#include <type_traits>

namespace troupe::co {

/// Tells an actor that the sender no longer wants the answer to its request
/// `id`. Sent by a request whose coroutine was destroyed, so cancelling goes
/// down the tree of actors without anybody's help.
struct cancel_request {
  uint64_t id = 0;
};

template <class Inspector>
auto inspect(Inspector& f, cancel_request& x) {
  return f(caf::meta::type_name("troupe::co::cancel_request"), x.id);
}

/// The interface of an actor whose handlers are coroutines: answers `Fs`,
/// takes cancellations, and answers every request even when it dies.
template <class... Fs>
using cancellable_actor
  = caf::typed_actor<Fs..., caf::reacts_to<cancel_request>>;

namespace detail {

template <class Handle, class = void>
struct takes_cancel : std::false_type {};

template <class... Fs>
struct takes_cancel<caf::typed_actor<Fs...>>
  : std::disjunction<std::is_same<Fs, caf::reacts_to<cancel_request>>...> {};

} // namespace detail

/// Whether `Handle` names a `cancellable_actor`.
template <class Handle>
inline constexpr bool takes_cancel = detail::takes_cancel<Handle>::value;

} // namespace troupe::co
