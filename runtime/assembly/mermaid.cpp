#include "troupe/runtime/assembly/mermaid.hpp"

#include "troupe/runtime/assembly/output_condition.hpp"

#include <map>
#include <utility>
#include <vector>

namespace troupe {

namespace {

// In a quoted label entities stand for what would end it or be markup.
std::string label(const std::string& text) {
  auto result = std::string{"\""};
  for (auto c : text)
    switch (c) {
      case '"':
        result += "#quot;";
        break;
      case '#':
        result += "#35;";
        break;
      case '<':
        result += "#lt;";
        break;
      case '>':
        result += "#gt;";
        break;
      case '`':
        result += "#96;";
        break;
      case '\n':
      case '\r':
        result += ' ';
        break;
      default:
        result += c;
    }
  return result + '"';
}

std::string text_of(const condition_settings& x) {
  auto condition = output_condition::make(x);
  return condition ? condition->text() : x.node;
}

using name_list = std::vector<std::string>;

class chart {
public:
  void draw(const assembly_settings& x) {
    out_ += "flowchart TD\n";
    draw_parts(x);
  }

  std::string take() {
    return std::move(out_);
  }

private:
  void line(const std::string& text) {
    out_ += std::string(2 * (depth_ + 1), ' ') + text + '\n';
  }

  std::string new_id() {
    return "n" + std::to_string(++ids_);
  }

  void draw_parts(const assembly_settings& x) {
    if (const auto* graph = std::get_if<graph_settings>(&x.what))
      draw_graph(*graph);
    else if (const auto* swarm = std::get_if<swarm_settings>(&x.what))
      draw_swarm(*swarm);
    else
      draw_steps(std::get<workflow_file_settings>(x.what).steps, {});
  }

  /// A node, or a subgraph where the participant is an assembly; its id.
  std::string draw_participant(const std::string& name,
                               const participant_settings& x) {
    auto id = new_id();
    const auto* inner = x.definition
                          ? std::get_if<assembly_settings>(&x.definition->what)
                          : nullptr;
    if (inner == nullptr) {
      line(id + "[" + label(name) + "]");
      return id;
    }
    line("subgraph " + id + " [" + label(name) + "]");
    ++depth_;
    draw_parts(*inner);
    --depth_;
    line("end");
    return id;
  }

  void connect(const std::string& from, const std::string& to,
               const std::string& text = {}, bool is_dotted = false) {
    auto arrow = std::string{is_dotted ? "-.->" : "-->"};
    if (!text.empty())
      arrow += "|" + label(text) + "|";
    line(from + " " + arrow + " " + to);
  }

  void draw_graph(const graph_settings& x) {
    auto ids = std::map<std::string, std::string>{};
    for (const auto& [name, node] : x.nodes)
      ids[name] = draw_participant(name, node);
    auto begin = new_id();
    auto end = new_id();
    line(begin + "((start))");
    line(end + "((finish))");
    connect(begin, ids[x.start]);
    for (const auto& edge : x.edges)
      for (const auto& from : edge.from)
        draw_edge(edge, ids[from], ids[edge.to]);
    connect(ids[x.finish], end);
  }

  void draw_edge(const edge_settings& edge, const std::string& from,
                 const std::string& to) {
    auto text = edge.when ? text_of(*edge.when) : std::string{};
    for (const auto& kind : edge.on_error.value_or(name_list{}))
      text += (text.empty() ? "on error: " : ", ") + kind;
    connect(from, to, text, edge.on_error.has_value());
  }

  void draw_swarm(const swarm_settings& x) {
    auto ids = std::map<std::string, std::string>{};
    for (const auto& [name, member] : x.members)
      ids[name] = draw_participant(name, member);
    auto begin = new_id();
    line(begin + "((start))");
    connect(begin, ids[x.start]);
    for (const auto& [from, targets] : x.handoffs)
      for (const auto& to : targets)
        connect(ids[from], ids[to], "handoff", true);
  }

  /// Draws steps behind `before`; the ids that come last.
  name_list draw_steps(const std::vector<workflow_step_settings>& steps,
                       name_list before, const std::string& text = {}) {
    auto first = text;
    for (const auto& step : steps) {
      before = draw_step(step, std::move(before), first);
      first.clear();
    }
    return before;
  }

  name_list draw_step(const workflow_step_settings& step, name_list before,
                      const std::string& text) {
    if (const auto* x = std::get_if<invoke_step_settings>(&step.what)) {
      auto id = draw_participant(x->as, x->participant);
      for (const auto& from : before)
        connect(from, id, text);
      return {id};
    }
    if (const auto* x = std::get_if<parallel_step_settings>(&step.what)) {
      auto result = name_list{};
      for (const auto& one : x->steps)
        for (auto& last : draw_step(one, before, text))
          result.push_back(std::move(last));
      return result;
    }
    return draw_branch(std::get<branch_step_settings>(step.what),
                       std::move(before), text);
  }

  name_list draw_branch(const branch_step_settings& x, name_list before,
                        const std::string& text) {
    auto id = new_id();
    line(id + "{" + label(text_of(x.when)) + "}");
    for (const auto& from : before)
      connect(from, id, text);
    auto result = draw_steps(x.then_steps, {id}, "yes");
    for (auto& last : draw_steps(x.else_steps, {id}, "no"))
      result.push_back(std::move(last));
    return result;
  }

  std::string out_;
  size_t depth_ = 0;
  int ids_ = 0;
};

} // namespace

std::string to_mermaid(const assembly_settings& x) {
  auto result = chart{};
  result.draw(x);
  return result.take();
}

} // namespace troupe
