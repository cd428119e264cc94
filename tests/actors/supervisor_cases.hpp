#pragma once

#include "support/catch.hpp"
#include "support/stage.hpp"

#include "troupe/actors/supervise/supervisor.hpp"
#include "troupe/config/errc.hpp"

#include "caf/all.hpp"

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace troupe::test {

using namespace std::chrono_literals;

using words = std::vector<std::string>;

/// Every start and end of a worker, in order.
struct diary {
  words lines;

  void write(const std::string& what, const std::string& id) {
    lines.push_back(what + " " + id);
  }

  words take() {
    return std::exchange(lines, {});
  }
};

struct worker_state {
  ~worker_state() {
    if (log != nullptr)
      log->write("end", id);
  }

  diary* log = nullptr;
  std::string id;
};

/// What a worker does when it is asked to end.
enum class manners { obedient, stubborn };

/// Ends with the error it is sent.
inline caf::behavior worker(caf::stateful_actor<worker_state>* self, diary* log,
                            std::string id, manners how) {
  log->write("start", id);
  self->state.log = log;
  self->state.id = std::move(id);
  if (how == manners::stubborn)
    self->set_exit_handler([](caf::exit_msg&) {
      // nop
    });
  return {
    [self](const caf::error& reason) { self->quit(reason); },
    [](int) {
      // nop
    },
  };
}

inline const auto crash = make_error(errc::internal, "crashed");

/// A supervisor of workers, seen from its client.
struct fixture {
  /// Nothing runs by itself here, so nothing would end by itself.
  ~fixture() {
    caf::anon_send_exit(sut, caf::exit_reason::kill);
    sut = supervisor_actor{};
    stage.run();
  }

  child_spec worker_spec(const std::string& id,
                         restart_kind kind = restart_kind::permanent,
                         manners how = manners::obedient) {
    auto start = [this, id, how](caf::actor_system& system) {
      return system.spawn(worker, &log, id, how);
    };
    return {id, start, kind, 5s};
  }

  void start(supervisor_spec spec) {
    sut = stage.spawn(supervisor_behavior, std::move(spec));
    stage.run();
    sut->attach_functor([this](const caf::error& why) {
      ended = true;
      reason = why;
    });
  }

  template <class R, class Message>
  caf::expected<R> ask(Message message) {
    auto answer = stage.ask<R>(sut, std::move(message));
    REQUIRE(answer->has_value());
    return std::move(**answer);
  }

  caf::actor child(const std::string& id) {
    auto found = ask<caf::actor>(find_child{id});
    REQUIRE(found);
    return *found;
  }

  void end(const std::string& id, const caf::error& why) {
    stage.send(child(id), why);
  }

  std::vector<child_info> list() {
    return ask<child_list>(list_children{})->children;
  }

  words ids() {
    auto result = words{};
    for (auto& info : list())
      result.push_back(info.id);
    return result;
  }

  /// Three permanent workers under `strategy`.
  supervisor_spec three(restart_strategy strategy) {
    auto spec = supervisor_spec{};
    spec.strategy = strategy;
    for (auto id : {"a", "b", "c"})
      spec.children.push_back(worker_spec(id));
    return spec;
  }

  diary log;
  bool ended = false;
  caf::error reason;
  test::stage stage;
  supervisor_actor sut;
};

} // namespace troupe::test
