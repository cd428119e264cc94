#include "troupe/actors/tools/builtin/todo_tool.hpp"

#include "troupe/actors/tools/make_tool.hpp"

#include <boost/describe.hpp>

namespace troupe {

namespace {

// The status is the model's own word: models differ in theirs, and no one but
// a reader acts on it.
struct todo {
  std::string text;
  std::string status;
};

BOOST_DESCRIBE_STRUCT(todo, (), (text, status))

struct todo_list {
  std::vector<todo> todos;
};

BOOST_DESCRIBE_STRUCT(todo_list, (), (todos))

todo_list write_todos(tool_context context, todo_list x) {
  context.set_state("troupe.todos", to_json_text(x));
  return x;
}

} // namespace

template <>
struct described_docs<todo> {
  static constexpr member_doc members[] = {
    {"text", "what is to be done"},
    {"status", "pending, in_progress or done"},
  };
};

tool todo_tool() {
  auto spec = tool_spec{};
  spec.name = "write_todos";
  spec.description = "Replaces the list of what is to be done, each with its "
                     "status, to keep track of longer work.";
  spec.recovery = recovery_class::idempotent;
  return make_tool(std::move(spec), write_todos);
}

} // namespace troupe
