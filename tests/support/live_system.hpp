#pragma once

#include "support/catch.hpp"
#include "support/model_answers.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/runtime/messages/register.hpp"

#include "caf/actor_system.hpp"
#include "caf/actor_system_config.hpp"
#include "caf/scoped_actor.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace troupe::test {

/// An answer of a model, read to its end.
struct read_answer {
  std::vector<model_event> events;
  size_t batches = 0;
  std::optional<fault> failure;

  /// Events that announce another attempt.
  size_t retries() const {
    auto result = size_t{0};
    for (const auto& event : events)
      result += event.kind == model_event_kind::retry ? 1 : 0;
    return result;
  }
};

/// An actor system with threads and real time, for what talks to a network or
/// to a disk.
class live_system {
public:
  live_system() : system_(config_), self_(system_) {
    // nop
  }

  caf::actor_system& system() {
    return system_;
  }

  caf::scoped_actor& self() {
    return self_;
  }

  /// Asks and waits, but not for ever.
  template <class R, class Handle, class Message>
  caf::expected<R> ask(const Handle& dest, Message message) {
    auto result = caf::expected<R>{caf::error{}};
    self_->request(dest, std::chrono::seconds{20}, std::move(message))
      .receive([&](R& value) { result = std::move(value); },
               [&](caf::error& why) { result = std::move(why); });
    return result;
  }

  /// Asks a model and pulls until its answer is whole or has failed.
  template <class Model>
  read_answer read(const Model& model, model_request request) {
    auto result = read_answer{};
    auto batch = ask<model_batch>(model, std::move(request));
    while (batch) {
      ++result.batches;
      for (auto& event : batch->events)
        result.events.push_back(std::move(event));
      if (!batch->rest)
        return result;
      auto rest = batch->rest;
      batch = ask<model_batch>(rest, pull_model_events{});
    }
    result.failure = to_fault(batch.error());
    return result;
  }

private:
  struct config : caf::actor_system_config {
    config() {
      register_messages(*this);
      set("scheduler.policy", caf::atom("sharing"));
      set("scheduler.max-threads", size_t{2});
    }
  };

  config config_;
  caf::actor_system system_;
  caf::scoped_actor self_;
};

/// Waits until `condition` holds, but not for ever.
inline bool eventually(const std::function<bool()>& condition) {
  using namespace std::chrono_literals;
  for (auto i = 0; i < 10'000; ++i) {
    if (condition())
      return true;
    std::this_thread::sleep_for(2ms);
  }
  return false;
}

} // namespace troupe::test
