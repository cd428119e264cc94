#include "troupe/sandbox/init/setup_reader.hpp"
#include "troupe/sandbox/relay/frame_reader.hpp"
#include "troupe/sandbox/warden/command.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

using namespace troupe;

namespace {

void check(bool x) {
  if (!x)
    std::abort();
}

// The steps of a sandbox's setup, with texts that end.
void check_setup(const std::vector<char>& bytes) {
  auto in = init::setup_reader{};
  if (!in.open(bytes))
    return;
  auto one = init::mount_step{};
  auto size = size_t{0};
  for (auto left = in.header().steps; left > 0 && in.next(one); --left)
    size += std::strlen(one.path) + std::strlen(one.text) + 2;
  check(size <= bytes.size());
}

using frames = std::vector<std::string>;

bool cut(relay::frame_reader& in, const char* bytes, size_t size, frames& to) {
  return in.feed(bytes, size, [&](const relay::frame& x, const char* payload) {
    check(x.size <= relay::max_payload);
    to.push_back(std::to_string(x.id) + std::string(payload, x.size));
    return true;
  });
}

// However a stream is cut, its frames are the same.
void check_frames(const std::vector<char>& bytes) {
  auto at = bytes.empty() ? 0
                          : static_cast<uint8_t>(bytes.back()) % bytes.size();
  auto whole = relay::frame_reader{};
  auto pieces = relay::frame_reader{};
  auto one = frames{};
  auto two = frames{};
  auto fine = cut(whole, bytes.data(), bytes.size(), one);
  auto other = cut(pieces, bytes.data(), at, two)
               && cut(pieces, bytes.data() + at, bytes.size() - at, two);
  check(fine == other && one == two);
}

// A command's texts lie in what came, and its lists end in null.
void check_command(const std::vector<char>& bytes) {
  auto fd = ::memfd_create("command", MFD_CLOEXEC);
  check(fd >= 0
        && ::write(fd, bytes.data(), bytes.size())
             == static_cast<ssize_t>(bytes.size()));
  ::lseek(fd, 0, SEEK_SET);
  auto what = warden::command{};
  auto fine = warden::read_command(fd, what);
  ::close(fd);
  if (!fine)
    return;
  check(what.directory != nullptr && !what.arguments.empty()
        && what.arguments[0] != nullptr);
  for (const auto* list : {&what.arguments, &what.variables, &what.leftovers}) {
    check(!list->empty() && list->back() == nullptr);
    for (const auto* text : *list)
      check(text == nullptr
            || (text >= what.texts.data()
                && text + std::strlen(text)
                     < what.texts.data() + what.texts.size()));
  }
}

} // namespace

// The first byte says whose protocol the rest is.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0)
    return 0;
  auto bytes = std::vector<char>(data + 1, data + size);
  switch (data[0] % 3) {
    case 0:
      check_setup(bytes);
      break;
    case 1:
      check_frames(bytes);
      break;
    default:
      check_command(bytes);
  }
  return 0;
}
