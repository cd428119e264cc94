#pragma once

#include "troupe/runtime/co/blocking_pool.hpp"
#include "troupe/runtime/co/offload.hpp"
#include "troupe/runtime/co/request.hpp"
#include "troupe/runtime/co/sleep.hpp"
#include "troupe/runtime/messages/interfaces.hpp"

#include "caf/timespan.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace troupe {

/// What one call of a tool may see and use. A cheap handle, passed by value;
/// valid until the call has ended. Use it from the tool's own coroutine, or
/// from its blocking function, where only the plain getters and the state
/// work.
class tool_context {
public:
  /// The tool actor that the call runs in, for `co::request` and the like.
  tool_actor::pointer self() const noexcept;

  /// Who asked, with which application context.
  const troupe::invocation& invocation() const noexcept;

  const std::string& call_id() const noexcept;

  /// The same for each attempt of this call, also after a crash, and for
  /// no other call: "RUN/RECORD/CALL".
  const std::string& idempotency_key() const noexcept;

  /// A member of the run's mutable state as JSON text; empty when there is
  /// none. Sees what this call has set, and what calls before this turn did.
  std::string state(const std::string& key) const;

  /// Sets a member to a JSON text ("null" removes it). Takes effect for others
  /// when the call has ended, in call order; lost when it fails.
  void set_state(const std::string& key, const std::string& json_text) const;

  /// Gives a file beside the value of the call: a plain name and its bytes. All
  /// files of a call are stored under the workspace's path `artifacts` when it
  /// has succeeded, or none; the model is told where, and shown what is an
  /// image. Without a media type the bytes are looked at.
  void artifact(std::string name, std::string bytes,
                std::string media_type = {}) const;

  /// The same with bytes that are made later: `resolver` runs on the blocking
  /// pool behind the call. What it throws is the failure of the whole call.
  void artifact(std::string name, std::string media_type,
                std::function<std::string()> resolver) const;

  /// The run's files and commands. Throws `tool_error` when the tool does not
  /// declare `uses_sandbox`.
  const sandbox_actor& sandbox() const;

  /// Microseconds since the epoch; 0 never.
  int64_t deadline() const noexcept;

  /// Whether the call was cancelled: for blocking functions that can stop
  /// early. A coroutine never sees true.
  bool cancelled() const noexcept;

  /// `co_await context.ask<R>(request)`: asks the sandbox.
  template <class R, class Request>
  auto ask(Request request) const {
    return co::request<R>(self(), sandbox(), caf::infinite, std::move(request));
  }

  /// `co_await context.sleep(1s)`.
  co::sleep_awaiter sleep(caf::timespan delay) const;

  /// `co_await context.offload<R>(function)`: runs a blocking call on the
  /// runtime's pool.
  template <class R>
  co::offload_awaiter<R> offload(std::function<R()> function) const {
    return co::offload<R>(scheduled(), pool(), std::move(function));
  }

  /// One call's data; for the tool actor.
  struct call_data;

  explicit tool_context(std::shared_ptr<call_data> data)
    : data_(std::move(data)) {
    // nop
  }

  call_data& data() const noexcept {
    return *data_;
  }

private:
  caf::scheduled_actor* scheduled() const noexcept;
  co::blocking_pool& pool() const noexcept;

  std::shared_ptr<call_data> data_;
};

} // namespace troupe
