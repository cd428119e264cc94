#include "troupe/sandbox/container/container_box.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/container/container_owner.hpp"
#include "troupe/sandbox/container/relayed_command.hpp"
#include "troupe/sandbox/workspace_path.hpp"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <utility>

namespace troupe {

namespace {

using boost::system::error_code;
using words = std::vector<std::string>;

// Engines need tenths of a second, and many of them under load.
constexpr auto answer_time = std::chrono::seconds{60};

constexpr auto closing_time = std::chrono::seconds{10};

constexpr auto removal_tries = 5;

// Both engines write an image's id, one of them with its algorithm.
std::string digits_of(std::string id) {
  constexpr auto algorithm = std::string_view{"sha256:"};
  return id.starts_with(algorithm) ? id.substr(algorithm.size()) : id;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

std::map<std::string, std::string> variables_in(std::string_view text) {
  auto result = std::map<std::string, std::string>{};
  while (!text.empty()) {
    auto end = std::min(text.find('\0'), text.size());
    auto entry = text.substr(0, end);
    auto equals = entry.find('=');
    if (equals != entry.npos && equals > 0)
      result.emplace(entry.substr(0, equals), entry.substr(equals + 1));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

} // namespace

container_box::container_box(boost::asio::io_context& loop,
                             container_engine engine,
                             const container_settings& what)
  : loop_(loop),
    engine_(std::move(engine)),
    image_(what.image),
    name_(what.name.value_or("")),
    stays_(what.reconnect),
    patience_(loop) {
  // nop
}

void container_box::open(container_plan plan,
                         std::function<void(caf::error)> ready) {
  plan_ = std::move(plan);
  ready_ = std::move(ready);
  if (!stays_)
    return create();
  // The whole label, never a part of a name.
  call({"ps", "--all", "--quiet", "--no-trunc", "--filter",
        "label=troupe.sandbox.id=" + name_},
       &container_box::take_found);
}

void container_box::call(const words& what, answered then) {
  call_engine(loop_, engine_, what, answer_time,
              [self = shared_from_this(), then](auto answer) {
                if (!answer)
                  self->fail(std::move(answer.error()));
                else
                  (self.get()->*then)(std::move(*answer));
              });
}

void container_box::take_found(std::string answer) {
  auto ids = ids_in(answer);
  if (!ids)
    return fail(std::move(ids.error()));
  if (ids->size() > 1)
    return fail(make_error(errc::sandbox,
                           std::to_string(ids->size())
                             + " containers are labelled " + in_quotes(name_)
                             + ": which one is meant cannot be told",
                           "sandbox.container.name"));
  if (ids->empty())
    return create();
  id_ = ids->front();
  inspect();
}

void container_box::create() {
  if (image_.empty())
    return fail(make_error(errc::sandbox,
                           "there is no container " + in_quotes(name_)
                             + ", and no image to make it from",
                           "sandbox.container.image"));
  call(plan_.create, &container_box::take_created);
}

void container_box::take_created(std::string answer) {
  auto ids = ids_in(answer);
  if (!ids || ids->size() != 1)
    return fail(make_error(errc::sandbox,
                           "the container engine does not tell the id of the "
                           "container it made"));
  id_ = ids->front();
  if (stays_)
    resume();
  else
    attach({});
}

void container_box::inspect() {
  call(
    {"inspect", "--type", "container", "--format",
     R"({{.State.Running}} {{.Image}} {{index .Config.Labels "troupe.policy"}})"
     R"( {{index .Config.Labels "troupe.image"}})",
     id_},
    &container_box::take_inspected);
}

void container_box::take_inspected(std::string answer) {
  auto in = std::istringstream{first_line(answer)};
  auto running = std::string{};
  auto digest = std::string{};
  auto image = std::string{};
  in >> running >> found_image_ >> digest >> image;
  running_ = running == "true";
  if (digest != plan_.digest)
    return fail(make_error(errc::sandbox,
                           "the container " + in_quotes(name_)
                             + " was made for another policy: its mounts, "
                               "network, privileges or limits differ",
                           "sandbox.container",
                           "remove it, or choose another name"));
  if (image_.empty())
    return resume();
  if (image != image_)
    return fail(make_error(
      errc::sandbox,
      "the container " + in_quotes(name_) + " was made from another image",
      "sandbox.container.image", "remove it, or choose another name"));
  compare_image();
}

// The name may mean another image by now.
void container_box::compare_image() {
  call({"image", "inspect", "--format", "{{.Id}}", image_},
       &container_box::take_image);
}

void container_box::take_image(std::string answer) {
  if (digits_of(first_line(answer)) != digits_of(found_image_))
    return fail(make_error(errc::sandbox,
                           "the container " + in_quotes(name_)
                             + " was made from an older " + in_quotes(image_),
                           "sandbox.container.image",
                           "remove it, or choose another name"));
  resume();
}

void container_box::resume() {
  if (running_)
    attach({});
  else
    call({"start", id_}, &container_box::attach);
}

void container_box::attach(std::string) {
  if (phase_ != phase::opening)
    return remove(removal_tries);
  auto what = words{"start", "--attach", "--interactive", id_};
  if (stays_) {
    what = {"exec", "--interactive", id_, relay_path, "serve", plan_.home};
    for (const auto& one : plan_.mounts)
      what.push_back(one.target);
  }
  channel_ = std::make_shared<relay_channel>(loop_);
  auto failed = channel_->open(
    engine_, what,
    [self = shared_from_this()](const relay::frame& x, std::string_view text) {
      return self->take(x, text);
    },
    [self = shared_from_this()](const std::string& complaint) {
      self->note_end(complaint);
    });
  if (failed) {
    channel_ = nullptr;
    return fail(std::move(failed));
  }
  patience_.expires_after(answer_time);
  patience_.async_wait([self = shared_from_this()](error_code stopped) {
    if (!stopped && self->phase_ == phase::opening)
      self->fail(make_error(errc::sandbox, "the container does not answer"));
  });
}

bool container_box::take(const relay::frame& what, std::string_view payload) {
  if (phase_ == phase::opening) {
    auto failed = what.kind == relay::frame_kind::ready
                    ? greet(payload)
                    : make_error(errc::sandbox,
                                 "another program answers in the container");
    if (failed) {
      fail(std::move(failed));
      return true;
    }
    patience_.cancel();
    phase_ = phase::open;
    std::exchange(ready_, nullptr)({});
    return true;
  }
  auto of = find(what.id);
  return of == nullptr || of->take(what, payload);
}

// What is mounted must be what was opened: paths are looked up by the engine,
// and a command of an earlier container may have changed what they mean.
caf::error container_box::greet(std::string_view payload) {
  auto hello = relay::hello{};
  if (payload.size() < sizeof hello)
    return make_error(errc::sandbox, "the container's relay says nothing");
  std::memcpy(&hello, payload.data(), sizeof hello);
  payload.remove_prefix(sizeof hello);
  if (hello.magic != relay::magic || hello.places != plan_.mounts.size()
      || payload.size() / sizeof(relay::place) < hello.places)
    return make_error(errc::sandbox,
                      "the relay in the container is of another build");
  for (const auto& one : plan_.mounts) {
    auto found = relay::place{};
    std::memcpy(&found, payload.data(), sizeof found);
    payload.remove_prefix(sizeof found);
    if (one.inode != 0
        && (found.device != one.device || found.inode != one.inode))
      return make_error(errc::sandbox,
                        in_quotes(one.target)
                          + " in the container is not the directory that was "
                            "opened",
                        one.source);
  }
  environment_ = variables_in(payload);
  return {};
}

void container_box::fail(caf::error why) {
  if (!failed_)
    failed_ = std::move(why);
  if (channel_)
    return close(nullptr);
  phase_ = phase::closing;
  remove(removal_tries);
}

void container_box::note_end(const std::string& complaint) {
  channel_ = nullptr;
  patience_.cancel();
  if (phase_ == phase::opening && !failed_)
    failed_ = make_error(errc::sandbox,
                         "the container cannot be started: "
                           + (complaint.empty() ? std::string{"it ended"}
                                                : complaint));
  phase_ = phase::closing;
  for (const auto& [id, command] : std::exchange(commands_, {}))
    command->lose();
  remove(removal_tries);
}

void container_box::close(std::function<void()> gone) {
  if (phase_ == phase::gone) {
    if (gone)
      gone();
    return;
  }
  if (gone)
    gone_.push_back(std::move(gone));
  if (std::exchange(phase_, phase::closing) == phase::closing)
    return;
  // An engine is being called then, and its answer goes on from here.
  if (!channel_)
    return;
  channel_->close_input();
  patience_.expires_after(closing_time);
  patience_.async_wait([self = shared_from_this()](error_code stopped) {
    if (stopped || !self->channel_)
      return;
    self->unruly_ = true;
    self->channel_->kill();
  });
}

void container_box::remove(int tries) {
  auto what = words{};
  if (!id_.empty() && !stays_)
    what = removal_of(engine_, id_);
  else if (!id_.empty() && unruly_)
    what = {"kill", id_};
  if (what.empty())
    return finish();
  call_engine(loop_, engine_, what, answer_time,
              [self = shared_from_this(), tries](const auto& answer) {
                if (answer || self->stays_)
                  self->finish();
                else
                  self->look_again(tries - 1);
              });
}

// Somebody else may have been faster, or be at it. An engine that never removes
// it leaves it to the next sweep.
void container_box::look_again(int tries) {
  call_engine(loop_, engine_,
              {"ps", "--all", "--quiet", "--no-trunc", "--filter", "id=" + id_},
              answer_time,
              [self = shared_from_this(), tries](const auto& answer) {
                if (tries <= 0 || (answer && answer->empty()))
                  self->finish();
                else
                  self->remove(tries);
              });
}

void container_box::finish() {
  phase_ = phase::gone;
  if (auto ready = std::exchange(ready_, nullptr))
    ready(failed_ ? failed_
                  : make_error(errc::cancelled, "the container was closed"));
  for (auto& f : std::exchange(gone_, {}))
    f();
}

bool container_box::is_open() const noexcept {
  return phase_ == phase::open;
}

const std::map<std::string, std::string>&
container_box::environment() const noexcept {
  return environment_;
}

std::shared_ptr<relayed_command> container_box::find(uint64_t id) const {
  auto found = commands_.find(id);
  return found == commands_.end() ? nullptr : found->second;
}

std::function<relay::pressure()> container_box::last_pressure() const {
  auto of = find(last_);
  return [of] { return of ? of->pressure() : relay::pressure{}; };
}

caf::expected<uint64_t> container_box::place(warden_ends ends) {
  if (phase_ != phase::open)
    return make_error(errc::sandbox, "the container has ended");
  auto id = ++last_;
  auto command = std::make_shared<relayed_command>(loop_, channel_, id);
  if (auto failed = command->start(std::move(ends)))
    return failed;
  commands_.emplace(id, std::move(command));
  return id;
}

void container_box::wake(uint64_t id) {
  if (phase_ == phase::open)
    channel_->send(relay::frame_kind::wake, id);
}

void container_box::release(uint64_t id) {
  auto of = find(id);
  if (!of)
    return;
  of->release([self = shared_from_this(), id] {
    if (self->channel_ && self->commands_.erase(id) > 0)
      self->channel_->send(relay::frame_kind::forget, id);
  });
}

// Nobody can tell any more which of the processes inside came from where.
void container_box::abandon(uint64_t, std::function<void(std::string)> then) {
  unruly_ = true;
  close([then = std::move(then)] {
    then("the container and everything in it were ended");
  });
}

} // namespace troupe
