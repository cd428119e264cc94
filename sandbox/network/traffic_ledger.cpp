#include "troupe/sandbox/network/detail/traffic_ledger.hpp"

namespace troupe {

namespace {

constexpr auto others = "(others)";

} // namespace

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
    auto& to = result[destination];
    to.allowed = counter->allowed;
    to.refused = counter->refused;
    to.bytes_sent = counter->bytes_sent;
    to.bytes_received = counter->bytes_received;
  }
  return result;
}

} // namespace troupe
