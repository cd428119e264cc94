#include "troupe/storage/session_store.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/config/settings.hpp"

#include <algorithm>
#include <cstddef>

namespace troupe {

namespace {

constexpr size_t longest_name = size_t{64} << 10;
constexpr size_t largest_body = size_t{1} << 30;

caf::error check_record(const session_record& record) {
  if (record.body.size() > largest_body)
    return make_error(errc::storage, "a record is larger than 1GiB");
  if (!is_known(record.kind))
    return make_error(errc::storage, "a record is of no known kind");
  return {};
}

} // namespace

caf::error check_append(const std::vector<session_append>& batch) {
  for (const auto& [key, records] : batch) {
    auto longest = std::max(
      {key.agent.size(), key.session_id.size(), key.actor_id.size()});
    if (longest > longest_name)
      return make_error(errc::storage, "a session's name is over 64KiB", {},
                        "use shorter agent, session and actor ids");
    for (const auto& record : records)
      if (auto why = check_record(record))
        return why;
  }
  return {};
}

session_store::~session_store() {
  // nop
}

caf::expected<std::unique_ptr<session_store>>
make_session_store(const storage_settings& settings) {
  if (settings.in_memory)
    return make_memory_session_store();
  return make_lmdb_session_store(settings);
}

} // namespace troupe
