#include "troupe/runtime/http/curl_inbox.hpp"

#include "troupe/config/errc.hpp"

#include <cstring>
#include <utility>

#include <sys/eventfd.h>

namespace troupe {

caf::expected<curl_inbox_ptr> curl_inbox::make() {
  auto wake = unique_fd{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  if (!wake)
    return make_error(errc::internal, "no more file descriptors", "eventfd");
  return std::make_shared<curl_inbox>(std::move(wake));
}

curl_inbox::curl_inbox(unique_fd wake) : wake_(std::move(wake)) {
  // nop
}

bool curl_inbox::post(curl_order order) {
  auto guard = std::lock_guard{mutex_};
  if (closed_)
    return false;
  orders_.push_back(std::move(order));
  wake();
  return true;
}

void curl_inbox::close() {
  auto guard = std::lock_guard{mutex_};
  closed_ = true;
  wake();
}

bool curl_inbox::take(std::vector<curl_order>& out) {
  auto guard = std::lock_guard{mutex_};
  out.swap(orders_);
  return !closed_ || !out.empty();
}

bool curl_inbox::prepare_sleep() {
  auto guard = std::lock_guard{mutex_};
  asleep_ = orders_.empty() && !closed_;
  return asleep_;
}

void curl_inbox::end_sleep() {
  auto guard = std::lock_guard{mutex_};
  asleep_ = false;
}

void curl_inbox::wake() {
  if (std::exchange(asleep_, false))
    eventfd_write(wake_.get(), 1);
}

} // namespace troupe
