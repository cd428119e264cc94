#pragma once

#include "troupe/sandbox/process_thread.hpp"
#include "troupe/sandbox/remote/remote_client.hpp"

#include "caf/expected.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace troupe {

/// Carries the texts of `remote_protocol.hpp` to a server and back. Any thread,
/// several calls at once.
class remote_transport {
public:
  remote_transport() = default;
  remote_transport(const remote_transport&) = delete;
  remote_transport& operator=(const remote_transport&) = delete;
  virtual ~remote_transport();

  /// Sends a request and waits for its answer, at most that long; when `stop`
  /// is requested, has the request cancelled and goes on waiting. Error:
  /// sandbox.
  virtual caf::expected<std::string> call(uint64_t id, std::string request,
                                          caf::timespan most,
                                          std::stop_token stop)
    = 0;
};

/// Speaks the protocol over any transport.
std::shared_ptr<remote_client>
make_json_remote_client(std::shared_ptr<remote_transport> transport);

/// One request and one answer a line, over the standard streams of `command`,
/// which runs on this host with its environment until the transport ends.
/// Error: sandbox.
caf::expected<std::shared_ptr<remote_transport>>
make_line_transport(std::shared_ptr<process_thread> thread,
                    std::vector<std::string> command);

/// Each request is the body of a POST to `url`, "http://HOST[:PORT]/PATH", and
/// the answer the body of its response. A client that ends its side of the
/// connection cancels, and still gets the answer. There is no TLS: what is not
/// on this host belongs behind a tunnel. `headers` go with each request, such
/// as "Authorization". Errors: configuration (the URL, a header that is none
/// or is ours), sandbox.
caf::expected<std::shared_ptr<remote_transport>>
make_http_transport(std::shared_ptr<process_thread> thread,
                    const std::string& url,
                    std::map<std::string, std::string> headers = {});

} // namespace troupe
