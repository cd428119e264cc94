#include "troupe/actors/app/run_tree.hpp"

#include "troupe/runtime/run/trajectory.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <map>
#include <utility>

namespace troupe::app {

namespace {

// Names are the application's, and a stored one may be anything.
constexpr auto deepest = 20;

/// "12ms", "3.40s", "5m02s".
std::string readable(caf::timespan time) {
  using namespace std::chrono;
  auto millis = duration_cast<milliseconds>(time).count();
  char buffer[64];
  if (millis < 1000)
    std::snprintf(buffer, sizeof(buffer), "%lldms",
                  static_cast<long long>(millis));
  else if (millis < 60'000)
    std::snprintf(buffer, sizeof(buffer), "%.2fs",
                  static_cast<double>(millis) / 1000);
  else
    std::snprintf(buffer, sizeof(buffer), "%lldm%02llds",
                  static_cast<long long>(millis / 60'000),
                  static_cast<long long>(millis / 1000 % 60));
  return buffer;
}

/// What contains a step; empty for one that stands at the top.
std::string parent_of(const std::string& path) {
  auto slash = path.rfind('/');
  if (slash == std::string::npos
      || std::count(path.begin(), path.end(), '/') > deepest)
    return {};
  return path.substr(0, slash);
}

class tree_writer {
public:
  tree_writer(const run_object& run, int64_t now) : run_(run), now_(now) {
    for (const auto& step : run.steps)
      place(step.name, &step);
    for (const auto& one : run.transitions)
      if (!one.from.empty() && one.from != parent_of(one.to))
        before_[one.to].push_back(&one.from);
  }

  std::vector<std::string> write() {
    // An agent's own step has no name; those that work for it stand beneath.
    auto own = nodes_.find({});
    auto has_own = own != nodes_.end() && own->second.step != nullptr;
    if (has_own)
      write_node(own->first, own->second, 0);
    write_children({}, has_own ? 1 : 0);
    leave_out(run_.steps_left_out, "steps");
    leave_out(run_.transitions_left_out, "transitions");
    return std::move(lines_);
  }

private:
  struct node {
    const run_step* step = nullptr;
    std::vector<std::string> children;
  };

  /// Puts a step where its name says, beneath what is not one itself, such as
  /// a checkpoint, too.
  void place(const std::string& path, const run_step* step) {
    auto [found, is_new] = nodes_.emplace(path, node{});
    if (step != nullptr)
      found->second.step = step;
    if (!is_new || path.empty())
      return;
    auto parent = parent_of(path);
    place(parent, nullptr);
    nodes_.at(parent).children.push_back(path);
  }

  void write_children(const std::string& path, size_t depth) {
    for (const auto& child : nodes_[path].children) {
      const auto& one = nodes_.at(child);
      write_node(child, one, depth);
      write_children(child, depth + 1);
    }
  }

  void write_node(const std::string& path, const node& x, size_t depth) {
    auto line = std::string(2 * depth, ' ');
    auto slash = path.rfind('/');
    line += slash == std::string::npos ? path : path.substr(slash + 1);
    if (x.step != nullptr)
      line += text_of(path, *x.step, !x.children.empty());
    lines_.push_back(std::move(line));
  }

  std::string text_of(const std::string& path, const run_step& step,
                      bool is_outer) {
    auto result = path.empty() ? step.participant : std::string{};
    result += "  " + to_string(step.status);
    result += "  " + readable(total_time(run_, step.name, now_));
    if (is_outer && !path.empty())
      result += " (own " + readable(own_time(run_, step.name, now_)) + ")";
    if (!step.error_kind.empty())
      result += "  " + step.error_kind;
    auto separator = std::string{"  after "};
    for (const auto* from : before_[path]) {
      result += separator + *from;
      separator = ", ";
    }
    return result;
  }

  void leave_out(uint64_t count, const std::string& what) {
    if (count > 0)
      lines_.push_back(std::to_string(count) + " more " + what
                       + " were not kept");
  }

  const run_object& run_;
  int64_t now_ = 0;
  std::map<std::string, node> nodes_;
  /// What led to a step, unless it is what contains it.
  std::map<std::string, std::vector<const std::string*>> before_;
  std::vector<std::string> lines_;
};

} // namespace

std::vector<std::string> run_tree(const run_object& run, int64_t now) {
  return tree_writer{run, now}.write();
}

} // namespace troupe::app
