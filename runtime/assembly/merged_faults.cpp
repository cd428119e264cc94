#include "troupe/runtime/assembly/merged_faults.hpp"

#include "troupe/runtime/assembly/assembly_check.hpp"

#include <algorithm>

namespace troupe {

namespace {

/// "FILE" of "FILE:LINE:COLUMN".
std::string file_of(const fault& x) {
  auto end = x.where.size();
  for (auto i = 0; i < 2; ++i) {
    auto digits = x.where.find_last_not_of("0123456789", end - 1);
    if (digits == std::string::npos || digits + 1 == end
        || x.where[digits] != ':')
      return x.where;
    end = digits;
  }
  return x.where.substr(0, end);
}

bool is_within(const std::string& inner, const std::string& outer) {
  return outer.empty()
         || (inner.starts_with(outer)
             && (inner.size() == outer.size() || inner[outer.size()] == '.'
                 || inner[outer.size()] == '['));
}

/// Whether `path` is that of a node or member as a whole.
bool is_participant(const std::string& path) {
  auto name = path.rfind('.');
  if (name == std::string::npos)
    return false;
  auto key = path.rfind('.', name - 1);
  auto begin = key == std::string::npos ? 0 : key + 1;
  auto word = path.substr(begin, name - begin);
  return word == "nodes" || word == "members";
}

bool follows(const fault& meaning, const fault& form) {
  auto its_path = path_of(meaning);
  auto path = path_of(form);
  if (its_path.empty() || path.empty() || file_of(meaning) != file_of(form))
    return false;
  if (is_within(its_path, path))
    return true;
  // A key that nobody knows changes nothing about the edges of a node.
  auto is_unknown_key = form.message.starts_with(path + ": unknown key");
  return is_within(path, its_path)
         && !(is_unknown_key && is_participant(its_path));
}

} // namespace

std::vector<fault> merged_faults(const std::vector<fault>& of_form,
                                 const std::vector<fault>& of_meaning) {
  auto result = of_form;
  for (const auto& one : of_meaning) {
    auto is_same = [&](const fault& x) {
      return x.message == one.message && x.where == one.where;
    };
    auto is_cause = [&](const fault& x) { return follows(one, x); };
    if (std::none_of(of_form.begin(), of_form.end(), is_cause)
        && std::none_of(result.begin(), result.end(), is_same))
      result.push_back(one);
  }
  return result;
}

bool is_among(const std::vector<fault>& all, const std::string& file,
              const std::string& path) {
  return std::any_of(all.begin(), all.end(), [&](const fault& x) {
    return file_of(x) == file && is_within(path_of(x), path);
  });
}

} // namespace troupe
