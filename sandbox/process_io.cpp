#include "troupe/sandbox/process_io.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/stream_reader.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <termios.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/ioctl.h>

namespace troupe {

namespace {

using boost::system::error_code;

/// Both sides of the streams.
struct stream_ends {
  unique_fd input;
  unique_fd output;
  unique_fd errors;
  process_stdio theirs;
};

std::shared_ptr<unique_fd> share(int fd) {
  return std::make_shared<unique_fd>(fd);
}

bool make_pipe(std::array<int, 2>& ends) {
  return ::pipe2(ends.data(), O_CLOEXEC) == 0;
}

bool make_pipes(stream_ends& to) {
  auto ends = std::array<int, 2>{};
  if (!make_pipe(ends))
    return false;
  to.theirs.input = share(ends[0]);
  to.input = unique_fd{ends[1]};
  if (!make_pipe(ends))
    return false;
  to.output = unique_fd{ends[0]};
  to.theirs.output = share(ends[1]);
  if (!make_pipe(ends))
    return false;
  to.errors = unique_fd{ends[0]};
  to.theirs.errors = share(ends[1]);
  return true;
}

void set_size(int fd, terminal_size size) {
  auto window = winsize{};
  window.ws_row = size.rows;
  window.ws_col = size.columns;
  ::ioctl(fd, TIOCSWINSZ, &window);
}

bool make_terminal(terminal_size size, stream_ends& to) {
  auto ours = unique_fd{::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)};
  auto name = std::array<char, 64>{};
  if (!ours || ::grantpt(ours.get()) != 0 || ::unlockpt(ours.get()) != 0
      || ::ptsname_r(ours.get(), name.data(), name.size()) != 0)
    return false;
  set_size(ours.get(), size);
  auto theirs = share(::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC));
  to.input = unique_fd{::fcntl(ours.get(), F_DUPFD_CLOEXEC, 0)};
  to.output = std::move(ours);
  to.theirs = {theirs, theirs, theirs, true};
  return *theirs && to.input;
}

/// What the thread works on; its pending operations keep it.
class stream_set : public std::enable_shared_from_this<stream_set> {
public:
  explicit stream_set(boost::asio::io_context& loop)
    : input_(loop),
      output_(std::make_shared<stream_reader>(loop)),
      errors_(std::make_shared<stream_reader>(loop)) {
    // nop
  }

  caf::error open(stream_ends& ends, bool is_terminal) {
    is_terminal_ = is_terminal;
    auto failed = error_code{};
    input_.assign(ends.input.get(), failed);
    if (failed)
      return make_error(errc::sandbox,
                        "cannot write to a command: " + failed.message());
    ends.input.release();
    if (auto why = output_->open(std::move(ends.output)))
      return why;
    return ends.errors ? errors_->open(std::move(ends.errors)) : caf::error{};
  }

  void write(std::string text, process_io::write_done done) {
    outbox_.push_back({std::move(text), std::move(done)});
    if (outbox_.size() == 1)
      write_next();
  }

  void close_input() {
    constexpr auto end_of_input = "\x04";
    if (is_terminal_)
      return write(end_of_input, [](const caf::error&) {});
    is_closing_ = true;
    if (outbox_.empty())
      close(input_);
  }

  void read(process_stream from, size_t most, caf::timespan timeout,
            process_io::read_done done) {
    auto& reader = from == process_stream::output ? output_ : errors_;
    reader->read(most, timeout, std::move(done));
  }

  void resize(terminal_size to) {
    if (is_terminal_ && input_.is_open())
      set_size(input_.native_handle(), to);
  }

  void close_all() {
    close(input_);
    output_->close();
    errors_->close();
  }

private:
  struct text_to_write {
    std::string text;
    process_io::write_done done;
  };

  static void close(boost::asio::posix::stream_descriptor& x) {
    auto ignored = error_code{};
    x.close(ignored);
  }

  void write_next() {
    auto& next = outbox_.front();
    if (!input_.is_open())
      return finish_write(boost::asio::error::bad_descriptor);
    boost::asio::async_write(input_, boost::asio::buffer(next.text),
                             [self = shared_from_this()](error_code failed,
                                                         size_t) {
                               self->finish_write(failed);
                             });
  }

  void finish_write(error_code failed) {
    auto done = std::move(outbox_.front().done);
    outbox_.pop_front();
    if (failed)
      done(make_error(errc::tool, "the command does not read any more: "
                                    + failed.message()));
    else
      done({});
    if (!outbox_.empty())
      write_next();
    else if (is_closing_)
      close(input_);
  }

  boost::asio::posix::stream_descriptor input_;
  std::shared_ptr<stream_reader> output_;
  std::shared_ptr<stream_reader> errors_;
  std::deque<text_to_write> outbox_;
  bool is_terminal_ = false;
  bool is_closing_ = false;
};

class thread_io : public process_io {
public:
  thread_io(std::shared_ptr<process_thread> thread,
            std::shared_ptr<stream_set> streams, process_stdio theirs)
    : thread_(std::move(thread)),
      streams_(std::move(streams)),
      theirs_(std::move(theirs)) {
    // nop
  }

  ~thread_io() override {
    close_streams();
  }

  process_stdio stdio() const override {
    auto guard = std::lock_guard{mutex_};
    return theirs_;
  }

  void started() override {
    auto guard = std::lock_guard{mutex_};
    theirs_ = {};
  }

  void write(std::string text, write_done done) override {
    thread_->post([streams = streams_, text = std::move(text),
                   done = std::move(done)]() mutable {
      streams->write(std::move(text), std::move(done));
    });
  }

  void close_input() override {
    thread_->post([streams = streams_] { streams->close_input(); });
  }

  void read(process_stream from, size_t most, caf::timespan timeout,
            read_done done) override {
    thread_->post([streams = streams_, from, most, timeout,
                   done = std::move(done)]() mutable {
      streams->read(from, most, timeout, std::move(done));
    });
  }

  void resize(terminal_size to) override {
    thread_->post([streams = streams_, to] { streams->resize(to); });
  }

  void close() override {
    close_streams();
  }

private:
  void close_streams() {
    thread_->post([streams = streams_] { streams->close_all(); });
  }

  std::shared_ptr<process_thread> thread_;
  std::shared_ptr<stream_set> streams_;
  mutable std::mutex mutex_;
  process_stdio theirs_;
};

} // namespace

process_io::~process_io() {
  // nop
}

caf::expected<std::shared_ptr<process_io>>
process_io::make(std::shared_ptr<process_thread> thread,
                 std::optional<terminal_size> terminal) {
  auto ends = stream_ends{};
  auto made = terminal ? make_terminal(*terminal, ends) : make_pipes(ends);
  if (!made)
    return make_error(errc::sandbox,
                      "cannot make the streams of a command: "
                        + std::generic_category().message(errno));
  auto streams = std::make_shared<stream_set>(thread->loop());
  if (auto failed = streams->open(ends, terminal.has_value()))
    return failed;
  return std::static_pointer_cast<process_io>(std::make_shared<thread_io>(
    std::move(thread), std::move(streams), std::move(ends.theirs)));
}

} // namespace troupe
