#pragma once

#include "troupe/actors/model/recording_model.hpp"
#include "troupe/config/settings.hpp"
#include "troupe/runtime/co/blocking_pool.hpp"
#include "troupe/runtime/co/scope.hpp"
#include "troupe/runtime/http/curl_transport.hpp"
#include "troupe/runtime/messages/interfaces.hpp"

#include "caf/error.hpp"

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace troupe {

/// What models there are.
struct model_catalog_spec {
  troupe::settings settings;
  /// What a relative cassette counts from where its role and agent have no
  /// folder; empty: the working directory.
  std::string folder;
  /// Models of the application by connection name: a target "NAME:model-id"
  /// is asked of `models[NAME]`, whatever `settings.providers` says. They are
  /// ordinary actors, so a model in C++ is a function:
  ///
  ///     model_actor::behavior_type echo(model_actor::pointer) {
  ///       return {[](const model_request& x) { return answer_to(x); },
  ///               [](co::cancel_request) {}};
  ///     }
  ///
  /// They stay the application's: the catalog does not end them.
  std::map<std::string, model_actor> models;
  /// Where every exchange is recorded; empty: nowhere.
  std::string record_to;
  /// For reading and writing files; outlives the catalog.
  co::blocking_pool* pool = nullptr;
  curl_settings http;
};

/// A model that was started, and what runs for it: the outermost actor, which
/// others are given, comes first.
struct catalog_entry {
  model_handle handle;
  std::vector<model_connection_actor> actors;
};

struct model_catalog_state {
  static inline const char* name = "model_catalog";

  model_catalog_state() = default;
  model_catalog_state(const model_catalog_state&) = delete;
  model_catalog_state& operator=(const model_catalog_state&) = delete;

  /// Ends the models that it started.
  ~model_catalog_state();

  model_catalog_spec spec;
  /// One for all providers; null until one is needed.
  std::shared_ptr<http_transport> transport;
  std::shared_ptr<recording> tape;
  /// By connection; for cassettes by connection and file.
  std::map<std::string, catalog_entry> entries;
  /// Answers given, by folder and target: most runs ask for what others had.
  std::unordered_map<std::string, model_handle> known;
  bool closing = false;
  co::scope running;
};

/// Finds the model of a target, started when it is asked for the first time.
/// One that has died is started anew when it is asked for again. `end_work`
/// ends all of them, then the HTTP transport.
model_catalog_actor::behavior_type model_catalog_behavior(
  model_catalog_actor::stateful_pointer<model_catalog_state> self,
  model_catalog_spec spec);

/// Whether `find_model` for `target` would work, cassettes read: what is known
/// before anything runs. `errc::configuration` when it would not. Blocks on
/// the disk; any thread.
caf::error check_model(const model_catalog_spec& spec,
                       const std::string& target,
                       const std::string& folder = {});

} // namespace troupe
