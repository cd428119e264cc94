// The remote backend against the reference server of the examples.

#include "troupe/sandbox/process_io.hpp"
#include "troupe/sandbox/process_plan.hpp"
#include "troupe/sandbox/remote/json_remote_client.hpp"
#include "troupe/sandbox/remote/remote_runner.hpp"

#include "sandbox/conformance/check.hpp"
#include "sandbox/process_support.hpp"

#include <future>

using namespace troupe;
using backend_conformance::backend_traits;
using backend_conformance::opened_backend;

namespace {

/// A server on a port of the loopback, ended with this.
class http_server {
public:
  explicit http_server(const test::temp_dir& folder) {
    auto io = process_io::make(*process_thread::make(), std::nullopt);
    REQUIRE(io);
    auto spec = process_spec{};
    spec.argv = {TROUPE_REMOTE_SERVER, folder.path().string(), "--http"};
    spec.directory = "/";
    spec.environment = host_environment();
    spec.stdio = (*io)->stdio();
    runner_->start(std::move(spec), [](const auto&) {});
    (*io)->started();
    auto line = std::promise<std::string>{};
    (*io)->read(process_stream::output, 100, std::chrono::seconds{60},
                [&line](auto x) { line.set_value(x ? x->text : ""); });
    port_ = line.get_future().get();
    REQUIRE_FALSE(port_.empty());
    port_.pop_back();
    io_ = *io;
  }

  std::string url() const {
    return "http://127.0.0.1:" + port_ + "/";
  }

private:
  std::shared_ptr<process_runner> runner_ = test::make_runner();
  std::shared_ptr<process_io> io_;
  std::string port_;
};

/// What a remote backend stands on, in the order in which it goes.
struct remote_ground {
  test::temp_dir folder;
  std::shared_ptr<http_server> server;
  std::shared_ptr<remote_calls> calls;
};

using transport_maker
  = std::function<caf::expected<std::shared_ptr<remote_transport>>(
    remote_ground&)>;

backend_conformance::backend_factory over(const transport_maker& connect) {
  return
    [connect](const sandbox_settings& policy) -> caf::expected<opened_backend> {
      auto ground = std::make_shared<remote_ground>();
      auto transport = connect(*ground);
      if (!transport)
        return std::move(transport.error());
      ground->calls = std::make_shared<remote_calls>(
        make_json_remote_client(std::move(*transport)));
      auto files = make_remote_file_space(ground->calls, policy);
      auto commands = make_remote_runner(nullptr, ground->calls);
      if (!files || !commands)
        return files ? commands.error() : files.error();
      auto result = opened_backend{};
      result.ground = ground;
      result.files = std::move(*files);
      result.commands = std::move(*commands);
      result.plan = [policy](const process_request& x) {
        return plan_remote(x, policy);
      };
      return result;
    };
}

// The reference server contains nothing: that is its machine's part.
backend_traits remote_traits() {
  auto result = backend_traits{};
  result.is_contained = result.has_named_paths = result.has_streams = false;
  return result;
}

} // namespace

TEST_CASE("a remote sandbox over lines is a sandbox", "[conformance]") {
  test::check_conformance(remote_traits(), over([](remote_ground& on) {
                            return make_line_transport(
                              *process_thread::make(),
                              {TROUPE_REMOTE_SERVER,
                               on.folder.path().string()});
                          }));
}

TEST_CASE("a remote sandbox over HTTP is a sandbox", "[conformance]") {
  test::check_conformance(
    remote_traits(), over([](remote_ground& on) {
      on.server = std::make_shared<http_server>(on.folder);
      return make_http_transport(*process_thread::make(), on.server->url());
    }));
}
