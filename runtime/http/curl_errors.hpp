#pragma once

#include "troupe/config/errc.hpp"
#include "troupe/runtime/http/curl_transfer.hpp"

#include <string>

namespace troupe {

/// What `code`, libcurl's verdict over a transfer that had come to `phase`,
/// means; `detail` is libcurl's own sentence, or empty. Not for 0, success.
fault curl_fault(int code, transfer_phase phase, std::string detail);

} // namespace troupe
