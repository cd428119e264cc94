#pragma once

#include <cstdint>
#include <string>

namespace troupe::test {

/// What `storage_peer` reports when it is done with something: the session or
/// run with the number `subject` now has `count` records or commits.
struct peer_ack {
  uint64_t subject = 0;
  uint64_t count = 0;
};

/// How many sessions the peer writes to.
constexpr uint64_t peer_sessions = 16;

inline std::string peer_session_id(uint64_t session) {
  return "session " + std::to_string(session);
}

/// How many runs the peer commits to.
constexpr uint64_t peer_runs = 8;

inline std::string peer_run_id(uint64_t run) {
  return "run " + std::to_string(1000 + run);
}

/// The body that the peer gives to record `seq` of `session`, so that a reader
/// knows what must be there: CBOR, a byte string. One in 64 becomes a blob.
inline std::string peer_body(uint64_t session, uint64_t seq) {
  auto mixed = (session * 1000003 + seq) * 2654435761u;
  auto size = static_cast<uint32_t>((mixed >> 8) % 700);
  if (mixed % 64 == 0)
    size += 70000;
  auto result = std::string{"\x5a"};
  for (int shift = 24; shift >= 0; shift -= 8)
    result += static_cast<char>(size >> shift);
  auto text = peer_session_id(session) + "/" + std::to_string(seq) + " ";
  while (result.size() < size + 5)
    result.append(text, 0, size + 5 - result.size());
  return result;
}

} // namespace troupe::test
