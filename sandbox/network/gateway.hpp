#pragma once

#include "troupe/sandbox/network/gateway_options.hpp"
#include "troupe/sandbox/unique_fd.hpp"

#include "caf/error.hpp"
#include "caf/expected.hpp"

#include <map>
#include <memory>
#include <string>

namespace troupe {

/// The way out of a sandbox whose network is an allowlist, or that of somebody
/// else's gateway. It is given sockets that were made inside of the sandbox's
/// network and answers on them; what a policy allows it dials from this
/// process. Nothing else gets out, and no question about a name does.
///
/// Owns one thread, the sockets and every connection. All calls are
/// thread-safe.
class gateway {
public:
  /// Errors: configuration (an entry of `allow`, or `gateway`), sandbox (no
  /// thread).
  static caf::expected<std::unique_ptr<gateway>> make(gateway_options options);

  gateway() = default;
  gateway(const gateway&) = delete;
  gateway& operator=(const gateway&) = delete;

  /// Closes every socket at once and ends the thread. Not to be called from a
  /// callback of the options. With the host's resolver in the middle of a
  /// name, it waits for that.
  virtual ~gateway();

  /// Takes a listening TCP socket and speaks HTTP (CONNECT, and absolute-form
  /// for http://) and SOCKS5 on what connects. Error: sandbox (no such socket).
  virtual caf::error serve_proxy(unique_fd listener) = 0;

  /// Takes a listening TCP socket whose connections were made to addresses that
  /// `serve_dns` gave out, and passes each on to the name behind its address.
  virtual caf::error serve_transparent(unique_fd listener) = 0;

  /// Takes a listening TCP socket and passes each connection on, byte for byte,
  /// to the gateway that the policy declares. Errors: sandbox (no such socket),
  /// policy (it declares none).
  virtual caf::error serve_external(unique_fd listener) = 0;

  /// Takes a bound UDP socket and answers DNS on it: with addresses that stand
  /// for the names of the policy, and that no other name exists.
  virtual caf::error serve_dns(unique_fd socket) = 0;

  /// What has been done so far for each destination.
  virtual std::map<std::string, destination_counts> counts() const = 0;
};

} // namespace troupe
