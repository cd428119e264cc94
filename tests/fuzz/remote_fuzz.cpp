#include "troupe/config/errc.hpp"
#include "troupe/sandbox/remote/base64.hpp"
#include "troupe/sandbox/remote/remote_protocol.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

using namespace troupe;

namespace {

void check(bool x) {
  if (!x)
    std::abort();
}

// What was understood says the same again.
void check_request(std::string_view text) {
  auto request = decode_request(text);
  if (!request)
    return;
  auto line = encode(*request);
  check(line.find('\n') == line.npos);
  auto again = decode_request(line);
  check(again && encode(*again) == line && id_in(line)
        && *id_in(line) == request->id);
}

void check_answer(std::string_view text) {
  for (auto call : {remote_call::read, remote_call::write, remote_call::exec,
                    remote_call::close}) {
    auto answer = decode_answer(text, call);
    if (!answer)
      continue;
    auto line = encode(*answer, call);
    auto again = decode_answer(line, call);
    check(again && encode(*again, call) == line);
    if (call == remote_call::exec && !answer->failed)
      check(answer->outcome.status >= 0 && answer->outcome.status <= 255
            && answer->outcome.signal >= 0 && answer->outcome.signal <= 64);
  }
}

} // namespace

// Whatever a remote sandbox says, or somebody who calls a server, is understood
// in one way or refused.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto text = std::string_view{reinterpret_cast<const char*>(data), size};
  check_request(text);
  check_answer(text);
  static_cast<void>(id_in(text));
  return 0;
}
