#pragma once

#include "troupe/sandbox/network/gateway_decision.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace troupe {

/// The counts of one destination while they grow.
struct traffic_counter {
  std::atomic<uint64_t> allowed = 0;
  std::atomic<uint64_t> refused = 0;
  std::atomic<uint64_t> bytes_sent = 0;
  std::atomic<uint64_t> bytes_received = 0;
};

/// The counts of all destinations, of which there is a bounded number: what a
/// process asks for beyond it is counted in one. Thread-safe.
class traffic_ledger {
public:
  /// `expected` are always counted each, whatever else is asked for first.
  explicit traffic_ledger(size_t most,
                          const std::vector<std::string>& expected = {});

  /// A counter, and whether it was made just now.
  struct entry {
    std::shared_ptr<traffic_counter> counter;
    bool is_new = false;
  };

  entry at(const std::string& destination);

  /// Those with something to count.
  std::map<std::string, destination_counts> snapshot() const;

private:
  size_t most_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<traffic_counter>> counters_;
};

} // namespace troupe
