#include "troupe/actors/model/model_catalog.hpp"

#include "troupe/actors/model/cassette_model.hpp"
#include "troupe/actors/model/http_model.hpp"
#include "troupe/actors/model/model_target.hpp"
#include "troupe/runtime/co/offload.hpp"
#include "troupe/runtime/co/request.hpp"
#include "troupe/runtime/co/serve.hpp"
#include "troupe/runtime/co/settle.hpp"
#include "troupe/runtime/model/cassette.hpp"

#include "caf/result.hpp"
#include "caf/send.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

using catalog_ptr = model_catalog_actor::stateful_pointer<model_catalog_state>;
using tape_ptr = std::shared_ptr<const cassette>;

/// The settings of `spec` with the application's models among the providers.
settings settings_of(const model_catalog_spec& spec) {
  auto result = spec.settings;
  for (const auto& [name, model] : spec.models) {
    auto& provider = result.providers[name];
    provider = provider_settings{};
    provider.adapter = own_adapter;
  }
  return result;
}

// Targets may come from outside, so their number is bounded.
constexpr size_t max_known = 1000;

std::string known_as(const find_model& x) {
  auto result = x.folder;
  result += '\0';
  result += x.target;
  return result;
}

std::string key_of(const model_target& target) {
  return target.provider.adapter == "cassette"
           ? target.connection + ':' + target.model_id
           : target.connection;
}

std::vector<secret> secrets_of(const settings& x) {
  auto result = std::vector<secret>{};
  for (const auto& [name, provider] : x.providers)
    if (!provider.api_key.empty())
      result.push_back(provider.api_key);
  return result;
}

co::task<tape_ptr> load_tape(catalog_ptr self, std::string path) {
  auto job = std::function<caf::expected<cassette>()>{
    [path = std::move(path)] { return load_cassette(path); }};
  auto loaded = co_await co::offload<caf::expected<cassette>>(
    self, *self->state.spec.pool, std::move(job));
  if (!loaded)
    throw co::failure{std::move(loaded.error())};
  co_return std::make_shared<const cassette>(std::move(*loaded));
}

std::shared_ptr<http_transport> transport_of(catalog_ptr self) {
  auto& state = self->state;
  if (!state.transport) {
    auto made = make_curl_transport(state.spec.http);
    if (!made)
      throw co::failure{std::move(made.error())};
    state.transport = std::move(*made);
  }
  return state.transport;
}

model_connection_actor start_http(catalog_ptr self,
                                  const model_target& target) {
  auto spec = http_model_spec{target.provider,
                              make_openai_codec(target.provider),
                              transport_of(self)};
  return self->spawn(http_model_behavior, std::move(spec));
}

/// Appends what records `model`, and gives what others shall ask.
model_actor record(catalog_ptr self, model_actor model,
                   std::vector<model_connection_actor>& actors) {
  auto& state = self->state;
  if (!state.tape)
    return model;
  auto spec = recording_model_spec{std::move(model), state.tape,
                                   state.spec.pool};
  auto recorder = self->spawn(recording_model_behavior, std::move(spec));
  actors.insert(actors.begin(), recorder);
  return recorder;
}

/// Files a model that runs. `own` is the one the catalog has to end, if any.
const model_handle& enter(catalog_ptr self, const std::string& key,
                          model_actor model, model_connection_actor own,
                          const model_capabilities& capabilities) {
  auto entry = catalog_entry{};
  if (own)
    entry.actors.push_back(std::move(own));
  entry.handle.model = record(self, std::move(model), entry.actors);
  entry.handle.capabilities = capabilities;
  for (const auto& actor : entry.actors)
    self->monitor(actor);
  return self->state.entries.emplace(key, std::move(entry))
    .first->second.handle;
}

co::task<model_handle> start(catalog_ptr self, std::string key,
                             model_target target) {
  auto& state = self->state;
  if (target.provider.adapter == own_adapter) {
    const auto& model = state.spec.models.at(target.connection);
    co_return enter(self, key, model, {}, {});
  }
  if (target.provider.adapter != "cassette") {
    auto model = start_http(self, target);
    co_return enter(self, key, model, model, {});
  }
  auto tape = co_await load_tape(self, target.model_id);
  if (auto i = state.entries.find(key); i != state.entries.end())
    co_return i->second.handle; // another one was faster
  if (state.closing)
    throw co::failure{errc::cancelled, "the models are being closed"};
  auto spec = cassette_model_spec{tape, target.provider.retry};
  auto model = self->spawn(cassette_model_behavior, std::move(spec));
  co_return enter(self, key, model, model, tape->model);
}

