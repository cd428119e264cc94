#include "troupe/sandbox/remote/remote_calls.hpp"

#include "troupe/config/errc.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <future>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace troupe {

namespace {

constexpr auto most_threads = size_t{8};

constexpr auto most_waiting = size_t{1024};

// What a client says is read by models and shown on terminals.
caf::error checked(const caf::error& why) {
  constexpr auto longest = size_t{500};
  auto failed = to_fault(why);
  auto text = failed.message.substr(0, longest);
  std::erase_if(text, [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (text.empty())
    text = "the remote sandbox failed";
  auto kind = failed.kind == errc::tool || failed.kind == errc::cancelled
                ? failed.kind
                : errc::sandbox;
  return make_error(kind, std::move(text));
}

caf::error unexpected(const std::string& what) {
  return make_error(errc::sandbox,
                    "the remote sandbox answers wrongly: " + what);
}

bool cut(std::string& text, uint64_t most) {
  if (text.size() <= most)
    return false;
  text.resize(most);
  return true;
}

caf::expected<remote_outcome> checked(remote_outcome x, uint64_t output) {
  if (x.signal < 0 || x.signal > 64 || x.status < 0 || x.status > 255)
    return unexpected("no command ends with such a status");
  if (x.signal > 0)
    x.status = 128 + x.signal;
  auto cut_output = cut(x.stdout_text, output);
  auto cut_errors = cut(x.stderr_text, output);
  x.truncated = x.truncated || cut_output || cut_errors;
  return x;
}

// A client of somebody else's may throw what it likes.
template <class T>
caf::expected<T> call(const std::function<caf::expected<T>(remote_client&)>& f,
                      remote_client& on) {
  try {
    auto result = f(on);
    return result ? std::move(result) : checked(result.error());
  } catch (const std::exception& thrown) {
    return checked(make_error(errc::sandbox, thrown.what()));
  } catch (...) {
    return make_error(errc::sandbox, "the remote sandbox failed");
  }
}

} // namespace

/// What the threads keep, also those that nobody waits for.
struct remote_calls::shared {
  std::shared_ptr<remote_client> client;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void(remote_client&)>> waiting;
  size_t threads = 0;
  size_t busy = 0;
  size_t lost = 0;
  bool closing = false;

  static void run(const std::shared_ptr<shared>& self) {
    auto guard = std::unique_lock{self->mutex};
    for (;;) {
      self->changed.wait(guard, [&self] {
        return self->closing || !self->waiting.empty();
      });
      if (self->waiting.empty())
        break;
      auto next = std::move(self->waiting.front());
      self->waiting.pop_front();
      ++self->busy;
      guard.unlock();
      next(*self->client);
      next = nullptr;
      guard.lock();
      --self->busy;
    }
    --self->threads;
    self->changed.notify_all();
  }

  static bool add(const std::shared_ptr<shared>& self,
                  std::function<void(remote_client&)> what) {
    auto guard = std::lock_guard{self->mutex};
    if (self->closing || self->lost >= most_threads
        || self->waiting.size() >= most_waiting)
      return false;
    auto idle = self->threads - self->busy;
    if (self->waiting.size() >= idle && self->threads < most_threads) {
      try {
        // Not joined: one that hangs in the client must not hold us up.
        std::thread{[self] { run(self); }}.detach();
        ++self->threads;
      } catch (const std::system_error&) {
        if (self->threads == 0)
          return false;
      }
    }
    self->waiting.push_back(std::move(what));
    self->changed.notify_one();
    return true;
  }
};

remote_client::~remote_client() {
  // nop
}

remote_calls::remote_calls(std::shared_ptr<remote_client> client,
                           caf::timespan patience)
  : shared_(std::make_shared<shared>()),
    patience_(patience) {
  shared_->client = std::move(client);
}

remote_calls::~remote_calls() {
  wait_for<bool>(
    [](remote_client& on) -> caf::expected<bool> {
      if (auto failed = on.close())
        return failed;
      return true;
    },
    patience_);
  auto guard = std::unique_lock{shared_->mutex};
  shared_->closing = true;
  shared_->waiting.clear();
  shared_->changed.notify_all();
  shared_->changed.wait_for(guard, patience_, [this] {
    return shared_->threads <= shared_->lost;
  });
}

template <class T>
caf::expected<T>
remote_calls::wait_for(std::function<caf::expected<T>(remote_client&)> f,
                       caf::timespan most) {
  auto answer = std::make_shared<std::promise<caf::expected<T>>>();
  auto told = answer->get_future();
  auto begun = std::make_shared<std::atomic<bool>>(false);
  auto added = shared::add(shared_, [answer, begun,
                                     f = std::move(f)](remote_client& on) {
    *begun = true;
    answer->set_value(call(f, on));
  });
  if (!added)
    return make_error(errc::sandbox, "the remote sandbox takes no more calls");
  if (told.wait_for(most) == std::future_status::ready)
    return told.get();
  if (*begun)
    give_up();
  return make_error(errc::sandbox, "the remote sandbox does not answer");
}

caf::expected<std::string> remote_calls::read(const std::string& path,
                                              uint64_t most) {
  auto text = wait_for<std::string>(
    [path](remote_client& on) { return on.read(path); }, patience_);
  if (text && text->size() > most)
    return make_error(errc::tool, path + " has more than the "
                                    + std::to_string(most)
                                    + " bytes that a file may have here");
  return text;
}

caf::error remote_calls::write(const std::string& path,
                               const std::string& content) {
  auto written = wait_for<bool>(
    [path, content](remote_client& on) -> caf::expected<bool> {
      if (auto failed = on.write(path, content))
        return failed;
      return true;
    },
    patience_);
  return written ? caf::error{} : std::move(written.error());
}

caf::expected<remote_outcome>
remote_calls::exec(const remote_command& command) {
  auto result = wait_for<remote_outcome>(
    [command](remote_client& on) { return on.exec(command, {}); },
    command.timeout + patience_);
  return result ? checked(std::move(*result), command.output)
                : std::move(result.error());
}

bool remote_calls::start(
  remote_command command, std::stop_token stop, std::function<void()> begun,
  std::function<void(caf::expected<remote_outcome>)> done) {
  return shared::add(shared_, [command = std::move(command),
                               stop = std::move(stop), begun = std::move(begun),
                               done = std::move(done)](remote_client& on) {
    begun();
    if (stop.stop_requested())
      return done(
        make_error(errc::cancelled, "the command was ended before it began"));
    auto exec = std::function<caf::expected<remote_outcome>(remote_client&)>{
      [&](remote_client& x) { return x.exec(command, stop); }};
    auto result = call(exec, on);
    done(result ? checked(std::move(*result), command.output)
                : std::move(result.error()));
  });
}

void remote_calls::give_up() {
  auto guard = std::lock_guard{shared_->mutex};
  ++shared_->lost;
  shared_->changed.notify_all();
}

} // namespace troupe
