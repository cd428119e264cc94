#include "troupe/sandbox/setup_packet.hpp"

namespace troupe {

namespace {

void append(std::vector<char>& to, const void* from, size_t size) {
  const auto* bytes = static_cast<const char*>(from);
  to.insert(to.end(), bytes, bytes + size);
}

} // namespace

void setup_packet::allow_unix_sockets() {
  header_.unix_sockets = 1;
}

void setup_packet::kill_commands_first() {
  header_.killed_first = 1;
}

void setup_packet::watch_limits(uint64_t memory, uint32_t tasks) {
  header_.most_memory = memory;
  header_.most_tasks = tasks;
}

void setup_packet::add(init::step_kind kind, const std::string& path,
                       const std::string& text, uint64_t a, uint64_t b,
                       uint32_t flags) {
  auto what = init::step{};
  what.kind = kind;
  what.flags = flags;
  what.a = a;
  what.b = b;
  what.path_size = static_cast<uint32_t>(path.size() + 1);
  what.text_size = static_cast<uint32_t>(text.size() + 1);
  append(steps_, &what, sizeof what);
  append(steps_, path.c_str(), path.size() + 1);
  append(steps_, text.c_str(), text.size() + 1);
  ++header_.steps;
}

std::vector<char> setup_packet::bytes() const {
  auto result = std::vector<char>{};
  append(result, &header_, sizeof header_);
  result.insert(result.end(), steps_.begin(), steps_.end());
  return result;
}

} // namespace troupe
