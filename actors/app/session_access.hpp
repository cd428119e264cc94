#pragma once

#include "troupe/actors/app/options.hpp"
#include "troupe/storage/store.hpp"

#include "caf/expected.hpp"

#include <nlohmann/json_fwd.hpp>

#include <functional>

namespace troupe::app {

/// The names of a session, as all commands print them.
nlohmann::ordered_json key_json(const session_key& key);

/// The one session that was named; an error that says how to choose where there
/// are several.
caf::expected<session_key> find_session(store& store, const options& x);

/// Does `work` with the store and the session that was named; the code to exit
/// with.
int with_session(const options& x,
                 const std::function<int(store&, session_key)>& work);

} // namespace troupe::app
