#include "troupe/sandbox/remote/json_remote_client.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/remote/remote_protocol.hpp"

#include <atomic>
#include <utility>

namespace troupe {

namespace {

constexpr auto patience = std::chrono::seconds{50};

class json_remote_client : public remote_client {
public:
  explicit json_remote_client(std::shared_ptr<remote_transport> transport)
    : transport_(std::move(transport)) {
    // nop
  }

  caf::expected<std::string> read(const std::string& path) override {
    auto request = remote_request{};
    request.call = remote_call::read;
    request.path = path;
    auto answer = call(std::move(request), patience, {});
    if (!answer)
      return std::move(answer.error());
    return std::move(answer->content);
  }

  caf::error write(const std::string& path,
                   const std::string& content) override {
    auto request = remote_request{};
    request.call = remote_call::write;
    request.path = path;
    request.content = content;
    auto answer = call(std::move(request), patience, {});
    return answer ? caf::error{} : std::move(answer.error());
  }

  caf::expected<remote_outcome> exec(const remote_command& command,
                                     std::stop_token stop) override {
    auto request = remote_request{};
    request.call = remote_call::exec;
    request.command = command;
    auto answer = call(std::move(request), command.timeout + patience,
                       std::move(stop));
    if (!answer)
      return std::move(answer.error());
    return std::move(answer->outcome);
  }

  caf::error close() override {
    auto answer = call({}, patience, {});
    return answer ? caf::error{} : std::move(answer.error());
  }

private:
  caf::expected<remote_answer> call(remote_request request, caf::timespan most,
                                    std::stop_token stop) {
    request.id = ++last_;
    auto text = encode(request);
    if (text.size() > max_remote_message)
      return make_error(errc::tool, "that is too much for a remote sandbox");
    auto answer = transport_->call(request.id, std::move(text), most,
                                   std::move(stop));
    if (!answer)
      return std::move(answer.error());
    auto result = decode_answer(*answer, request.call);
    if (result && result->id != request.id)
      return make_error(errc::sandbox,
                        "the remote sandbox answers another call");
    if (result && result->failed)
      return std::move(result->failed);
    return result;
  }

  std::shared_ptr<remote_transport> transport_;
  std::atomic<uint64_t> last_ = 0;
};

} // namespace

remote_transport::~remote_transport() {
  // nop
}

std::shared_ptr<remote_client>
make_json_remote_client(std::shared_ptr<remote_transport> transport) {
  return std::make_shared<json_remote_client>(std::move(transport));
}

} // namespace troupe
