// What does this compiler make of a co_await? Runs each form to its end, then
// once more destroyed while it is suspended, and prints one line for it. Fails
// when compiler_faults.hpp thinks otherwise of this compiler. Named .cc so that
// the source rules, which keep these forms out of the tree, do not read it.
#include "troupe/runtime/co/compiler_faults.hpp"
#include "troupe/runtime/co/task.hpp"

#include <coroutine>
#include <cstdio>
#include <exception>
#include <functional>
#include <set>
#include <utility>

namespace {

using troupe::co::task;

/// Knows all its live copies, so that one destroyed twice is noticed.
class tracked {
public:
  tracked() {
    live().insert(this);
  }

  tracked(const tracked&) : tracked() {
    // nop
  }

  tracked(tracked&&) noexcept : tracked() {
    // nop
  }

  ~tracked() {
    if (live().erase(this) == 0)
      ++twice();
  }

  static std::set<const tracked*>& live() {
    static std::set<const tracked*> result;
    return result;
  }

  static int& twice() {
    static int result = 0;
    return result;
  }
};

struct aggregate {
  tracked first;
  int number;
};

struct constructed {
  explicit constructed(int n) : number(n) {
    // nop
  }

  tracked first;
  int number;
};

std::coroutine_handle<> parked;
int awaits = 0;

/// Suspends until `run` resumes it.
class park {
public:
  park() noexcept = default;

  bool await_ready() const noexcept {
    return false;
  }

  void await_suspend(std::coroutine_handle<> frame) const noexcept {
    parked = frame;
  }

  void await_resume() const noexcept {
    // nop
  }
};

task<int> give(int x) {
  ++awaits;
  co_await park{};
  co_return x;
}

template <class T>
task<int> take(T x) {
  co_await park{};
  co_return x.number;
}

template <class T>
task<int> take_reference(const T& x) {
  co_await park{};
  co_return x.number;
}

task<int> call(std::function<int()> f) {
  co_await park{};
  co_return f();
}

/// A coroutine with one form in it, and what it must come to.
struct form {
  const char* text;
  task<int> (*start)();
  int result;
  int awaits = -1;
};

// clang-format off
#define FORM(name, ...) task<int> name() { __VA_ARGS__ } \
  const char* const name##_text = #__VA_ARGS__;

// In a condition, in a coroutine without local variables.
FORM(in_if, if (co_await give(1)) co_return 7; co_return 8;)
FORM(in_while, while (co_await give(1) != 1) {} co_return 3;)
FORM(in_do, do {} while (co_await give(1) != 1); co_return 3;)
FORM(in_switch, switch (co_await give(1)) { case 1: co_return 5; default: co_return 6; })
// In one arm of an expression.
FORM(in_arm, co_return awaits == 0 ? co_await give(1) : co_await give(2);)
FORM(after_and, co_return awaits != 0 && co_await give(1);)
FORM(after_or, co_return awaits == 0 || co_await give(1);)
// Beside an aggregate or a lambda.
FORM(with_aggregate, co_return co_await take(aggregate{{}, 4});)
FORM(with_reference, co_return co_await take_reference(aggregate{{}, 4});)
FORM(with_lambda, tracked x; co_return co_await call([x] { return 4; });)
FORM(in_aggregate, auto x = aggregate{{}, co_await give(4)}; co_return x.number;)
// What the house rule allows: name it, await it, then test it.
FORM(with_class, co_return co_await take(constructed{4});)
FORM(with_name, auto x = aggregate{{}, 4}; co_return co_await take(std::move(x));)
FORM(then_test, auto x = co_await give(1); if (x) co_return 7; co_return 8;)
FORM(in_body, if (awaits == 0) co_await give(1); co_return 3;)
FORM(in_loop, for (int i = 0; i < 2; ++i) co_await give(i); co_return 3;)
FORM(in_try, try { co_await give(1); co_return 3; } catch (...) { throw; })
// clang-format on
#undef FORM

const form forms[] = {
  {in_if_text, in_if, 7, 1},
  {in_while_text, in_while, 3, 1},
  {in_do_text, in_do, 3, 1},
  {in_switch_text, in_switch, 5, 1},
  {in_arm_text, in_arm, 1, 1},
  {after_and_text, after_and, 0, 0},
  {after_or_text, after_or, 1, 0},
  {with_aggregate_text, with_aggregate, 4},
  {with_reference_text, with_reference, 4},
  {with_lambda_text, with_lambda, 4},
  {in_aggregate_text, in_aggregate, 4},
  {with_class_text, with_class, 4},
  {with_name_text, with_name, 4},
  {then_test_text, then_test, 7, 1},
  {in_body_text, in_body, 3, 1},
  {in_loop_text, in_loop, 3, 2},
  {in_try_text, in_try, 3, 1},
};

/// Something that can be started, and destroyed at any point.
class runner {
public:
  class promise_type {
  public:
    runner get_return_object() {
      return runner{std::coroutine_handle<promise_type>::from_promise(*this)};
    }

    std::suspend_always initial_suspend() const noexcept {
      return {};
    }

    std::suspend_always final_suspend() const noexcept {
      return {};
    }

    troupe::co::root_frame* root() const noexcept {
      return nullptr;
    }

    void return_void() const noexcept {
      // nop
    }

    void unhandled_exception() const noexcept {
      std::terminate();
    }
  };

  explicit runner(std::coroutine_handle<promise_type> frame) : frame_(frame) {
    // nop
  }

  std::coroutine_handle<promise_type> frame_;
};

runner run_task(task<int> work, int* result) {
  *result = co_await work;
}

enum class ending { complete, destroy };

const char* fault_of(const form& what, ending how) {
  tracked::live().clear();
  tracked::twice() = 0;
  awaits = 0;
  parked = {};
  auto result = -1;
  auto done = false;
  {
    auto work = run_task(what.start(), &result).frame_;
    work.resume();
    while (how == ending::complete && parked)
      std::exchange(parked, {}).resume();
    done = work.done();
    work.destroy();
  }
  if (tracked::twice() > 0)
    return "destroys twice";
  if (!tracked::live().empty())
    return "leaks";
  if (how == ending::destroy)
    return nullptr;
  if (!done)
    return "never runs";
  if (what.awaits >= 0 && awaits != what.awaits)
    return "awaits what it must not";
  return result == what.result ? nullptr : "wrong result";
}

} // namespace

int main() {
  auto faults = 0;
  for (auto& one : forms) {
    auto* fault = fault_of(one, ending::complete);
    auto* later = fault_of(one, ending::destroy);
    auto* say = fault != nullptr ? fault : later;
    faults += say != nullptr;
    std::printf("%-24s%s%s\n", say != nullptr ? say : "right", one.text,
                fault == nullptr && later != nullptr
                  ? " // when destroyed while suspended"
                  : "");
  }
#ifdef TROUPE_COMPILER_FAULT
  constexpr auto expected = true;
#else
  constexpr auto expected = false;
#endif
  if ((faults > 0) == expected)
    return 0;
  std::puts("compiler_faults.hpp is wrong about this compiler");
  return 1;
}
