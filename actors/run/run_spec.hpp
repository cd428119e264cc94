#pragma once

#include "troupe/actors/run/run_record.hpp"
#include "troupe/actors/run/run_services.hpp"
#include "troupe/runtime/messages/interfaces.hpp"
#include "troupe/runtime/messages/run_resources.hpp"
#include "troupe/runtime/run/call_decisions.hpp"
#include "troupe/runtime/run/run_recovery.hpp"
#include "troupe/runtime/run/step_recorder.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// How a run ends.
struct run_outcome {
  run_status status = run_status::completed;
  fault why;
  /// What it waits for, where it is suspended.
  run_suspension waits_for;
};

/// Where a step stands among the participants of its run.
struct step_place {
  /// As the assembly around it calls who runs.
  std::string participant;
  /// The step's name, which no other of the run has: "check/ledger#2".
  std::string path;
  /// As in `event_source`; those of an assembly end with itself.
  std::vector<std::string> assemblies;
  std::vector<std::string> agents;
};

/// What the earlier owners of a run left behind.
struct earlier_run {
  run_object object;
  uint64_t events = 0;
  /// Its input is in the conversation, as that record; 0: nobody knows which.
  bool has_input = false;
  uint64_t input_record = 0;
  std::vector<stored_decision> decisions;
  /// Set where the run had lost its process: to be stored when work begins.
  std::optional<recovery_count> recovery;
  /// What a workflow stored: checkpoints, answers, results of agents.
  std::vector<run_value> values;
};

class run_budget;

/// What a run of any kind is started with.
struct run_spec {
  run_services_ptr services;
  /// Told when the run is over; null for a step, whose run waits for it.
  run_registry_actor registry;
  /// Takes what happens: the store, or the run that this one is a step of.
  run_sink_actor sink;
  /// It is a step: the run that it is part of has the head and the numbers.
  bool is_step = false;
  step_place place;
  /// A step's: the name of the value that says that its input is in its
  /// conversation; empty: what is there at all begins with it.
  std::string input_mark;
  /// Who has others work for the agent that runs here; null: nobody does.
  helper_host_actor host;
  /// How many agents had the next one work for them, down to this one.
  uint32_t depth = 0;
  /// What it may use up together with others of its run; may be null.
  std::shared_ptr<run_budget> budget;
  /// A step's: true from when somebody reads the deltas of its run.
  std::shared_ptr<const std::atomic<bool>> reader_mark;
  run_request request;
  std::string run_id;
  /// That of its lease.
  uint64_t epoch = 1;
  /// Null for a run that begins.
  std::shared_ptr<const earlier_run> earlier;
  /// Set where nothing is to be done but to end the run properly.
  std::optional<run_outcome> end_at_once;
  /// The session was made up for this run, so there is nothing to load.
  bool has_fresh_session = false;
  int64_t created_at = 0;
  /// When its time is up, microseconds since the epoch.
  int64_t deadline = 0;
  /// What the application wants closed with the run; may be null.
  std::shared_ptr<run_resources> resources;
};

/// Whether what runs has the conversation that the run was asked for: it is no
/// step, or the agent that stands for the run.
inline bool has_run_session(const run_spec& x) {
  return !x.is_step || x.place.path.empty();
}

/// What the actor of a run of any kind has; the base of its state.
struct run_base {
  run_spec spec;
  run_record record;
  shared<run_key> key;
  /// Of a step: where its events come from.
  shared<event_source> source;
  /// What has happened and was not sent to the store yet.
  commit_run pending;
  /// What the subscribers of the feed have not heard yet.
  std::vector<run_event> unheard;
  /// What its steps have come to, and how many changes of them the store has
  /// not been told.
  step_recorder steps;
  size_t untold_steps = 0;
  bool is_ending = false;
  /// The event that a run ends with is made: nothing comes after it.
  bool has_last_event = false;
};

} // namespace troupe
