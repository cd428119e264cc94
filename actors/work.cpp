#include "troupe/actors/work.hpp"

#include "caf/scoped_actor.hpp"
#include "caf/send.hpp"

#include <utility>

namespace troupe {

work::work(caf::actor_system& system, run_worker_actor worker)
  : system_(&system),
    worker_(std::move(worker)) {
  // nop
}

void work::wait() {
  caf::scoped_actor self{*system_};
  auto ignore = [](const caf::error&) {
    // One that has died has ended.
  };
  self->request(worker_, caf::infinite, await_run{})
    .receive([](done) {}, ignore);
}

void work::stop() {
  caf::anon_send(worker_, end_work{});
}

} // namespace troupe
