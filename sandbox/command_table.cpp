#include "troupe/sandbox/command_table.hpp"

#include "troupe/sandbox/process_session.hpp"

#include <future>
#include <utility>

namespace troupe {

command_table::command_table(boost::asio::io_context& loop) : loop_(loop) {
  // nop
}

void command_table::start(process_runner::process_id id,
                          std::shared_ptr<warden_seat> seat, process_spec spec,
                          process_done done) {
  auto callback = std::make_shared<process_done>(std::move(done));
  auto session = std::make_shared<process_session>(
    loop_, std::move(seat), std::move(spec),
    [self = shared_from_this(), id, callback](auto result) {
      (*callback)(std::move(result));
      self->remove(id);
    });
  sessions_.emplace(id, session);
  if (auto failed = session->start()) {
    (*callback)(std::move(failed));
    remove(id);
  }
}

void command_table::signal(process_runner::process_id id, int number) {
  auto found = sessions_.find(id);
  if (found != sessions_.end())
    found->second->signal(number);
}

void command_table::terminate(process_runner::process_id id) {
  auto found = sessions_.find(id);
  if (found != sessions_.end())
    found->second->terminate();
}

void command_table::kill_all() {
  for (const auto& [id, session] : sessions_)
    session->kill();
}

void command_table::when_empty(std::function<void()> f) {
  if (sessions_.empty())
    f();
  else
    waiting_.push_back(std::move(f));
}

size_t command_table::size() const noexcept {
  return sessions_.size();
}

void command_table::remove(process_runner::process_id id) {
  sessions_.erase(id);
  if (!sessions_.empty())
    return;
  for (auto& f : std::exchange(waiting_, {}))
    f();
}

void end_on(process_thread& thread,
            const std::function<void(std::function<void()> ended)>& end) {
  if (thread.is_current())
    return end([] {});
  auto done = std::make_shared<std::promise<void>>();
  auto ended = done->get_future();
  thread.post([&end, done] { end([done] { done->set_value(); }); });
  ended.wait();
}

} // namespace troupe