co::task<model_handle> find(catalog_ptr self, find_model request) {
  auto& state = self->state;
  const auto& folder = request.folder.empty() ? state.spec.folder
                                              : request.folder;
  auto target = find_target(state.spec.settings, request.target, folder,
                            state.spec.folder);
  if (!target)
    throw co::failure{std::move(target.error())};
  auto result = model_handle{};
  auto key = key_of(*target);
  if (auto i = state.entries.find(key); i != state.entries.end())
    result = i->second.handle;
  else
    result = co_await start(self, key, *target);
  result.model_id = std::move(target->model_id);
  result.settings_json = shared{std::move(target->settings_json)};
  if (state.known.size() == max_known)
    state.known.clear();
  state.known[known_as(request)] = result;
  co_return result;
}

caf::result<model_handle> answer(catalog_ptr self, find_model& request) {
  auto& state = self->state;
  if (state.closing)
    return make_error(errc::cancelled, "the models are being closed");
  auto i = state.known.find(known_as(request));
  if (i != state.known.end())
    return i->second;
  return co::reply_with<model_handle>(self, find(self, std::move(request)));
}

/// Forgets the model that `x` was part of, and ends what is left of it.
void forget(catalog_ptr self, const caf::down_msg& x) {
  auto& entries = self->state.entries;
  auto has_died = [&](const model_connection_actor& actor) {
    return actor.address() == x.source;
  };
  for (auto i = entries.begin(); i != entries.end(); ++i) {
    auto& actors = i->second.actors;
    if (std::none_of(actors.begin(), actors.end(), has_died))
      continue;
    for (const auto& actor : actors)
      self->send_exit(actor, caf::exit_reason::user_shutdown);
    entries.erase(i);
    self->state.known.clear();
    return;
  }
}

co::task<done> close(catalog_ptr self, end_work) {
  auto& state = self->state;
  state.closing = true;
  auto actors = std::vector<model_connection_actor>{};
  for (const auto& [key, entry] : state.entries)
    actors.insert(actors.end(), entry.actors.begin(), entry.actors.end());
  for (const auto& actor : actors) {
    auto order = end_work{};
    auto ended = co::request<done>(self, actor, caf::infinite, order);
    // One that is gone has ended too.
    co_await co::as_expected(std::move(ended));
    co_await co::death_of(self, actor); // lets go of the transport
  }
  // Its destructor waits for its thread.
  auto drop = std::function<void()>{
    [transport = std::exchange(state.transport, nullptr)] {}};
  co_await co::offload<void>(self, *state.spec.pool, std::move(drop));
  self->quit();
  co_return done{};
}

} // namespace

model_catalog_state::~model_catalog_state() {
  for (const auto& [key, entry] : entries)
    for (const auto& actor : entry.actors)
      caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
}

model_catalog_actor::behavior_type
model_catalog_behavior(catalog_ptr self, model_catalog_spec spec) {
  auto& state = self->state;
  state.spec = std::move(spec);
  state.spec.settings = settings_of(state.spec);
  if (!state.spec.record_to.empty())
    state.tape = std::make_shared<recording>(state.spec.record_to,
                                             secrets_of(state.spec.settings));
  self->set_down_handler([self](caf::down_msg& x) { forget(self, x); });
  return {
    [self](find_model& x) { return answer(self, x); },
    co::serve_cancel(self),
    co::serve(self, close),
  };
}

caf::error check_model(const model_catalog_spec& spec,
                       const std::string& target, const std::string& folder) {
  auto found = find_target(settings_of(spec), target,
                           folder.empty() ? spec.folder : folder, spec.folder);
  if (!found)
    return std::move(found.error());
  if (found->provider.adapter != "cassette")
    return {};
  auto tape = load_cassette(found->model_id);
  return tape ? caf::error{} : std::move(tape.error());
}

} // namespace troupe
