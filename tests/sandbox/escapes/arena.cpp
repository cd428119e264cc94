#include "sandbox/escapes/arena.hpp"

#include "troupe/sandbox/process_plan.hpp"

#include "sandbox/process_support.hpp"

#include <chrono>
#include <utility>

namespace troupe::test {

arena::arena(const attacked_host& host, bool warm)
  : arena(host, warm, host_parts()) {
  // nop
}

arena::arena(const attacked_host& host, bool warm, bubblewrap_host parts)
  : host_(host),
    warm_(warm),
    parts_(std::move(parts)) {
  // nop
}

arena::place& arena::at(const std::string& changes) {
  if (auto found = places_.find(changes); found != places_.end())
    return found->second;
  auto made = place{host_.policy(changes, warm_), nullptr, nullptr};
  made.where = host_.open(made.policy);
  auto runner = make_bubblewrap_runner(nullptr, parts_, made.where,
                                       made.policy);
  REQUIRE(runner);
  made.runner = std::move(*runner);
  return places_.emplace(changes, std::move(made)).first->second;
}

process_spec arena::shell(const std::string& script,
                          const std::string& changes) {
  auto& there = at(changes);
  auto request = process_request{};
  request.argv = {"/bin/sh", "-c", script};
  request.timeout = std::chrono::seconds{60};
  auto spec = plan_process(request, *there.where, there.policy, {},
                           containment::sandbox);
  REQUIRE(spec);
  for (const auto& [name, value] : host_.variables())
    spec->environment[name] = value;
  return std::move(*spec);
}

process_result arena::run(const std::string& script,
                          const std::string& changes) {
  return run(shell(script, changes), changes);
}

process_result arena::run(process_spec spec, const std::string& changes) {
  auto result = test::run(*at(changes).runner, std::move(spec));
  INFO((result ? std::string{} : caf::to_string(result.error())));
  REQUIRE(result);
  return std::move(*result);
}

} // namespace troupe::test
