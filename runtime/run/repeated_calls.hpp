#pragma once

#include "troupe/runtime/messages/chat_message.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace troupe {

/// How often a call may have the same result before its model is told, and
/// before its run is ended.
inline constexpr auto repeats_to_note = uint32_t{3};
inline constexpr auto most_repeats = uint32_t{5};

/// A call that had the same result before.
struct repeated_call {
  std::string tool;
  /// How often by now; 0: nothing was repeated.
  uint32_t count = 0;
};

/// Counts, in one run of an agent, the calls of one tool with equal arguments
/// and equal results, whatever comes between them. Arguments are equal as JSON
/// values: neither white space nor the order of members counts. Results are
/// equal as texts. A call whose result changes, such as of a tool that polls,
/// is never repeated.
class repeated_calls {
public:
  /// Takes the turns with all results whose answers have a record above both
  /// `after` and that of the last turn taken; gives the call of the last such
  /// turn that was made most often.
  repeated_call take(const std::vector<chat_message_ptr>& messages,
                     uint64_t after);

private:
  uint32_t add(const tool_call& call, const std::string& result);

  /// By the digest of name, arguments and result.
  std::map<std::string, uint32_t> counts_;
  uint64_t last_record_ = 0;
};

} // namespace troupe
