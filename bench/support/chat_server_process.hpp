#pragma once

#include <string>

#include <sys/types.h>

namespace troupe::bench {

/// The program `chat_server`, in a process of its own so that its processor
/// time is not the benchmark's. Ends with this object, or its process.
class chat_server_process {
public:
  /// Throws `std::system_error` when it cannot be started.
  chat_server_process();

  chat_server_process(const chat_server_process&) = delete;
  chat_server_process& operator=(const chat_server_process&) = delete;
  ~chat_server_process();

  /// What a provider is configured with.
  const std::string& base_url() const noexcept {
    return base_url_;
  }

private:
  std::string base_url_;
  pid_t pid_ = -1;
};

} // namespace troupe::bench
