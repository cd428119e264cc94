#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <sys/types.h>

namespace troupe::init {

/// Which wardens there are and what they do: a table in memory that the init
/// and they share, so that a command that comes and goes need not wake the
/// init. Commands never see it: it is not theirs any more when they begin.
class roster {
public:
  struct entry {
    /// Of the command; never 0.
    uint64_t id;
    pid_t pid;
  };

  /// False with errno set.
  bool open();

  // By the init:

  /// A place for one that is about to start, and is idle; nothing: all taken.
  std::optional<size_t> add();

  void name(size_t place, pid_t pid);

  void remove(size_t place);

  void remove_pid(pid_t pid);

  /// Those that have a command.
  std::vector<entry> busy() const;

  size_t size() const;

  bool has_idle() const;

  // By a warden:

  void begin(size_t place, uint64_t id);

  void end(size_t place);

private:
  /// Far more than there can be processes for.
  static constexpr auto most = size_t{4096};

  struct warden {
    std::atomic<uint64_t> id;
    std::atomic<pid_t> pid;
    std::atomic<bool> is_there;
  };

  struct table {
    /// Past the last place that was ever taken.
    std::atomic<size_t> end;
    warden wardens[most];
  };

  table* table_ = nullptr;
};

} // namespace troupe::init
