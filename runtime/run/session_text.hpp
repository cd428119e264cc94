#pragma once

#include "troupe/storage/store.hpp"

#include "caf/expected.hpp"

#include <functional>
#include <iosfwd>
#include <string>

namespace troupe {

// A conversation as text: one JSON object a line, a head and then the records
// of its log in order. Who reads it needs `role`, `content` and the like; read
// back it is the same log to the byte.
//
//   {"troupe_session":1,"session_id":"monday","agent":"guide",
//    "actor_id":null,"records":2}
//   {"seq":1,"kind":"message","role":"user","content":[…],"at":"…"}
//   {"seq":2,"kind":"state","state":{…},"at":"…"}
//
// Kinds: message (the form of `sessions show`), state, intent (`call_id`,
// `occurrence`) and summary (`text`, `keep_from`, `keep_also`). Where the rest
// of a line cannot say exactly what is stored, `body` does, in hexadecimal, and
// counts alone. `blobs` are the bytes of a message's images and documents in
// base64, with the first message that has them; others have the digest only. A
// name that is no UTF-8 is {"hex":"…"}.

/// Gives `line` each line of the session `key`, without its end. Stops at the
/// first error of the store.
caf::error export_session(store& disk, const session_key& key,
                          const std::function<void(const std::string&)>& line);

/// Reads what `export_session` wrote. An `errc::configuration` error names the
/// first line that is not as it should be. Blank lines are skipped.
caf::expected<session_append> read_exported(std::istream& in);

/// Stores what was read as a new session, in one transaction. An error, and
/// nothing else, where there is one of that key.
caf::error import_session(store& disk, session_append session);

} // namespace troupe
