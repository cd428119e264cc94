#include "troupe/runtime/assembly/swarm_check.hpp"

#include "troupe/runtime/assembly/graph_ways.hpp"
#include "troupe/runtime/assembly/input_check.hpp"

#include <algorithm>
#include <string>

namespace troupe {

namespace {

class swarm_checker {
public:
  explicit swarm_checker(const swarm_settings& x) : x_(x) {
    for (const auto& [name, member] : x.members)
      names_.push_back(name);
  }

  std::vector<fault> run() {
    check_member(x_.start, "start");
    for (const auto& [from, targets] : x_.handoffs) {
      auto path = "handoffs." + from;
      check_member(from, path);
      for (const auto& to : targets)
        check_member(to, path);
      if (std::count(targets.begin(), targets.end(), from) > 0)
        wrong_.add(path, "\"" + from + "\" hands over to itself");
    }
    auto all_are_known = wrong_.size() == 0;
    auto back = successor_map{};
    for (const auto& [from, targets] : x_.handoffs)
      for (const auto& to : targets)
        back[to].insert(from);
    for (const auto& [name, member] : x_.members)
      if (member.input)
        check_input(*member.input, "members." + name + ".input",
                    {"member", names_,
                     all_are_known ? reached_from(back, name)
                                   : name_set{names_.begin(), names_.end()}},
                    wrong_);
    return wrong_.take();
  }

private:
  void check_member(const std::string& name, const std::string& path) {
    if (!x_.members.contains(name))
      wrong_.add(path, "there is no member \"" + name + "\"",
                 hint_for(name, names_));
  }

  const swarm_settings& x_;
  std::vector<std::string> names_;
  assembly_faults wrong_;
};

} // namespace

std::vector<fault> check_swarm(const swarm_settings& x) {
  return swarm_checker{x}.run();
}

} // namespace troupe
