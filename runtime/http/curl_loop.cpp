#include "troupe/runtime/http/curl_loop.hpp"

#include "troupe/config/errc.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

// Handles kept for the next transfers; each holds a few KiB.
constexpr size_t most_spare = 256;

uint32_t epoll_events(int what) {
  auto in = (what & CURL_POLL_IN) != 0 ? uint32_t{EPOLLIN} : 0;
  auto out = (what & CURL_POLL_OUT) != 0 ? uint32_t{EPOLLOUT} : 0;
  return in | out;
}

int curl_events(uint32_t events) {
  auto in = (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0;
  auto out = (events & EPOLLOUT) != 0;
  return (in ? CURL_CSELECT_IN : 0) | (out ? CURL_CSELECT_OUT : 0);
}

bool watch(int epoll, int operation, int fd, uint32_t events) {
  auto event = epoll_event{};
  event.events = events;
  event.data.fd = fd;
  return epoll_ctl(epoll, operation, fd, &event) == 0;
}

caf::error cancelled() {
  return make_error(errc::cancelled, "the transfer was aborted");
}

} // namespace

caf::expected<std::unique_ptr<curl_loop>>
curl_loop::make(curl_settings settings, curl_inbox_ptr inbox) {
  auto result = std::unique_ptr<curl_loop>{
    new curl_loop(std::move(settings), std::move(inbox))};
  if (!result->open())
    return make_error(errc::internal, "libcurl or epoll cannot be used here",
                      "curl_loop");
  return result;
}

curl_loop::curl_loop(curl_settings settings, curl_inbox_ptr inbox)
  : settings_(std::move(settings)),
    inbox_(std::move(inbox)) {
  // Counts its callers, and is safe on any thread since libcurl 7.84.
  curl_global_init(CURL_GLOBAL_DEFAULT);
}

bool curl_loop::open() {
  epoll_ = unique_fd{epoll_create1(EPOLL_CLOEXEC)};
  multi_ = curl_multi_init();
  if (!epoll_ || multi_ == nullptr)
    return false;
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &curl_loop::on_socket);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &curl_loop::on_timer);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS,
                    static_cast<long>(settings_.idle_connections));
  return watch(epoll_.get(), EPOLL_CTL_ADD, inbox_->wake_fd(),
               EPOLLIN | EPOLLET);
}

curl_loop::~curl_loop() {
  for (auto* easy : spare_)
    curl_easy_cleanup(easy);
  if (multi_ != nullptr)
    curl_multi_cleanup(multi_);
  curl_global_cleanup();
}

void curl_loop::run() {
  auto orders = std::vector<curl_order>{};
  while (inbox_->take(orders)) {
    for (const auto& order : orders)
      obey(order);
    orders.clear();
    wait_and_serve();
    finish_done();
    end_overdue();
  }
  while (!active_.empty())
    finish(curl_transfer_ptr{active_.back()}, cancelled());
}

int curl_loop::on_socket(void*, int socket, int what, void* self, void* known) {
  auto& loop = *static_cast<curl_loop*>(self);
  if (what == CURL_POLL_REMOVE) {
    watch(loop.epoll_.get(), EPOLL_CTL_DEL, socket, 0);
    return 0;
  }
  watch(loop.epoll_.get(), known == nullptr ? EPOLL_CTL_ADD : EPOLL_CTL_MOD,
        socket, epoll_events(what));
  if (known == nullptr)
    curl_multi_assign(loop.multi_, socket, self);
  return 0;
}

int curl_loop::on_timer(void*, long timeout, void* self) {
  auto& loop = *static_cast<curl_loop*>(self);
  if (timeout < 0)
    loop.curl_due_.reset();
  else
    loop.curl_due_ = loop.now_ + std::chrono::milliseconds{timeout};
  return 0;
}

void curl_loop::obey(const curl_order& order) {
  const auto& transfer = order.transfer;
  if (order.kind == curl_order::start)
    start(transfer);
  else if (transfer->easy() == nullptr)
    return; // over before the order came
  else if (order.kind == curl_order::resume)
    resume(transfer);
  else
    finish(transfer, cancelled());
}

void curl_loop::start(const curl_transfer_ptr& transfer) {
  auto* easy = take_easy();
  if (easy == nullptr)
    return transfer->finish(make_error(errc::internal, "out of memory"));
  transfer->position = active_.size();
  active_.push_back(transfer);
  auto err = transfer->configure(easy, now_);
  if (!err && curl_multi_add_handle(multi_, easy) != CURLM_OK)
    err = make_error(errc::internal, "libcurl takes no more transfers");
  if (err)
    return finish(transfer, std::move(err));
  look_again_at(transfer->not_overdue_before());
}

void curl_loop::resume(const curl_transfer_ptr& transfer) {
  if (auto code = transfer->resume(); code != CURLE_OK)
    finish(transfer, transfer->outcome(code));
}

// The handler comes last: by then the connection is free for what it starts.
void curl_loop::finish(const curl_transfer_ptr& transfer, caf::error why) {
  auto* easy = transfer->easy();
  curl_multi_remove_handle(multi_, easy);
  transfer->release();
  give_back(easy);
  auto position = transfer->position;
  std::swap(active_[position], active_.back());
  active_[position]->position = position;
  active_.pop_back();
  transfer->finish(std::move(why));
}

void curl_loop::wait_and_serve() {
  auto running = 0;
  auto limit = inbox_->prepare_sleep() ? idle_time() : 0;
  auto count = epoll_wait(epoll_.get(), events_.data(),
                          static_cast<int>(events_.size()), limit);
  inbox_->end_sleep();
  now_ = curl_clock::now();
  for (auto i = 0; i < count; ++i) {
    const auto& event = events_[static_cast<size_t>(i)];
    if (event.data.fd != inbox_->wake_fd())
      curl_multi_socket_action(multi_, event.data.fd, curl_events(event.events),
                               &running);
  }
  if (curl_due_ && *curl_due_ <= now_) {
    curl_due_.reset();
    curl_multi_socket_action(multi_, CURL_SOCKET_TIMEOUT, 0, &running);
  }
}

int curl_loop::idle_time() const {
  auto due = curl_due_;
  if (!due || (look_at_ && *look_at_ < *due))
    due = look_at_;
  if (!due)
    return -1;
  auto left = std::chrono::ceil<std::chrono::milliseconds>(*due - now_).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, 60'000));
}

void curl_loop::finish_done() {
  auto left = 0;
  while (auto* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE)
      continue;
    auto code = message->data.result;
    curl_transfer* transfer = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
    auto done = active_[transfer->position];
    finish(done, done->outcome(code));
  }
}

void curl_loop::end_overdue() {
  if (!look_at_ || *look_at_ > now_)
    return;
  look_at_.reset();
  for (size_t i = active_.size(); i-- > 0;) {
    auto transfer = active_[i];
    if (transfer->is_overdue())
      finish(transfer, transfer->overdue());
    else
      look_again_at(transfer->not_overdue_before());
  }
}

void curl_loop::look_again_at(curl_clock::time_point time) {
  if (!look_at_ || time < *look_at_)
    look_at_ = time;
}

void* curl_loop::take_easy() {
  if (!spare_.empty()) {
    auto* result = spare_.back();
    spare_.pop_back();
    return result;
  }
  auto* result = curl_easy_init();
  if (result != nullptr)
    curl_transfer::prepare(result, settings_);
  return result;
}

void curl_loop::give_back(void* easy) {
  if (spare_.size() < most_spare)
    spare_.push_back(easy);
  else
    curl_easy_cleanup(easy);
}

} // namespace troupe
