#include "troupe/sandbox/network/detail/traffic_ledger.hpp"

namespace troupe {

namespace {

constexpr auto others = "(others)";

} // namespace

traffic_ledger::traffic_ledger(size_t most,
                               const std::vector<std::string>& expected)
  : most_(most + expected.size()) {
  for (const auto& x : expected)
    counters_.emplace(x, std::make_shared<traffic_counter>());
}

traffic_ledger::entry traffic_ledger::at(const std::string& destination) {
  auto guard = std::lock_guard{mutex_};
  auto found = counters_.find(destination);
  if (found == counters_.end() && counters_.size() >= most_)
    found = counters_.find(others);
  if (found != counters_.end())
    return {found->second, false};
  auto is_full = counters_.size() >= most_;
  auto counter = std::make_shared<traffic_counter>();
  counters_.emplace(is_full ? others : destination, counter);
  return {std::move(counter), true};
}

std::map<std::string, destination_counts> traffic_ledger::snapshot() const {
  auto guard = std::lock_guard{mutex_};
  auto result = std::map<std::string, destination_counts>{};
  for (const auto& [destination, counter] : counters_) {
    auto to = destination_counts{};
    to.allowed = counter->allowed;
    to.refused = counter->refused;
    if (to.allowed + to.refused == 0)
      continue;
    to.bytes_sent = counter->bytes_sent;
    to.bytes_received = counter->bytes_received;
    result.emplace(destination, to);
  }
  return result;
}

} // namespace troupe
