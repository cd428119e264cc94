#pragma once

#include "troupe/runtime/co/failure.hpp"
#include "troupe/runtime/co/linger.hpp"
#include "troupe/runtime/co/pending_response.hpp"
#include "troupe/runtime/co/root_frame.hpp"
#include "troupe/sandbox/process_runner.hpp"

#include "caf/actor_cast.hpp"
#include "caf/behavior.hpp"
#include "caf/expected.hpp"

#include <coroutine>
#include <memory>
#include <optional>
#include <utility>

namespace troupe {

/// Suspends a coroutine while a command runs. Destroying it ends the command;
/// whoever asked for the coroutine hears of that only when the command's
/// whole tree is gone.
class process_awaiter {
public:
  process_awaiter(caf::scheduled_actor* self,
                  std::shared_ptr<process_runner> runner, process_spec spec)
    : self_(self),
      runner_(std::move(runner)),
      spec_(std::move(spec)) {
    // nop
  }

  process_awaiter(const process_awaiter&) = delete;
  process_awaiter& operator=(const process_awaiter&) = delete;

  ~process_awaiter() {
    if (!waiter_)
      return;
    co::detail::forget_response(self_, id_, false);
    runner_->terminate(process_);
  }

  bool await_ready() const noexcept {
    return false;
  }

  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> caller) {
    waiter_ = co::waiter{caller};
    id_ = co::detail::make_response_id(self_);
    co::detail::expect_response(self_, id_, caf::behavior{[this](bool) {
                                  waiter_.resume(); // may destroy this
                                }});
    waiter_.root()->afterwards().hold();
    auto done = [id = id_, outcome = outcome_,
                 self = caf::actor_cast<caf::strong_actor_ptr>(self_),
                 held = waiter_.root()->lingering()](
                  caf::expected<process_result> result) {
      outcome->emplace(std::move(result));
      co::detail::respond(self, nullptr, id, caf::make_message(true));
      held->release();
    };
    process_ = runner_->start(std::move(spec_), std::move(done));
  }

  process_result await_resume() {
    if (!**outcome_)
      throw co::failure{(*outcome_)->error()};
    return std::move(***outcome_);
  }

private:
  using outcome_type = std::optional<caf::expected<process_result>>;

  caf::scheduled_actor* self_;
  std::shared_ptr<process_runner> runner_;
  process_spec spec_;
  process_runner::process_id process_ = 0;
  std::shared_ptr<outcome_type> outcome_ = std::make_shared<outcome_type>();
  caf::message_id id_;
  co::waiter waiter_;
};

} // namespace troupe
