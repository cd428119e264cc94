#pragma once

#include "troupe/config/errc.hpp"
#include "troupe/runtime/http/http_transport.hpp"

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::test {

/// One transfer that a test plays the server of.
struct fake_transfer {
  http_request request;
  std::unique_ptr<http_handler> handler;
  size_t consumed = 0;
  bool aborted = false;

  void head(int status, std::string lines = {}) {
    handler->on_head({status, std::move(lines)});
  }

  void data(std::string_view bytes) {
    handler->on_data(bytes);
  }

  void end(caf::error why = {}) {
    auto last = std::move(handler);
    last->on_done(std::move(why));
  }
};

using fake_transfer_ptr = std::shared_ptr<fake_transfer>;

/// A transport without a network: transfers wait for what the test does with
/// them. An abort is only noted; the test ends the transfer.
class fake_transport : public http_transport {
public:
  fake_transport() = default;
  fake_transport(const fake_transport&) = delete;
  fake_transport& operator=(const fake_transport&) = delete;

  ~fake_transport() override {
    for (const auto& transfer : transfers)
      if (transfer->handler)
        transfer->end(make_error(errc::cancelled, "the transport is gone"));
  }

  std::unique_ptr<http_transfer>
  start(http_request request, std::unique_ptr<http_handler> handler) override {
    auto transfer = std::make_shared<fake_transfer>();
    transfer->request = std::move(request);
    transfer->handler = std::move(handler);
    transfers.push_back(transfer);
    return std::make_unique<ticket>(std::move(transfer));
  }

  /// In the order they were started.
  std::deque<fake_transfer_ptr> transfers;

private:
  class ticket : public http_transfer {
  public:
    explicit ticket(fake_transfer_ptr transfer)
      : transfer_(std::move(transfer)) {
      // nop
    }

    ~ticket() override {
      abort();
    }

    void abort() noexcept override {
      transfer_->aborted = transfer_->aborted || transfer_->handler != nullptr;
    }

    void consumed(size_t bytes) noexcept override {
      transfer_->consumed += bytes;
    }

  private:
    fake_transfer_ptr transfer_;
  };
};

} // namespace troupe::test
