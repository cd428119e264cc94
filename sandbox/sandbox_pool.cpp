#include "troupe/sandbox/sandbox_pool.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/bubblewrap_plan.hpp"
#include "troupe/sandbox/cgroup_record.hpp"
#include "troupe/sandbox/host_seat.hpp"
#include "troupe/sandbox/owner_record.hpp"
#include "troupe/sandbox/process_plan.hpp"
#include "troupe/sandbox/workspace.hpp"

#include <chrono>
#include <utility>

namespace troupe {

namespace {

using boost::system::error_code;

// How long a sandbox waits for the next command. Opening another one takes
// some milliseconds.
constexpr auto idle_time = std::chrono::seconds{30};

// The init, a command's warden, and the one that waits for the next command,
// count too.
constexpr auto helpers = uint64_t{3};

caf::error serve(gateway& with, socket_use use, unique_fd socket) {
  switch (use) {
    case socket_use::proxy:
      return with.serve_proxy(std::move(socket));
    case socket_use::dns:
      return with.serve_dns(std::move(socket));
    case socket_use::transparent:
      return with.serve_transparent(std::move(socket));
    case socket_use::external:
      return with.serve_external(std::move(socket));
  }
  return {};
}

} // namespace

sandbox_pool::sandbox_pool(boost::asio::io_context& loop, bubblewrap_host host,
                           std::shared_ptr<const workspace> where,
                           sandbox_settings policy)
  : loop_(loop),
    host_(std::move(host)),
    where_(std::move(where)),
    policy_(std::move(policy)),
    seat_(make_host_seat(host_.warden)),
    commands_(std::make_shared<command_table>(loop)),
    idle_(loop) {
  // nop
}

void sandbox_pool::start(process_id id, process_spec spec, process_done done) {
  if (closing_)
    return done(make_error(errc::cancelled, "the sandbox is closing"));
  waiting_.emplace(id, waiting_command{std::move(spec), std::move(done)});
  idle_.cancel();
  auto taker = [self = shared_from_this(), id](auto in) {
    self->run(id, std::move(in));
  };
  if (policy_.warm)
    take_warm(std::move(taker));
  else
    take_fresh(std::move(taker));
}

void sandbox_pool::signal(process_id id, int number) {
  commands_->signal(id, number);
}

void sandbox_pool::terminate(process_id id) {
  auto found = waiting_.find(id);
  if (found == waiting_.end())
    return commands_->terminate(id);
  auto done = std::move(found->second.done);
  waiting_.erase(found);
  done(make_error(errc::cancelled, "the command was ended before it began"));
}

void sandbox_pool::close(std::function<void()> ended) {
  closing_ = true;
  idle_.cancel();
  ended_.push_back(std::move(ended));
  for (auto& [id, command] : std::exchange(waiting_, {}))
    command.done(make_error(errc::cancelled, "the sandbox is closing"));
  commands_->kill_all();
  commands_->when_empty([self = shared_from_this()] { self->end_sandboxes(); });
}

// Closing one that is already being closed only adds who is told.
void sandbox_pool::end_sandboxes() {
  if (sandboxes_.empty()) {
    for (auto& f : std::exchange(ended_, {}))
      f();
    return;
  }
  for (const auto& one : std::set<sandbox_ptr>{sandboxes_})
    one->close([self = shared_from_this(), one] {
      self->sandboxes_.erase(one);
      if (self->sandboxes_.empty())
        self->end_sandboxes();
    });
}

void sandbox_pool::take_warm(sandbox_taker then) {
  if (warm_ && warm_->is_open())
    return then(warm_);
  for_warm_.push_back(std::move(then));
  if (for_warm_.size() > 1)
    return;
  auto opened = [self = shared_from_this()](caf::expected<sandbox_ptr> box) {
    self->warm_ = box ? *box : nullptr;
    for (auto& f : std::exchange(self->for_warm_, {}))
      f(box);
  };
  auto plan = make_plan();
  if (plan)
    open(*plan, std::move(opened));
  else
    opened(std::move(plan.error()));
}

// A spare one is as good as a new one only while all that a new one would be
// made of is what it was made of: the directories above all.
void sandbox_pool::take_fresh(sandbox_taker then) {
  // One that is on its way is there before a new one would be.
  if (opening_spare_ && !for_spare_) {
    for_spare_ = std::move(then);
    return;
  }
  if (closing_)
    return then(make_error(errc::cancelled, "the sandbox is closing"));
  auto plan = make_plan();
  auto spare = std::exchange(spare_, std::nullopt);
  auto is_good = plan && spare && spare->box->is_open() && spare->plan == *plan;
  if (spare && !is_good)
    discard(spare->box);
  if (!plan)
    then(std::move(plan.error()));
  else if (is_good)
    then(spare->box);
  else
    open(*plan, std::move(then));
}

// While a command runs: the next one need not wait for its sandbox then.
void sandbox_pool::open_spare() {
  if (policy_.warm || closing_ || opening_spare_ || spare_)
    return;
  auto plan = make_plan();
  if (!plan)
    return;
  opening_spare_ = true;
  open(*plan, [self = shared_from_this(), plan = *plan](auto opened) {
    self->note_spare(std::move(opened), plan);
  });
}

void sandbox_pool::note_spare(caf::expected<sandbox_ptr> opened,
                              bubblewrap_plan plan) {
  opening_spare_ = false;
  // Who needs one will be told what is wrong.
  if (opened)
    spare_ = spare_sandbox{*opened, std::move(plan)};
  if (auto taker = std::exchange(for_spare_, nullptr))
    take_fresh(std::move(taker));
  else
    rest();
}

void sandbox_pool::discard(const sandbox_ptr& box) {
  box->close([self = shared_from_this(), box] { self->sandboxes_.erase(box); });
}

caf::expected<bubblewrap_plan> sandbox_pool::make_plan() const {
  auto grants = grant_paths(*where_, policy_);
  if (!grants)
    return std::move(grants.error());
  auto layout = look_at_host();
  layout.has_cgroup = host_.cgroups.version != 0;
  return plan_bubblewrap(*grants, policy_, sandbox_home(*where_, policy_),
                         layout, {host_.bubblewrap, host_.init});
}

void sandbox_pool::open(const bubblewrap_plan& plan, sandbox_taker then) {
  auto made = make_sandbox();
  if (!made)
    return then(std::move(made.error()));
  auto box = *made;
  sandboxes_.insert(box);
  box->open(plan, [self = shared_from_this(), box, then = std::move(then),
                   uses = plan.sockets](caf::error failed) {
    if (!failed)
      failed = self->connect(*box, uses);
    if (failed) {
      self->discard(box);
      then(std::move(failed));
    } else {
      then(box);
    }
  });
}

// A closed connection is all that a command notices of a gateway that is gone,
// so there is none without one.
caf::error sandbox_pool::connect(namespace_sandbox& box,
                                 const std::vector<socket_use>& uses) {
  auto sockets = box.take_sockets();
  if (sockets.size() != uses.size())
    return make_error(errc::sandbox, "the sandbox has not opened its sockets");
  if (uses.empty())
    return {};
  auto options = host_.gateway;
  options.network = policy_.network;
  auto way_out = gateway::make(std::move(options));
  if (!way_out)
    return std::move(way_out.error());
  for (size_t i = 0; i < uses.size(); ++i)
    if (auto failed = serve(**way_out, uses[i], std::move(sockets[i])))
      return failed;
  box.attach(std::move(*way_out));
  return {};
}

caf::expected<sandbox_pool::sandbox_ptr> sandbox_pool::make_sandbox() {
  auto limits = std::optional<cgroup>{};
  if (host_.cgroups.version != 0) {
    if (!std::exchange(swept_, true))
      sweep_cgroups(host_.cgroups);
    auto made = cgroup::make(host_.cgroups, make_owned_name(),
                             policy_.limits.memory,
                             policy_.limits.processes + helpers);
    if (!made)
      return std::move(made.error());
    limits.emplace(std::move(*made));
  }
  return std::make_shared<namespace_sandbox>(loop_, seat_, std::move(limits));
}

void sandbox_pool::run(process_id id, caf::expected<sandbox_ptr> in) {
  auto found = waiting_.find(id);
  if (found == waiting_.end())
    return rest_unused(in);
  auto command = std::move(found->second);
  waiting_.erase(found);
  if (!in)
    return command.done(std::move(in.error()));
  auto watch = std::make_shared<limit_watch>(loop_, *in,
                                             policy_.limits.processes);
  auto done = [self = shared_from_this(), box = *in, watch,
               done = std::move(command.done)](auto result) mutable {
    watch->finish(result);
    self->leave(box, std::move(done), std::move(result));
  };
  // First: a command that cannot be started has ended before the next line.
  watch->start();
  commands_->start(id, *in, std::move(command.spec), std::move(done));
  open_spare();
}

// Whoever it was for has been ended meanwhile.
void sandbox_pool::rest_unused(const caf::expected<sandbox_ptr>& box) {
  if (!policy_.warm && box)
    discard(*box);
  else
    rest();
}

// What a command left in the file systems that lie in memory would leave none
// to the next. Nobody else may be in there.
bool sandbox_pool::has_filled(
  const caf::expected<process_result>& result) const {
  return commands_->size() <= 1 && result && result->limit == "memory";
}

// A fresh sandbox ends with its command, and before that is told.
void sandbox_pool::leave(const sandbox_ptr& from, process_done done,
                         caf::expected<process_result> result) {
  if (policy_.warm && !has_filled(result)) {
    done(std::move(result));
    return rest();
  }
  if (warm_ == from)
    warm_ = nullptr;
  from->close([self = shared_from_this(), from, done = std::move(done),
               result = std::move(result)]() mutable {
    self->sandboxes_.erase(from);
    done(std::move(result));
    self->rest();
  });
}

// Runs before a command that has just ended leaves the table.
void sandbox_pool::rest() {
  if ((!warm_ && !spare_) || commands_->size() > 1 || !waiting_.empty()
      || closing_)
    return;
  idle_.expires_after(idle_time);
  idle_.async_wait([self = shared_from_this()](error_code failed) {
    if (failed || self->commands_->size() > 0 || !self->waiting_.empty())
      return;
    if (auto box = std::exchange(self->warm_, nullptr))
      self->discard(box);
    if (auto spare = std::exchange(self->spare_, std::nullopt))
      self->discard(spare->box);
  });
}

} // namespace troupe
