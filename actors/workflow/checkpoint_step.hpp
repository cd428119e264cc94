#pragma once

#include "troupe/actors/workflow/workflow_values.hpp"
#include "troupe/runtime/co/task.hpp"

#include <functional>
#include <string>
#include <type_traits>
#include <utility>

namespace troupe {

class workflow_context;

/// What a checkpoint does: gives the text of a JSON value.
using checkpoint_body = std::function<co::task<std::string>(workflow_context)>;

namespace detail {

/// Runs a plain function on the runtime's pool.
co::task<std::string> run_on_pool(workflow_context flow,
                                  std::function<std::string()> function);

template <class T>
struct task_value {
  static constexpr bool is_task = false;
  using type = T;
};

template <class T>
struct task_value<co::task<T>> {
  static constexpr bool is_task = true;
  using type = T;
};

template <class F, bool TakesContext>
struct call_result {
  using type = std::invoke_result_t<F&>;
};

template <class F>
struct call_result<F, true> {
  using type = std::invoke_result_t<F&, workflow_context>;
};

template <class F>
inline constexpr bool takes_context = std::is_invocable_v<F&, workflow_context>;

template <class F>
using step_result = task_value<typename call_result<F, takes_context<F>>::type>;

/// What `f` gives in the end; nothing counts as null.
template <class F>
using step_value = typename step_result<F>::type;

template <class R>
co::task<std::string> give_text(co::task<R> work) {
  if constexpr (std::is_void_v<R>) {
    co_await work;
    co_return std::string{"null"};
  } else {
    auto value = co_await work;
    co_return text_of(value);
  }
}

template <class F>
std::string call_for_text(F& f) {
  if constexpr (std::is_void_v<step_value<F>>) {
    f();
    return "null";
  } else {
    return text_of(f());
  }
}

template <class F>
checkpoint_body make_body(F f);

} // namespace detail

/// One of the steps of `workflow_context::checkpoint_all`.
template <class R>
class checkpoint_step {
public:
  /// `f` is what `workflow_context::checkpoint` takes.
  template <class F>
  checkpoint_step(std::string name, F f)
    : name_(std::move(name)),
      body_(detail::make_body(std::move(f))) {
    static_assert(std::is_same_v<detail::step_value<F>, R>,
                  "the step gives something else");
  }

  const std::string& name() const noexcept {
    return name_;
  }

  const checkpoint_body& body() const noexcept {
    return body_;
  }

private:
  std::string name_;
  checkpoint_body body_;
};

} // namespace troupe
