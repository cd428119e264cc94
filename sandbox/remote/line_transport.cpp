#include "troupe/config/errc.hpp"
#include "troupe/sandbox/process_io.hpp"
#include "troupe/sandbox/process_plan.hpp"
#include "troupe/sandbox/process_runner.hpp"
#include "troupe/sandbox/remote/json_remote_client.hpp"
#include "troupe/sandbox/remote/remote_protocol.hpp"

#include <future>
#include <map>
#include <utility>

namespace troupe {

namespace {

using answer = caf::expected<std::string>;

constexpr auto at_once = size_t{64} << 10;

constexpr auto forever = std::chrono::hours{24 * 365};

/// Who waits for which line. Lives on the process thread.
class line_table : public std::enable_shared_from_this<line_table> {
public:
  explicit line_table(std::shared_ptr<process_io> io) : io_(std::move(io)) {
    // nop
  }

  void send(uint64_t id, std::string text, std::function<void(answer)> done) {
    if (ended_)
      return done(make_error(errc::sandbox, why_));
    waiting_[id] = std::move(done);
    write(std::move(text));
  }

  // Only as long as somebody waits: a late one would hit another call.
  void cancel(uint64_t id) {
    auto request = remote_request{};
    request.id = id;
    request.call = remote_call::cancel;
    if (waiting_.contains(id) && !ended_)
      write(encode(request));
  }

  void forget(uint64_t id) {
    waiting_.erase(id);
  }

  void read() {
    io_->read(process_stream::output, at_once, forever,
              [self = shared_from_this()](caf::expected<process_chunk> chunk) {
                if (!chunk || chunk->end)
                  return self->end("the remote sandbox's program has ended");
                self->take(chunk->text);
                if (!self->ended_)
                  self->read();
              });
  }

  void end(const std::string& why) {
    if (std::exchange(ended_, true))
      return;
    why_ = why;
    io_->close();
    for (auto& [id, done] : std::exchange(waiting_, {}))
      done(make_error(errc::sandbox, why));
  }

private:
  void write(std::string text) {
    text += '\n';
    // That it fails is told by the end of what is read.
    io_->write(std::move(text), [](const caf::error&) {});
  }

  void take(std::string_view text) {
    while (!text.empty()) {
      auto end = text.find('\n');
      line_.append(text.substr(0, end));
      if (line_.size() > max_remote_message)
        return this->end("the remote sandbox answers without end");
      if (end == text.npos)
        return;
      hand_on(std::exchange(line_, {}));
      text.remove_prefix(end + 1);
    }
  }

  // An answer that nobody waits for any more comes late.
  void hand_on(std::string line) {
    auto id = id_in(line);
    if (!id)
      return end(to_fault(id.error()).message);
    auto found = waiting_.find(*id);
    if (found == waiting_.end())
      return;
    auto done = std::move(found->second);
    waiting_.erase(found);
    done(std::move(line));
  }

  std::shared_ptr<process_io> io_;
  std::map<uint64_t, std::function<void(answer)>> waiting_;
  std::string line_;
  std::string why_;
  bool ended_ = false;
};

class line_transport : public remote_transport {
public:
  line_transport(std::shared_ptr<process_thread> thread,
                 std::shared_ptr<process_runner> runner,
                 std::shared_ptr<line_table> table)
    : thread_(std::move(thread)),
      runner_(std::move(runner)),
      table_(std::move(table)) {
    // nop
  }

  ~line_transport() override {
    thread_->post([table = table_] { table->end("it was closed"); });
  }

  answer call(uint64_t id, std::string request, caf::timespan most,
              std::stop_token stop) override {
    auto told = std::make_shared<std::promise<answer>>();
    auto result = told->get_future();
    thread_->post(
      [table = table_, id, told, request = std::move(request)]() mutable {
        table->send(id, std::move(request),
                    [told](answer x) { told->set_value(std::move(x)); });
      });
    auto on_stop = std::stop_callback{std::move(stop), [this, id] {
                                        thread_->post([table = table_, id] {
                                          table->cancel(id);
                                        });
                                      }};
    if (result.wait_for(most) == std::future_status::ready)
      return result.get();
    thread_->post([table = table_, id] { table->forget(id); });
    return make_error(errc::sandbox, "the remote sandbox does not answer");
  }

private:
  std::shared_ptr<process_thread> thread_;
  std::shared_ptr<process_runner> runner_;
  std::shared_ptr<line_table> table_;
};

} // namespace

caf::expected<std::shared_ptr<remote_transport>>
make_line_transport(std::shared_ptr<process_thread> thread,
                    std::vector<std::string> command) {
  auto runner = make_host_runner(thread);
  if (!runner)
    return std::move(runner.error());
  auto io = process_io::make(thread, std::nullopt);
  if (!io)
    return std::move(io.error());
  auto spec = process_spec{};
  spec.argv = std::move(command);
  spec.directory = "/";
  spec.environment = host_environment();
  spec.stdio = (*io)->stdio();
  // What it complains about is kept by nobody, and must not hold it up.
  spec.stdio.errors = nullptr;
  spec.output = 0;
  spec.wall = forever;
  auto table = std::make_shared<line_table>(*io);
  (*runner)->start(std::move(spec), [table](const auto& result) {
    table->end(result ? "the remote sandbox's program has ended"
                      : to_fault(result.error()).message);
  });
  (*io)->started();
  thread->post([table] { table->read(); });
  return std::shared_ptr<remote_transport>{std::make_shared<line_transport>(
    std::move(thread), std::move(*runner), std::move(table))};
}

} // namespace troupe
