#pragma once

#include "support/storage_peer_protocol.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/config/settings.hpp"
#include "troupe/storage/store.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

namespace troupe::test {

/// Ends the peer with a line that says `what` unless it `holds`.
inline void require(bool holds, const std::string& what) {
  if (!holds)
    throw std::runtime_error{what};
}

template <class T>
T require_value(caf::expected<T> x) {
  require(!!x, x ? "" : render(to_fault(x.error())));
  return std::move(*x);
}

inline std::unique_ptr<store> open_peer_store(const std::string& folder,
                                              durability how) {
  auto settings = storage_settings{};
  settings.path = folder;
  settings.durability = how;
  return require_value(make_lmdb_store(settings));
}

inline void acknowledge(const std::vector<peer_ack>& acks) {
  auto size = acks.size() * sizeof(peer_ack);
  require(write(STDOUT_FILENO, acks.data(), size) == static_cast<ssize_t>(size),
          "nobody reads the acknowledgements");
}

} // namespace troupe::test
