#pragma once

#include <functional>
#include <mutex>
#include <thread>

namespace troupe::app {

/// Takes SIGINT and SIGTERM on a thread of its own. Make it before any other
/// thread, which inherits that the signals are blocked. The first Ctrl-C calls
/// what was set; a second one ends the program at once: commands die with it,
/// their wardens see to that.
class interrupts {
public:
  interrupts();
  interrupts(const interrupts&) = delete;
  interrupts& operator=(const interrupts&) = delete;
  ~interrupts();

  /// What the next Ctrl-C does; called on the thread of this object. Null:
  /// the program ends with code 130.
  void on_first(std::function<void()> action);

private:
  void watch();
  void take();

  std::mutex mutex_;
  std::function<void()> action_;
  bool closing_ = false;
  std::thread thread_;
};

} // namespace troupe::app
