#pragma once

#include "troupe/sandbox/remote/remote_client.hpp"

#include "caf/error.hpp"
#include "caf/expected.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe {

// The four calls as JSON, one object a request and one an answer:
// this is what servers are written from.
//
//   {"id":1,"call":"read","path":"a.txt"}
//   {"id":2,"call":"write","path":"a.txt","content":"aGk="}
//   {"id":3,"call":"exec","argv":["ls"],"directory":"","environment":{},
//    "stdin":"","timeout":120000,"output":1048576}
//   {"id":4,"call":"close"}
//   {"id":3,"call":"cancel"}
//
//   {"id":1,"result":{"content":"aGk="}}
//   {"id":2,"result":{}}
//   {"id":3,"result":{"stdout":"","stderr":"","status":0,"signal":0,
//    "timed_out":false,"truncated":false}}
//   {"id":1,"error":{"kind":"tool","message":"a.txt: no such file"}}
//
// Bytes are base64, times milliseconds.

/// The most bytes of one request or answer.
constexpr auto max_remote_message = size_t{64} << 20;

enum class remote_call : uint8_t { read, write, exec, close, cancel };

struct remote_request {
  /// Chosen by the client, of each one call at a time.
  uint64_t id = 0;
  remote_call call = remote_call::close;
  std::string path;
  std::string content;
  remote_command command;
};

/// What came of a request: an error, or what its call gives.
struct remote_answer {
  uint64_t id = 0;
  caf::error failed;
  std::string content;
  remote_outcome outcome;
};

/// One line, without its end.
std::string encode(const remote_request& x);

/// Error: sandbox (it is no request).
caf::expected<remote_request> decode_request(std::string_view text);

/// One line, without its end; `call` says what it answers.
std::string encode(const remote_answer& x, remote_call call);

/// Error: sandbox (it is no answer to such a call).
caf::expected<remote_answer> decode_answer(std::string_view text,
                                           remote_call call);

/// The id in an answer, or in a request, whatever else is in it. Error:
/// sandbox.
caf::expected<uint64_t> id_in(std::string_view text);

} // namespace troupe
