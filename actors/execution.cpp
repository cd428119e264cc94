#include "troupe/actors/execution.hpp"

#include "troupe/runtime/co/failure.hpp"

#include "caf/event_based_actor.hpp"
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

  caf::actor_system& system() {
    return self_->system();
  }

  template <class Limit>
  std::optional<run_object> wait(Limit limit) {
    auto result = std::optional<run_object>{};
    auto failed = caf::error{};
    self_->request(handle_.run, limit, await_run{})
      .receive([&](run_object& x) { result = std::move(x); },
               [&](caf::error& x) { failed = std::move(x); });
    if (failed && failed != caf::sec::request_timeout)
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

class event_reader::feed {
public:
  feed(caf::actor_system& system, run_actor run, uint64_t after)
    : self_(system),
      run_(std::move(run)),
      request_{after, 0} {
    // nop
  }

  std::optional<run_event> next() {
    while (events_.empty() && !is_done_)
      fetch();
    if (events_.empty())
      return std::nullopt;
    auto result = std::optional{*events_.front()};
    events_.pop_front();
    return result;
  }

private:
  void fetch() {
    auto failed = caf::error{};
    auto take = [this](followed_run_events& batch) {
      is_done_ = batch.done;
      request_.position = batch.position;
      for (auto& event : batch.events) {
        if (event->seq > 0)
          request_.after = event->seq;
        events_.push_back(std::move(event));
      }
    };
    self_->request(run_, caf::infinite, request_)
      .receive(take, [&](caf::error& x) { failed = std::move(x); });
    if (failed)
      throw co::failure{std::move(failed)};
  }

  caf::scoped_actor self_;
  run_actor run_;
  follow_run_events request_;
  std::deque<shared<run_event>> events_;
  bool is_done_ = false;
};

event_reader::event_reader(caf::actor_system& system, run_actor run,
                           uint64_t after)
  : feed_(std::make_unique<feed>(system, std::move(run), after)) {
  // nop
}

event_reader::event_reader(event_reader&& other) noexcept = default;
event_reader& event_reader::operator=(event_reader&& other) noexcept = default;
event_reader::~event_reader() = default;

std::optional<run_event> event_reader::next() {
  return feed_->next();
}

namespace {

using outcome_promise = std::promise<interjection_outcome>;

/// Asks for a thread that does not wait yet.
void ask_to_hear(caf::event_based_actor* self, const run_actor& run,
                 interject what, const std::shared_ptr<outcome_promise>& out) {
  auto succeed = [out](const interjection_end& end) {
    out->set_value(end.outcome);
  };
  auto fail = [out](caf::error& why) {
    out->set_exception(std::make_exception_ptr(co::failure{std::move(why)}));
  };
  self->request(run, caf::infinite, std::move(what)).then(succeed, fail);
}

} // namespace

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

event_reader execution::follow(uint64_t after) const {
  return {reader_->system(), reader_->handle().run, after};
}

interjection_ticket
execution::interject(std::string text,
                     std::vector<content_block> blocks) const {
  auto promise = std::make_shared<outcome_promise>();
  auto result = interjection_ticket{promise->get_future()};
  auto what = troupe::interject{std::move(text), std::move(blocks), {}};
  auto body = [run = reader_->handle().run, what = std::move(what),
               promise](caf::event_based_actor* self) {
    ask_to_hear(self, run, what, promise);
  };
  reader_->system().spawn(std::move(body));
  return result;
}

run_object execution::wait() {
  return *reader_->wait(caf::infinite);
}

std::optional<run_object> execution::wait(caf::timespan limit) {
  return reader_->wait(limit);
}

run_object execution::close() {
  cancel("closed");
  return wait();
}

const run_actor& execution::actor() const noexcept {
  return reader_->handle().run;
}

} // namespace troupe
