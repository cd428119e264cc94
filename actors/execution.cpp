#include "troupe/actors/execution.hpp"

#include "troupe/runtime/co/failure.hpp"

#include "caf/scoped_actor.hpp"
#include "caf/send.hpp"

#include <algorithm>
#include <chrono>
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

  reader(const reader&) = delete;
  reader& operator=(const reader&) = delete;

  ~reader() {
    // A run that is full of events would wait for their reader.
    self_->request(handle_.run, caf::infinite, pull_run_events{true});
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

  /// The run itself looks at the clock: of one that has ended the object is
  /// there at once.
  std::optional<run_object> wait(caf::timespan limit) {
    auto result = std::optional<run_object>{};
    auto failed = caf::error{};
    self_->request(handle_.run, caf::infinite, await_run{limit})
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

class interjection_ticket::question {
public:
  question(caf::actor_system& system, const run_actor& run, interject what)
    : self_(system),
      answer_(self_->request(run, caf::infinite, std::move(what))) {
    // From here on it is in the mailbox of the run.
  }

  interjection_outcome wait() {
    if (!is_known_)
      std::move(answer_).receive(
        [&](const interjection_end& x) { outcome_ = x.outcome; },
        [&](caf::error& x) { failed_ = std::move(x); });
    is_known_ = true;
    if (failed_)
      throw co::failure{failed_};
    return outcome_;
  }

  bool is_there_within(caf::timespan limit) {
    // No clock overflows.
    constexpr auto longest = caf::timespan{std::chrono::hours{24 * 365}};
    auto end = std::chrono::high_resolution_clock::now()
               + std::min(limit, longest);
    return is_known_ || self_->await_data(end);
  }

private:
  caf::scoped_actor self_;
  decltype(std::declval<caf::scoped_actor&>()->request(
    std::declval<const run_actor&>(), caf::infinite,
    std::declval<interject>())) answer_;
  bool is_known_ = false;
  interjection_outcome outcome_ = interjection_outcome::delivered;
  caf::error failed_;
};

interjection_ticket::interjection_ticket(caf::actor_system& system,
                                         const run_actor& run, interject what)
  : question_(std::make_unique<question>(system, run, std::move(what))) {
  // nop
}

interjection_ticket::interjection_ticket(interjection_ticket&& other) noexcept
  = default;
interjection_ticket&
interjection_ticket::operator=(interjection_ticket&& other) noexcept
  = default;
interjection_ticket::~interjection_ticket() = default;

interjection_outcome interjection_ticket::wait() {
  return question_->wait();
}

bool interjection_ticket::is_known_within(caf::timespan limit) const {
  return question_->is_there_within(limit);
}

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
  return {reader_->system(),
          reader_->handle().run,
          {std::move(text), std::move(blocks), {}}};
}

run_object execution::wait() {
  return *reader_->wait(await_run::forever);
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
