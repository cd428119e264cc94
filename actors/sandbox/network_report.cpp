#include "troupe/actors/sandbox/network_report.hpp"

#include "troupe/runtime/json/json_text.hpp"

#include "caf/actor_cast.hpp"
#include "caf/send.hpp"

#include <nlohmann/json.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace troupe {

namespace {

constexpr auto most_decisions = uint32_t{1000};

class run_reporter {
public:
  explicit run_reporter(const run_observer_actor& to)
    : run_(caf::actor_cast<caf::weak_actor_ptr>(to)) {
    // nop
  }

  void decided(const gateway_decision& x) {
    if (told_.fetch_add(1) >= most_decisions)
      return;
    auto reason = std::string{to_string(x.reason)};
    auto data = nlohmann::json{{"destination", sanitize_utf8(x.destination)},
                               {"protocol", to_string(x.protocol)},
                               {"allowed", x.allowed},
                               {"reason", reason}};
    if (!x.detail.empty())
      data["detail"] = sanitize_utf8(x.detail);
    auto line = std::string{};
    if (!x.allowed)
      line = "network: " + sanitize_utf8(x.destination)
             + " refused to a command: " + reason;
    tell("network", std::move(data), std::move(line));
  }

  void ended(const std::map<std::string, destination_counts>& counts) {
    if (counts.empty())
      return;
    auto each = nlohmann::json::object();
    for (const auto& [destination, x] : counts)
      each[sanitize_utf8(destination)] = {{"allowed", x.allowed},
                                          {"refused", x.refused},
                                          {"bytes_sent", x.bytes_sent},
                                          {"bytes_received", x.bytes_received}};
    tell("network_traffic", {{"destinations", std::move(each)}}, {});
  }

private:
  void tell(std::string name, nlohmann::json data, std::string line) {
    data["name"] = name;
    auto run = run_.lock();
    if (run)
      caf::anon_send(caf::actor_cast<run_observer_actor>(run),
                     run_note{std::move(name), dump_json(data),
                              std::move(line)});
  }

  caf::weak_actor_ptr run_;
  std::atomic<uint32_t> told_{0};
};

} // namespace

network_listener report_network(const run_observer_actor& to) {
  if (!to)
    return {};
  auto reporter = std::make_shared<run_reporter>(to);
  return {[reporter](const gateway_decision& x) { reporter->decided(x); },
          [reporter](const auto& counts) { reporter->ended(counts); }};
}

} // namespace troupe
