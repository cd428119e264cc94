#include "troupe/runtime/run/call_decisions.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/runtime/model/cbor_fields.hpp"
#include "troupe/sandbox/sha256.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

// On disk: a key is never used again for something else.
template <class F>
void stored_fields(F& f, stored_decision& x) {
  f("i", x.call_id);
  f("m", x.record);
  f("d", x.digest);
  f("a", x.approve);
  f("r", x.reason);
  f("s", x.session_id);
}

namespace {

/// The step that a call belongs to, with a slash behind it; empty for the run's
/// own agent. Its conversation is called "RUN_ID/STEP".
std::string step_of(const pending_approval& x) {
  auto slash = x.session_id.find('/');
  return slash == std::string::npos ? "" : x.session_id.substr(slash + 1) + "/";
}

std::string names_of(const run_suspension& waiting) {
  auto result = std::string{};
  for (const auto& one : waiting.approvals)
    result += (result.empty() ? "" : ", ") + name_of(waiting, one) + " ("
              + one.call.name + ")";
  return result.empty() ? "there is none" : result;
}

caf::expected<const pending_approval*>
find_call(const call_decision& said, const run_suspension& waiting) {
  const auto& all = waiting.approvals;
  if (said.call_id.empty() && all.size() == 1)
    return &all.front();
  if (said.call_id.empty())
    return make_error(errc::configuration,
                      all.empty() ? "the run waits for no decision"
                                  : "the run waits for several decisions",
                      "--call", "name one call: " + names_of(waiting));
  const pending_approval* found = nullptr;
  for (const auto& one : all) {
    if (step_of(one) + one.call.id == said.call_id)
      return &one;
    if (one.call.id != said.call_id)
      continue;
    if (found != nullptr)
      return make_error(errc::configuration,
                        "the run waits for several calls \"" + said.call_id
                          + "\"",
                        "--call", "name one call: " + names_of(waiting));
    found = &one;
  }
  if (found == nullptr)
    return make_error(errc::configuration,
                      "the run waits for no call \"" + said.call_id + "\"",
                      "--call", "those that wait: " + names_of(waiting));
  return found;
}

} // namespace

std::string name_of(const run_suspension& waiting, const pending_approval& x) {
  const auto& all = waiting.approvals;
  auto same = std::count_if(all.begin(), all.end(), [&](const auto& one) {
    return one.call.id == x.call.id;
  });
  return same > 1 ? step_of(x) + x.call.id : x.call.id;
}

std::string digest_of(const tool_call& call) {
  auto result = sha256_of(call.name + '\0' + call.arguments);
  return result ? std::move(*result) : std::string{};
}

run_value make_decision_value(const stored_decision& decision, int64_t at) {
  auto place = decision.session_id.empty() ? "" : decision.session_id + "/";
  return {"decision/" + place + decision.call_id, at, encode_fields(decision)};
}

caf::expected<stored_decision> read_decision(const run_value& value) {
  return decode_fields<stored_decision>(value.body);
}

caf::expected<std::vector<stored_decision>>
bind_decisions(const std::vector<call_decision>& said,
               const run_suspension& waiting) {
  auto result = std::vector<stored_decision>{};
  for (const auto& one : said) {
    auto found = find_call(one, waiting);
    if (!found)
      return std::move(found.error());
    const auto& call = **found;
    result.push_back({call.call.id, call.record, call.digest, one.approve,
                      one.reason, call.session_id, true});
  }
  return result;
}

} // namespace troupe
