#include "troupe/sandbox/container/container_pool.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/container/container_owner.hpp"
#include "troupe/sandbox/owner_record.hpp"
#include "troupe/sandbox/process_plan.hpp"
#include "troupe/sandbox/workspace.hpp"

#include <algorithm>
#include <fstream>
#include <random>
#include <utility>

#include <sys/resource.h>

namespace troupe {

namespace {

constexpr auto usual_path
  = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

std::string make_id() {
  auto random = std::random_device{};
  return "troupe-" + std::to_string(random()) + std::to_string(random());
}

// What is unlimited here needs a number all the same.
uint64_t most_of(__rlimit_resource what, uint64_t otherwise) {
  auto bounds = rlimit{};
  if (::getrlimit(what, &bounds) != 0 || bounds.rlim_max == RLIM_INFINITY)
    return otherwise;
  return std::min<uint64_t>(bounds.rlim_max, otherwise);
}

// No host has more processes, and podman allows itself no more.
uint64_t most_processes() {
  auto result = uint64_t{1} << 15;
  auto in = std::ifstream{"/proc/sys/kernel/pid_max"};
  in >> result;
  return most_of(RLIMIT_NPROC, result);
}

// The image's environment is beneath the command's own.
void add_environment(process_spec& to,
                     const std::map<std::string, std::string>& image) {
  for (const auto& [name, value] : image)
    to.environment.emplace(name, value);
  to.environment.emplace("PATH", usual_path);
}

// Which limit of the whole container a command that failed has run into.
void add_limit(caf::expected<process_result>& to,
               const relay::pressure& happened) {
  if (!to || to->status == 0 || !to->limit.empty())
    return;
  if (happened.killed_for_memory > 0)
    to->limit = "memory";
  else if (happened.refused_processes > 0)
    to->limit = "processes";
}

caf::error check(const process_spec& spec) {
  if (spec.stdio.terminal)
    return make_error(errc::sandbox, "containers have no terminals for "
                                     "commands");
  if (!spec.can_spawn)
    return make_error(errc::sandbox,
                      "a container cannot keep a command from starting others");
  return {};
}

} // namespace

container_pool::container_pool(boost::asio::io_context& loop,
                               container_host host,
                               std::shared_ptr<const workspace> where,
                               sandbox_settings policy)
  : loop_(loop),
    host_(std::move(host)),
    where_(std::move(where)),
    policy_(std::move(policy)),
    commands_(std::make_shared<command_table>(loop)) {
  // nop
}

void container_pool::start(process_id id, process_spec spec,
                           process_done done) {
  if (closing_)
    return done(make_error(errc::cancelled, "the sandbox is closing"));
  if (auto failed = check(spec))
    return done(std::move(failed));
  waiting_.emplace(id, waiting_command{std::move(spec), std::move(done)});
  with_box(
    [self = shared_from_this(), id](auto in) { self->run(id, std::move(in)); });
}

void container_pool::signal(process_id id, int number) {
  commands_->signal(id, number);
}

void container_pool::terminate(process_id id) {
  auto found = waiting_.find(id);
  if (found == waiting_.end())
    return commands_->terminate(id);
  auto done = std::move(found->second.done);
  waiting_.erase(found);
  done(make_error(errc::cancelled, "the command was ended before it began"));
}

void container_pool::close(std::function<void()> ended) {
  closing_ = true;
  ended_.push_back(std::move(ended));
  for (auto& [id, command] : std::exchange(waiting_, {}))
    command.done(make_error(errc::cancelled, "the sandbox is closing"));
  commands_->kill_all();
  commands_->when_empty([self = shared_from_this()] { self->end_boxes(); });
}

// Closing one that is already being closed only adds who is told.
void container_pool::end_boxes() {
  if (boxes_.empty()) {
    for (auto& f : std::exchange(ended_, {}))
      f();
    return;
  }
  for (const auto& one : std::set<box_ptr>{boxes_})
    one->close([self = shared_from_this(), one] {
      self->boxes_.erase(one);
      if (self->boxes_.empty())
        self->end_boxes();
    });
}

void container_pool::with_box(opened then) {
  if (policy_.warm && kept_ && kept_->is_open())
    return then(kept_);
  sweep_first([self = shared_from_this(), then = std::move(then)]() mutable {
    if (!self->policy_.warm)
      return self->open(then);
    if (self->kept_ && self->kept_->is_open())
      return then(self->kept_);
    self->for_kept_.push_back(std::move(then));
    if (self->for_kept_.size() > 1)
      return;
    self->open([self](caf::expected<box_ptr> made) {
      self->kept_ = made ? *made : nullptr;
      for (auto& f : std::exchange(self->for_kept_, {}))
        f(made);
    });
  });
}

// That nothing could be swept is no reason not to go on: an engine that does
// not work says so again.
void container_pool::sweep_first(std::function<void()> then) {
  if (is_swept_)
    return then();
  for_sweep_.push_back(std::move(then));
  if (for_sweep_.size() > 1)
    return;
  sweep_containers(loop_, host_.engine,
                   [self = shared_from_this()](const auto&) {
                     self->is_swept_ = true;
                     for (auto& f : std::exchange(self->for_sweep_, {}))
                       f();
                   });
}

void container_pool::open(const opened& then) {
  if (closing_)
    return then(make_error(errc::cancelled, "the sandbox is closing"));
  auto planned = plan();
  if (!planned)
    return then(std::move(planned.error()));
  auto box = std::make_shared<container_box>(loop_, host_.engine,
                                             *policy_.container);
  boxes_.insert(box);
  box->open(std::move(*planned),
            [self = shared_from_this(), box, then](caf::error failed) {
              if (failed) {
                self->boxes_.erase(box);
                then(std::move(failed));
              } else {
                then(box);
              }
            });
}

caf::expected<container_plan> container_pool::plan() const {
  auto grants = grant_paths(*where_, policy_);
  if (!grants)
    return std::move(grants.error());
  constexpr auto plenty = uint64_t{1} << 20;
  auto facts = container_facts{};
  facts.relay = host_.relay;
  facts.home = container_home(*grants);
  facts.open_files = most_of(RLIMIT_NOFILE, plenty);
  facts.processes = most_processes();
  const auto& what = *policy_.container;
  auto labels = container_labels{};
  labels.id = what.reconnect ? what.name.value_or("") : make_id();
  labels.owner = what.reconnect ? std::string{} : this_owner();
  return plan_container(host_.engine, *grants, policy_, facts, labels);
}

void container_pool::run(process_id id, caf::expected<box_ptr> in) {
  auto found = waiting_.find(id);
  if (found == waiting_.end())
    return leave(in ? *in : nullptr, nullptr, process_result{});
  auto command = std::move(found->second);
  waiting_.erase(found);
  if (!in)
    return command.done(std::move(in.error()));
  auto box = *in;
  add_environment(command.spec, box->environment());
  auto happened = std::make_shared<std::function<relay::pressure()>>();
  auto done = [self = shared_from_this(), box, happened,
               done = std::move(command.done)](auto result) mutable {
    if (*happened)
      add_limit(result, (*happened)());
    self->leave(box, std::move(done), std::move(result));
  };
  commands_->start(id, box, std::move(command.spec), std::move(done));
  *happened = box->last_pressure();
}

// A fresh container ends with its command, and before that is told.
void container_pool::leave(const box_ptr& from, process_done done,
                           caf::expected<process_result> result) {
  if (policy_.warm || !from) {
    if (done)
      done(std::move(result));
    return;
  }
  from->close([self = shared_from_this(), from, done = std::move(done),
               result = std::move(result)]() mutable {
    self->boxes_.erase(from);
    if (done)
      done(std::move(result));
  });
}

} // namespace troupe
