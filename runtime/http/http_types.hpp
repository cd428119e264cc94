#pragma once

#include "troupe/config/model_settings.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// One header line of a request.
struct http_header {
  std::string name;
  std::string value;
};

/// What to ask of a server.
struct http_request {
  /// Only POST sends the body.
  std::string method = "POST";
  /// Absolute, http or https.
  std::string url;
  std::vector<http_header> headers;
  std::string body;
  transfer_timeouts timeouts;
  /// The longest answer accepted, in bytes after decompression.
  size_t max_answer = size_t{64} << 20;
};

/// The beginning of a server's answer.
struct http_head {
  int status = 0;
  /// The header lines as they came, each ended by CR LF.
  std::string lines;

  /// The value of the last header called `name` in any case, without the
  /// space around it; empty when there is none.
  std::string_view header(std::string_view name) const;
};

/// `base` with `path` appended by exactly one slash, before a query.
std::string join_url(std::string_view base, std::string_view path);

} // namespace troupe
