#include "troupe/sandbox/artifact_store.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/workspace_path.hpp"

#include <array>
#include <climits>
#include <cstdio>
#include <random>
#include <set>
#include <utility>

namespace troupe {

namespace {

constexpr auto named_path = "workspace://artifacts/";

// Folders of other runs may lie beside ours.
std::string make_prefix() {
  auto random = std::random_device{};
  auto text = std::array<char, 16>{};
  std::snprintf(text.data(), text.size(), "%08x-", random());
  return text.data();
}

caf::error check_name(const std::string& name, std::set<std::string>& taken) {
  auto path = parse_workspace_path(name);
  if (!path)
    return std::move(path.error());
  if (name.empty() || name.size() > NAME_MAX || path->name != "root"
      || path->relative != name || name.find('/') != std::string::npos
      || name.front() == '.')
    return make_error(errc::tool,
                      in_quotes(name)
                        + " cannot name an artifact: the plain name "
                          "of a file can");
  if (!taken.insert(name).second)
    return make_error(errc::tool,
                      "two artifacts are called " + in_quotes(name));
  return {};
}

caf::error over(const std::string& what, uint64_t most,
                const std::string& key) {
  return make_error(errc::limit,
                    what + " more than the " + std::to_string(most)
                      + " of sandbox.artifacts." + key,
                    "sandbox.artifacts." + key);
}

} // namespace

artifact_place::~artifact_place() {
  // nop
}

artifact_store::artifact_store(std::unique_ptr<artifact_place> place,
                               artifact_limits limits)
  : place_(std::move(place)),
    limits_(limits),
    prefix_(make_prefix()) {
  // nop
}

caf::expected<stored_artifacts>
artifact_store::store(const store_artifacts& x) {
  if (auto failed = check(x))
    return failed;
  auto folder = prefix_ + std::to_string(operations_ + 1);
  auto result = stored_artifacts{};
  if (x.files.empty())
    return result;
  if (auto failed = place_->put(folder, x.files))
    return failed;
  ++operations_;
  for (const auto& one : x.files) {
    result.paths.push_back(named_path + folder + "/" + one.name);
    bytes_ += one.content.size();
    if (!x.message.empty())
      messages_[x.message] += one.content.size();
  }
  files_ += x.files.size();
  return result;
}

caf::error artifact_store::check(const store_artifacts& x) const {
  auto names = std::set<std::string>{};
  auto bytes = uint64_t{0};
  for (const auto& one : x.files) {
    if (auto failed = check_name(one.name, names))
      return failed;
    if (one.content.size() > limits_.file)
      return over("the artifact " + in_quotes(one.name) + " has "
                    + std::to_string(one.content.size()) + " bytes,",
                  limits_.file, "file");
    bytes += one.content.size();
  }
  auto earlier = messages_.find(x.message);
  auto of_message = earlier == messages_.end() ? bytes
                                               : bytes + earlier->second;
  if (of_message > limits_.message)
    return over("the artifacts of one message would have "
                  + std::to_string(of_message) + " bytes,",
                limits_.message, "message");
  if (bytes_ + bytes > limits_.run)
    return over("the artifacts of this run would have "
                  + std::to_string(bytes_ + bytes) + " bytes,",
                limits_.run, "run");
  if (files_ + x.files.size() > limits_.files)
    return over("this run would have " + std::to_string(files_ + x.files.size())
                  + " artifacts,",
                limits_.files, "files");
  return {};
}

} // namespace troupe
