#include "troupe/runtime/http/curl_transport.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/runtime/http/curl_inbox.hpp"
#include "troupe/runtime/http/curl_loop.hpp"

#include <pthread.h>

#include <system_error>
#include <thread>
#include <utility>

#include <signal.h>

namespace troupe {

namespace {

// Holds what may outlive the transport: the inbox, closed by then.
class curl_ticket : public http_transfer {
public:
  curl_ticket(curl_inbox_ptr inbox, curl_transfer_ptr transfer)
    : inbox_(std::move(inbox)),
      transfer_(std::move(transfer)) {
    // nop
  }

  curl_ticket(const curl_ticket&) = delete;
  curl_ticket& operator=(const curl_ticket&) = delete;

  ~curl_ticket() override {
    abort();
  }

  void abort() noexcept override {
    if (!transfer_->is_over())
      inbox_->post({curl_order::abort, transfer_});
  }

  void consumed(size_t bytes) noexcept override {
    if (transfer_->consume(bytes))
      inbox_->post({curl_order::resume, transfer_});
  }

private:
  curl_inbox_ptr inbox_;
  curl_transfer_ptr transfer_;
};

// Blocks all signals in its scope, so that a thread started there leaves them
// to the threads of the program.
class signal_block {
public:
  signal_block() {
    auto all = sigset_t{};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }

  signal_block(const signal_block&) = delete;
  signal_block& operator=(const signal_block&) = delete;

  ~signal_block() {
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

private:
  sigset_t before_{};
};

class curl_transport : public http_transport {
public:
  curl_transport(size_t max_unconsumed, curl_inbox_ptr inbox,
                 std::unique_ptr<curl_loop> loop)
    : max_unconsumed_(max_unconsumed),
      inbox_(std::move(inbox)),
      loop_(std::move(loop)) {
    auto block = signal_block{};
    thread_ = std::thread{[this] { loop_->run(); }};
    pthread_setname_np(thread_.native_handle(), "troupe-http");
  }

  curl_transport(const curl_transport&) = delete;
  curl_transport& operator=(const curl_transport&) = delete;

  ~curl_transport() override {
    inbox_->close();
    thread_.join();
  }

  std::unique_ptr<http_transfer>
  start(http_request request, std::unique_ptr<http_handler> handler) override {
    auto transfer = std::make_shared<curl_transfer>(std::move(request),
                                                    std::move(handler),
                                                    max_unconsumed_);
    if (!inbox_->post({curl_order::start, transfer}))
      transfer->finish(make_error(errc::cancelled, "the transport is closing"));
    return std::make_unique<curl_ticket>(inbox_, std::move(transfer));
  }

private:
  size_t max_unconsumed_;
  curl_inbox_ptr inbox_;
  std::unique_ptr<curl_loop> loop_;
  std::thread thread_;
};

} // namespace

caf::expected<std::unique_ptr<http_transport>>
make_curl_transport(curl_settings settings) {
  auto inbox = curl_inbox::make();
  if (!inbox)
    return inbox.error();
  auto max_unconsumed = settings.max_unconsumed;
  auto loop = curl_loop::make(std::move(settings), *inbox);
  if (!loop)
    return loop.error();
  try {
    return std::unique_ptr<http_transport>{std::make_unique<curl_transport>(
      max_unconsumed, std::move(*inbox), std::move(*loop))};
  } catch (const std::system_error& failure) {
    return make_error(errc::internal, failure.what(), "the thread for HTTP");
  }
}

} // namespace troupe
