#include "troupe/runtime/messages/register.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/runtime/co/quiet_scheduler.hpp"
#include "troupe/runtime/messages/type_ids.hpp"

#include "caf/actor_system_config.hpp"

namespace troupe {

namespace {

std::string render_error(uint8_t code, caf::atom_value,
                         const caf::message& context) {
  return render(to_fault(caf::error{code, caf::atom("troupe"), context}));
}

} // namespace

void register_messages(caf::actor_system_config& config) {
  config.add_message_types<caf::id_block::troupe>();
  config.add_error_category(caf::atom("troupe"), render_error);
  co::use_quiet_scheduler(config);
}

} // namespace troupe
