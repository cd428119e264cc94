#pragma once

#include "caf/timespan.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

// What tools ask of a sandbox. Paths are as the model wrote them: relative to
// the workspace root, or "workspace://NAME/…". Failures that the model may
// mend (no such file, outside the workspace) are errors of kind `tool` whose
// message is the sentence for the model.

/// Reads lines of one text file.
struct read_file_request {
  std::string path;
  /// First line, from 1.
  uint64_t offset = 1;
  /// Lines; 0 all.
  uint64_t limit = 0;
};

struct read_file_result {
  std::string content;
  uint64_t total_lines = 0;
  bool truncated = false;
  /// The path in its one canonical spelling, for the read tracker.
  std::string canonical;
  /// SHA-256 of the whole file, hexadecimal.
  std::string digest;
};

struct list_files_request {
  std::string path;
};

struct listed_file {
  std::string name;
  /// file | directory | link | other.
  std::string type;
  uint64_t bytes = 0;
};

struct list_files_result {
  std::vector<listed_file> entries;
  bool truncated = false;
};

struct glob_request {
  std::string pattern;
  std::string path;
};

struct glob_result {
  std::vector<std::string> paths;
  bool truncated = false;
};

struct grep_request {
  /// An RE2 expression.
  std::string pattern;
  std::string path;
  /// Only files whose path matches; empty: all.
  std::string glob;
  /// Matches; 0 the default of 200.
  uint64_t max = 0;
};

struct grep_match {
  std::string path;
  uint64_t line = 0;
  std::string text;
};

struct grep_result {
  std::vector<grep_match> matches;
  bool truncated = false;
};

/// What the caller knows of the file it is about to overwrite.
struct file_precondition {
  /// The digest it had when the session last read or wrote it; empty: never.
  std::string digest;
};

/// Writes a file whole, replacing it atomically.
struct write_file_request {
  std::string path;
  std::string content;
  file_precondition known;
};

struct write_file_result {
  uint64_t bytes = 0;
  bool created = false;
  std::string canonical;
  std::string digest;
};

/// Replaces text in a file, once (and then it must be unique) or everywhere.
struct replace_in_file_request {
  std::string path;
  std::string old_text;
  std::string new_text;
  bool all = false;
  file_precondition known;
};

struct replace_in_file_result {
  uint64_t replacements = 0;
  std::string canonical;
  std::string digest;
};

/// A file that somebody produced, of any bytes.
struct artifact_file {
  /// Of one file: no folder, and no dot in front.
  std::string name;
  std::string content;
};

/// Stores files under the named path `artifacts`: all of them, or none.
struct store_artifacts {
  std::vector<artifact_file> files;
  /// What the limit for a message counts together, those of several calls of
  /// one turn; empty: these files alone.
  std::string message = {};
};

struct stored_artifacts {
  /// "workspace://artifacts/…" for each file, in their order.
  std::vector<std::string> paths;
};

/// Runs one command to its end.
struct process_request {
  std::vector<std::string> argv;
  /// A path in the workspace; empty: its root.
  std::string directory;
  /// 0: the limit of the sandbox.
  caf::timespan timeout{0};
  std::string stdin_text;
};

struct process_result {
  std::string stdout_text;
  std::string stderr_text;
  /// Exit status; 128 + signal where a signal ended it.
  int32_t status = 0;
  /// Signal number, or 0.
  int32_t signal = 0;
  bool timed_out = false;
  /// Output was cut at its limit.
  bool truncated = false;
  /// The limit that ended it (wall, output…), or empty.
  std::string limit;
};

} // namespace troupe
