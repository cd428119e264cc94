#pragma once

#include "troupe/runtime/http/http_transport.hpp"

#include "caf/expected.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace troupe {

/// How a transport over libcurl works; none of it changes what is answered.
struct curl_settings {
  /// A transfer with more unconsumed bytes than this is paused; it goes on
  /// when half of them are consumed.
  size_t max_unconsumed = size_t{256} << 10;
  /// Idle connections kept for the next request.
  size_t idle_connections = 512;
  /// Hosts that are reached without a proxy, comma separated; empty: what the
  /// environment says (`no_proxy`).
  std::string no_proxy;
};

/// A transport with one thread of its own, on which libcurl serves all
/// transfers: connections are reused, HTTP/2 is spoken where offered, TLS
/// certificates are checked, redirects are not followed. `errc::internal` when
/// the system lacks what it needs.
caf::expected<std::unique_ptr<http_transport>>
make_curl_transport(curl_settings settings = {});

} // namespace troupe
