#pragma once

#include "troupe/actors/run/run_journal.hpp"
#include "troupe/actors/run/run_spec.hpp"
#include "troupe/runtime/co/request.hpp"
#include "troupe/runtime/co/task.hpp"

#include <string>
#include <utility>

namespace troupe {

/// Keeps an artifact with the run and says so; stored with the next commit.
void add_artifact(run_base& run, std::string name, std::string content,
                  std::string media_type);

template <class Self>
void add_artifact(Self* self, std::string name, std::string content,
                  std::string media_type) {
  add_artifact(self->state, std::move(name), std::move(content),
               std::move(media_type));
}

/// A text file of a run's workspace. Throws `co::failure` where it has more
/// than the sandbox lets read, for half a file is none.
template <class Self>
co::task<std::string>
read_whole(Self* self, sandbox_actor files, std::string path) {
  auto order = read_file_request{path, 1, 0};
  auto asked = co::request<read_file_result>(self, std::move(files),
                                             caf::infinite, std::move(order));
  auto found = co_await asked;
  if (found.truncated)
    throw co::failure{errc::limit, "\"" + path
                                     + "\" has more bytes than the sandbox's "
                                       "limits.read"};
  co_return std::move(found.content);
}

} // namespace troupe
