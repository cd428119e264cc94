#pragma once

#include "troupe/config/assembly_settings.hpp"
#include "troupe/config/errc.hpp"
#include "troupe/runtime/assembly/output_condition.hpp"

#include "caf/expected.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace troupe {

/// Where a graph goes on: to one node, or to several at once that come together
/// at `join`.
struct graph_route {
  struct target {
    std::string node;
    /// The template of the edge, where it has one.
    std::optional<std::string> input;
    input_mapper map;
    /// Which edge leads here: its number, and the node it comes from.
    size_t edge = 0;
    std::string from;
  };

  std::vector<target> targets;
  /// Empty for a single target.
  std::string join;
};

/// The edges of a graph, checked as a whole. Immutable; any thread.
///
/// After a node has answered, of its edges with conditions at most one may
/// match; then it is taken. Where none does, the edges without a condition are:
/// one leads on, several start a parallel group. A group comes together at the
/// first node that all of its ways lead to (the immediate common
/// post-dominator), which an edge from several nodes names and which otherwise
/// follows from the edges. A node that fails takes the edge for its kind of
/// error.
class graph_plan {
public:
  /// Every fault of the graph is in the error.
  static caf::expected<graph_plan> make(const graph_settings& x);

  const std::string& start() const noexcept {
    return start_;
  }

  const std::string& finish() const noexcept {
    return finish_;
  }

  /// Where to go after `node`, which has answered. Error: routing (several
  /// conditions match, or none and there is no other way).
  caf::expected<graph_route> after(const std::string& node,
                                   const assembly_record& so_far) const;

  /// Where to go after `node`, which failed; nothing where no edge is for that
  /// kind. Error: routing (several are).
  caf::expected<std::optional<graph_route::target>>
  after_error(const std::string& node, errc kind) const;

  /// The way into `node`, where the ways `taken` come together, with the input
  /// that their edges say: an edge that waits for several says more than one
  /// from a single node. Error: routing (they say different ones).
  caf::expected<graph_route::target>
  join(const std::string& node,
       const std::vector<graph_route::target>& taken) const;

private:
  graph_route::target way_along(size_t edge, const std::string& from) const;

  struct planned_edge {
    edge_settings settings;
    std::optional<output_condition> when;
  };

  std::string start_;
  std::string finish_;
  std::vector<planned_edge> edges_;
  /// Node -> where its parallel group comes together.
  std::map<std::string, std::string> joins_;
};

/// Whether an error of `kind` is one of `words`, such as "provider" or
/// "timeout".
bool is_kind_among(errc kind, const std::vector<std::string>& words);

} // namespace troupe
