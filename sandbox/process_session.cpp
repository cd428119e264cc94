#include "troupe/sandbox/process_session.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/process_ends.hpp"
#include "troupe/sandbox/workspace_path.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <system_error>
#include <utility>

#include <sys/wait.h>

namespace troupe {

namespace {

using boost::system::error_code;

// What a command leaves running gets this long to end by itself, so that the
// tail of a pipe is not lost: "make > >(tee log)".
constexpr auto drain = std::chrono::milliseconds{100};

// The kernel ends a killed process at once, unless it hangs in a device.
constexpr auto patience = std::chrono::seconds{10};

// No timer overflows.
constexpr auto longest = std::chrono::hours{24 * 365};

void append_text(std::string& to, const std::string& text) {
  to.append(text.c_str(), text.size() + 1);
}

template <class Unit>
auto count_of(caf::timespan x) {
  return std::chrono::duration_cast<Unit>(
           std::clamp<caf::timespan>(x, {}, longest))
    .count();
}

warden::command_header header_of(const process_spec& spec) {
  auto result = warden::command_header{};
  result.arguments = static_cast<uint32_t>(spec.argv.size());
  result.variables = static_cast<uint32_t>(spec.environment.size());
  result.leftovers = static_cast<uint32_t>(spec.leftovers.size());
  result.drain = static_cast<uint32_t>(drain.count());
  if (spec.cpu > caf::timespan{0})
    result.cpu = static_cast<uint32_t>(std::clamp<int64_t>(
      count_of<std::chrono::milliseconds>(spec.cpu), 1, 1 << 30));
  result.open_files = spec.open_files;
  result.file = spec.file;
  result.terminal = spec.stdio.terminal ? 1 : 0;
  result.alone = spec.can_spawn ? 0 : 1;
  result.collected = !spec.stdio.output && !spec.stdio.errors ? 1 : 0;
  auto wall = std::clamp<caf::timespan>(spec.wall, {}, longest);
  auto grace = std::clamp<caf::timespan>(spec.grace, {}, longest);
  result.wall = static_cast<uint64_t>(
    count_of<std::chrono::milliseconds>(wall + grace + patience));
  return result;
}

// The command as the warden reads it.
std::string encode(const process_spec& spec) {
  auto texts = std::string{};
  append_text(texts, spec.directory);
  for (const auto& argument : spec.argv)
    append_text(texts, argument);
  for (const auto& [name, value] : spec.environment)
    append_text(texts.append(name).append("="), value);
  for (const auto& path : spec.leftovers)
    append_text(texts, path);
  auto header = header_of(spec);
  header.bytes = static_cast<uint32_t>(
    std::min<size_t>(texts.size(), warden::max_texts + 1));
  const auto* bytes = reinterpret_cast<const char*>(&header);
  return std::string{bytes, sizeof header} + texts;
}

const char* name_of(warden::exceeded limit) {
  switch (limit) {
    case warden::exceeded::cpu:
      return "cpu";
    case warden::exceeded::memory:
      return "memory";
    case warden::exceeded::processes:
      return "processes";
    case warden::exceeded::none:
      break;
  }
  return "";
}

bool has_nul(const std::string& text) {
  return text.find('\0') != std::string::npos;
}

// What no program can be given.
caf::error check(const process_spec& spec) {
  if (spec.argv.empty() || spec.argv.front().empty())
    return make_error(errc::tool, "there is no command to run");
  auto bad = has_nul(spec.directory)
             || std::any_of(spec.argv.begin(), spec.argv.end(), has_nul);
  for (const auto& [name, value] : spec.environment)
    bad = bad || name.empty() || has_nul(name + value)
          || name.find('=') != std::string::npos;
  if (bad)
    return make_error(errc::tool,
                      "a command, its directory and its environment "
                      "cannot contain a NUL character, and a "
                      "variable's name no \"=\"");
  if (encode(spec).size() > warden::max_texts)
    return make_error(errc::tool, "the command is too long");
  return {};
}

caf::error start_error(const warden::report& why, const process_spec& spec) {
  using kind = warden::report::kind;
  auto text = std::generic_category().message(why.value);
  if (why.what == kind::bad_directory)
    return make_error(errc::tool, "the directory " + in_quotes(spec.directory)
                                    + " cannot be entered: " + text);
  auto program = in_quotes(spec.argv.front());
  if (why.what != kind::bad_program)
    return make_error(errc::sandbox, "this host cannot run commands: " + text);
  if (why.value == ENOENT)
    return make_error(errc::tool, program + ": command not found");
  if (why.value == EACCES)
    return make_error(errc::tool, program + " is not executable");
  return make_error(errc::tool, program + " cannot be run: " + text);
}

} // namespace

process_session::process_session(boost::asio::io_context& loop,
                                 std::shared_ptr<warden_seat> seat,
                                 process_spec spec, process_done done)
  : control_(loop),
    stdin_(loop),
    stdout_(loop, spec.output),
    stderr_(loop, spec.output),
    timer_(loop),
    spec_(std::move(spec)),
    done_(std::move(done)),
    seat_(std::move(seat)) {
  // nop
}

caf::error process_session::start() {
  if (auto failed = check(spec_))
    return failed;
  auto ends = make_process_ends(spec_);
  if (!ends)
    return ends.error();
  if (auto failed = open(*ends))
    return failed;
  // The command has them now; their end must be its end.
  spec_.stdio = {};
  write_stdin(std::move(ends->input));
  await_report();
  arm(spec_.wall, &process_session::time_out);
  return {};
}

caf::error process_session::open(process_ends& ends) {
  auto failed = error_code{};
  control_.assign(ends.control.get(), failed);
  if (failed)
    return make_error(errc::sandbox,
                      "cannot watch a command: " + failed.message());
  ends.control.release();
  // Before there is anybody who would wait for it.
  send(encode(spec_));
  auto placed = seat_->place(std::move(ends.theirs));
  if (!placed)
    return placed.error();
  warden_ = *placed;
  auto full = std::function<void()>{};
  if (spec_.overflow == output_overflow::end)
    full = [this] { overflow(); };
  if (ends.output)
    stdout_.start(std::move(ends.output), shared_from_this(), full);
  if (ends.errors)
    stderr_.start(std::move(ends.errors), shared_from_this(), full);
  return {};
}

void process_session::signal(int number) {
  if (!ended_)
    send({static_cast<char>(warden::order::signal), static_cast<char>(number)});
}

void process_session::terminate() {
  if (ended_ || std::exchange(ending_, true))
    return;
  send({static_cast<char>(warden::order::end)});
  // It may be stopped, by the command.
  seat_->wake(warden_);
  arm(spec_.grace, &process_session::kill);
}

void process_session::kill() {
  if (ended_)
    return;
  ending_ = true;
  send({static_cast<char>(warden::order::kill)});
  seat_->wake(warden_);
  arm(patience, &process_session::give_up);
}

// A command need not read what it is given: failing is its right.
void process_session::write_stdin(unique_fd pipe) {
  if (!pipe)
    return;
  auto failed = error_code{};
  stdin_.assign(pipe.get(), failed);
  if (failed)
    return;
  pipe.release();
  boost::asio::async_write(stdin_, boost::asio::buffer(spec_.stdin_text),
                           [self = shared_from_this()](error_code, size_t) {
                             auto ignored = error_code{};
                             self->stdin_.close(ignored);
                           });
}

void process_session::send(std::string data) {
  outbox_ += data;
  if (sending_.empty())
    flush();
}

// When the warden cannot hear any more, `await_report` learns of it too.
void process_session::flush() {
  sending_ = std::exchange(outbox_, {});
  if (sending_.empty())
    return;
  boost::asio::async_write(control_, boost::asio::buffer(sending_),
                           [self = shared_from_this()](error_code failed,
                                                       size_t) {
                             if (!failed)
                               self->flush();
                           });
}

void process_session::await_report() {
  auto buffer = boost::asio::buffer(&report_, sizeof report_);
  boost::asio::async_read(
    control_, buffer, [self = shared_from_this()](error_code failed, size_t) {
      if (self->ended_)
        return;
      if (!failed)
        return self->take(self->report_);
      self->abandon("the process that watched over the command was killed");
    });
}

void process_session::take(const warden::report& report) {
  ended_ = true;
  seat_->release(warden_);
  if (report.what == warden::report::kind::gone)
    finish(result_of(report.value));
  else
    finish(start_error(report, spec_));
}

void process_session::arm(caf::timespan after,
                          void (process_session::*then)()) {
  timer_.expires_after(std::clamp<caf::timespan>(after, {}, longest));
  timer_.async_wait([self = shared_from_this(), then](error_code failed) {
    if (!failed && !self->ended_)
      (self.get()->*then)();
  });
}

void process_session::time_out() {
  timed_out_ = true;
  terminate();
}

void process_session::overflow() {
  overflowed_ = true;
  kill();
}

void process_session::give_up() {
  abandon("the command could not be ended");
}

void process_session::abandon(const std::string& why) {
  ended_ = true;
  seat_->abandon(warden_, [self = shared_from_this(), why](std::string how) {
    self->finish(make_error(errc::sandbox, why + ": " + how));
  });
}

process_result process_session::result_of(int wait_status) {
  stdout_.finish();
  stderr_.finish();
  auto result = process_result{};
  result.stdout_text = stdout_.take_text();
  result.stderr_text = stderr_.take_text();
  result.truncated = stdout_.is_cut() || stderr_.is_cut();
  if (WIFSIGNALED(wait_status)) {
    result.signal = WTERMSIG(wait_status);
    result.status = 128 + result.signal;
  } else {
    result.status = WEXITSTATUS(wait_status);
  }
  // A command that ended by itself at the last moment was in time.
  result.timed_out = timed_out_ && report_.ordered != 0;
  result.limit = limit_of(result);
  return result;
}

// A shell whose command was ended by a signal says so by its own status.
std::string process_session::limit_of(const process_result& result) const {
  auto ended_by = [&result](int number) {
    return result.status == 128 + number;
  };
  auto cpu = std::chrono::milliseconds{report_.cpu};
  if (report_.limit != warden::exceeded::none)
    return name_of(report_.limit);
  if (result.timed_out)
    return "wall";
  if (overflowed_)
    return "output";
  if (spec_.cpu > caf::timespan{0}
      && (ended_by(SIGXCPU) || (ended_by(SIGKILL) && cpu >= spec_.cpu)))
    return "cpu";
  if (spec_.file > 0 && ended_by(SIGXFSZ))
    return "file";
  return {};
}

void process_session::finish(caf::expected<process_result> result) {
  auto ignored = error_code{};
  stdout_.finish();
  stderr_.finish();
  stdin_.close(ignored);
  control_.close(ignored);
  timer_.cancel(ignored);
  std::exchange(done_, nullptr)(std::move(result));
}

} // namespace troupe
