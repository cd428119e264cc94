#include "troupe/sandbox/limit_watch.hpp"

#include <chrono>
#include <utility>

namespace troupe {

namespace {

constexpr auto interval = std::chrono::milliseconds{100};

} // namespace

limit_watch::limit_watch(boost::asio::io_context& loop,
                         std::shared_ptr<namespace_sandbox> in)
  : timer_(loop),
    in_(std::move(in)) {
  if (in_->limits() != nullptr)
    before_ = in_->limits()->counts();
}

void limit_watch::start(std::function<void()> exceeded) {
  exceeded_ = std::move(exceeded);
  if (in_->limits() != nullptr)
    wait();
}

void limit_watch::wait() {
  timer_.expires_after(interval);
  timer_.async_wait([self = shared_from_this()](auto failed) {
    if (failed || !self->exceeded_)
      return;
    auto now = self->in_->limits()->counts();
    if (now.refused_processes > self->before_.refused_processes)
      std::exchange(self->exceeded_, nullptr)();
    else
      self->wait();
  });
}

void limit_watch::finish(caf::expected<process_result>& result) {
  exceeded_ = nullptr;
  timer_.cancel();
  if (in_->limits() == nullptr || !result || result->status == 0
      || !result->limit.empty())
    return;
  auto now = in_->limits()->counts();
  if (now.killed_for_memory > before_.killed_for_memory)
    result->limit = "memory";
  else if (now.refused_processes > before_.refused_processes)
    result->limit = "processes";
}

} // namespace troupe
