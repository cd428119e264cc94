#include "troupe/runtime/co/scope.hpp"

#include "troupe/runtime/co/failure.hpp"

#include "caf/scheduled_actor.hpp"

#include <utility>

namespace troupe::co {

namespace {

/// A root that answers nobody: its failure is its actor's.
class body_root {
public:
  class promise_type : public detail::root_promise {
  public:
    promise_type(scope& owner, frame_key key, caf::scheduled_actor* self,
                 task<void>&) noexcept
      : root_promise(owner, key),
        self_(self) {
      // nop
    }

    body_root get_return_object() noexcept {
      return body_root{
        std::coroutine_handle<promise_type>::from_promise(*this)};
    }

    void unhandled_exception() const noexcept {
      self_->quit(to_error(std::current_exception()));
    }

  private:
    caf::scheduled_actor* self_;
  };

  explicit body_root(std::coroutine_handle<promise_type> frame) noexcept
    : frame_(frame) {
    // nop
  }

  void start() const {
    frame_.promise().resume(frame_);
  }

private:
  std::coroutine_handle<promise_type> frame_;
};

body_root run_body(scope&, frame_key, caf::scheduled_actor*, task<void> body) {
  co_await body;
}

} // namespace

root_frame::~root_frame() {
  if (survived_ != nullptr)
    *survived_ = false;
  if (afterwards_ && !afterwards_->is_over())
    owner_->keep(std::move(afterwards_));
  if (link_ == nullptr)
    return;
  *link_ = next_;
  if (next_ != nullptr)
    next_->link_ = link_;
  --owner_->size_;
}

void root_frame::resume(std::coroutine_handle<> frame) {
  if (link_ == nullptr) { // first run: join the scope
    frame_ = frame;
    next_ = owner_->first_;
    link_ = &owner_->first_;
    if (next_ != nullptr)
      next_->link_ = &next_;
    owner_->first_ = this;
    ++owner_->size_;
  }
  auto survived = true;
  auto* outer = std::exchange(survived_, &survived);
  frame.resume();
  if (!survived) {
    if (outer != nullptr)
      *outer = false;
    return;
  }
  survived_ = outer;
  if (doomed_ && outer == nullptr)
    frame_.destroy();
}

scope::~scope() {
  // An actor that quits inside a coroutine reaches this only after the
  // coroutine has suspended, so nothing runs here.
  while (first_ != nullptr)
    first_->frame_.destroy();
}

void scope::spawn(caf::scheduled_actor* self, frame_key key, task<void> body) {
  run_body(*this, key, self, std::move(body)).start();
}

template <class Matches>
std::size_t scope::destroy_where(Matches matches) {
  auto count = std::size_t{0};
  auto i = first_;
  while (i != nullptr) {
    if (!matches(*i) || i->doomed_) {
      i = i->next_;
      continue;
    }
    ++count;
    i->doomed_ = true;
    if (i->survived_ != nullptr) { // runs right now: see root_frame::resume
      i = i->next_;
      continue;
    }
    i->frame_.destroy();
    i = first_; // a destructor may have ended other roots
  }
  return count;
}

std::size_t scope::cancel(frame_key key) {
  return destroy_where([key](const root_frame& x) { return x.key_ == key; });
}

std::vector<linger_ptr> scope::cancel_others() {
  destroy_where([](const root_frame& x) { return x.survived_ == nullptr; });
  return std::exchange(lingering_, {});
}

void scope::keep(linger_ptr what) {
  std::erase_if(lingering_, [](const linger_ptr& x) { return x->is_over(); });
  lingering_.push_back(std::move(what));
}

} // namespace troupe::co
