#include "troupe/sandbox/limit_watch.hpp"

#include <chrono>
#include <csignal>
#include <utility>

namespace troupe {

namespace {

constexpr auto interval = std::chrono::milliseconds{100};

} // namespace

limit_watch::limit_watch(boost::asio::io_context& loop,
                         std::shared_ptr<namespace_sandbox> in,
                         uint64_t processes)
  : timer_(loop),
    in_(std::move(in)),
    processes_(processes) {
  before_ = in_->counts();
}

void limit_watch::start() {
  if (in_->has_limits())
    wait();
}

void limit_watch::wait() {
  timer_.expires_after(interval);
  timer_.async_wait([self = shared_from_this()](auto failed) {
    if (failed || self->finished_)
      return;
    self->in_->relieve(self->processes_);
    self->wait();
  });
}

// A command can see to it that the init is killed before it, and then there is
// nobody who could report.
void limit_watch::name_end_of_sandbox(
  caf::expected<process_result>& result) const {
  if (!in_->has_limits() || result || in_->is_open()
      || in_->counts().killed_for_memory == before_.killed_for_memory)
    return;
  auto killed = process_result{};
  killed.signal = SIGKILL;
  killed.status = 128 + SIGKILL;
  killed.limit = "memory";
  result = std::move(killed);
}

void limit_watch::finish(caf::expected<process_result>& result) {
  finished_ = true;
  timer_.cancel();
  name_end_of_sandbox(result);
  if (!in_->has_limits() || !result || result->status == 0
      || !result->limit.empty())
    return;
  auto now = in_->counts();
  if (now.killed_for_memory > before_.killed_for_memory)
    result->limit = "memory";
  else if (now.refused_processes > before_.refused_processes)
    result->limit = "processes";
}

} // namespace troupe
