#include "troupe/runtime/assembly/input_check.hpp"

#include "troupe/runtime/prompt/template_text.hpp"

#include <algorithm>

namespace troupe {

namespace {

using texts = std::vector<std::string>;

texts parts_of(const std::string& name) {
  auto result = texts{};
  for (auto begin = size_t{0}; begin <= name.size();) {
    auto end = std::min(name.find('.', begin), name.size());
    result.push_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

/// Whether a section's value is a text, in which no name can be found.
bool is_text(const std::string& section) {
  auto parts = parts_of(section);
  return section == "input"
         || (parts.size() == 3 && parts[0] == "results" && parts[2] == "error");
}

std::string quoted(const std::string& x) {
  return "\"" + x + "\"";
}

class name_checker {
public:
  name_checker(const std::string& path, const input_scope& scope,
               assembly_faults& wrong)
    : path_(path),
      scope_(scope),
      wrong_(wrong) {
    // nop
  }

  void check(const std::string& name) {
    auto parts = parts_of(name);
    if (name == "." || !seen_.insert(name).second)
      return;
    if (parts[0] == "results")
      check_result(name, parts);
    else if (parts[0] != "input" && parts[0] != "context")
      fail("it names " + quoted(name)
             + ": there are input, context and results",
           hint_for(parts[0], {"input", "context", "results"}));
  }

private:
  void check_result(const std::string& name, const texts& parts) {
    if (parts.size() < 2)
      return;
    const auto& who = parts[1];
    const auto& known = scope_.known;
    if (std::find(known.begin(), known.end(), who) == known.end())
      fail("it names " + quoted(name) + ": there is no " + scope_.word + " "
             + quoted(who),
           hint_for(who, known));
    else if (!scope_.ended.contains(who))
      fail("it names " + quoted(name) + ": the " + scope_.word + " "
           + quoted(who) + " cannot have ended by then");
    if (parts.size() > 2 && parts[2] != "output" && parts[2] != "error")
      fail("it names " + quoted(name) + ": a result has output or error",
           hint_for(parts[2], {"output", "error"}));
  }

  void fail(const std::string& what, std::string hint = {}) {
    wrong_.add(path_, what, std::move(hint));
  }

  const std::string& path_;
  const input_scope& scope_;
  assembly_faults& wrong_;
  std::set<std::string> seen_;
};

} // namespace

void check_input(const std::string& text, const std::string& path,
                 const input_scope& scope, assembly_faults& wrong) {
  auto compiled = template_text::compile(text);
  if (!compiled) {
    auto why = to_fault(compiled.error());
    wrong.add(path, why.message + ", at " + why.where + " of it");
    return;
  }
  auto checker = name_checker{path, scope, wrong};
  for (const auto& one : compiled->names())
    if (std::all_of(one.inside.begin(), one.inside.end(), is_text))
      checker.check(one.name);
}

} // namespace troupe
