#include "troupe/actors/execution.hpp"

#include "troupe/runtime/co/failure.hpp"

#include "caf/scoped_actor.hpp"
#include "caf/send.hpp"

#include <deque>
#include <utility>

namespace troupe {

class execution::reader {
public:
  reader(caf::actor_system& system, run_handle handle)
    : self_(system),
      handle_(std::move(handle)) {
    // nop
  }

  const run_handle& handle() const noexcept {
    return handle_;
  }

  std::optional<run_event> next() {
    while (events_.empty() && !done_)
      fetch();
    if (events_.empty())
      return std::nullopt;
    auto result = std::optional{std::move(events_.front())};
    events_.pop_front();
    return result;
  }

  run_object wait() {
    auto result = run_object{};
    auto failed = caf::error{};
    self_->request(handle_.run, caf::infinite, await_run{})
      .receive([&](run_object& x) { result = std::move(x); },
               [&](caf::error& x) { failed = std::move(x); });
    if (failed)
      throw co::failure{std::move(failed)};
    return result;
  }

private:
  void fetch() {
    auto take = [this](run_event_batch& batch) {
      done_ = batch.done;
      for (auto& event : batch.events)
        events_.push_back(std::move(event));
    };
    // A run that died has no more to say; `wait` tells why.
    auto stop = [this](const caf::error&) { done_ = true; };
    self_->request(handle_.run, caf::infinite, pull_run_events{})
      .receive(take, stop);
  }

  caf::scoped_actor self_;
  run_handle handle_;
  std::deque<run_event> events_;
  bool done_ = false;
};

execution::execution(caf::actor_system& system, run_handle handle)
  : reader_(std::make_unique<reader>(system, std::move(handle))) {
  // nop
}

execution::execution(execution&& other) noexcept = default;
execution& execution::operator=(execution&& other) noexcept = default;
execution::~execution() = default;

const std::string& execution::run_id() const noexcept {
  return reader_->handle().run_id;
}

const std::string& execution::session_id() const noexcept {
  return reader_->handle().session_id;
}

std::optional<run_event> execution::next() {
  return reader_->next();
}

void execution::cancel(std::string reason) const {
  caf::anon_send(reader_->handle().run, cancel_run{std::move(reason)});
}

run_object execution::wait() {
  return reader_->wait();
}

const run_actor& execution::actor() const noexcept {
  return reader_->handle().run;
}

} // namespace troupe
