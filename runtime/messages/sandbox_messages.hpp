#pragma once

#include "troupe/sandbox/sandbox_requests.hpp"

#include "caf/meta/type_name.hpp"

namespace troupe {

// The sandbox layer knows no actors; here its requests become messages.

template <class Inspector>
auto inspect(Inspector& f, read_file_request& x) {
  return f(caf::meta::type_name("troupe::read_file_request"), x.path, x.offset,
           x.limit);
}

template <class Inspector>
auto inspect(Inspector& f, read_file_result& x) {
  return f(caf::meta::type_name("troupe::read_file_result"), x.content,
           x.total_lines, x.truncated, x.canonical, x.digest);
}

template <class Inspector>
auto inspect(Inspector& f, list_files_request& x) {
  return f(caf::meta::type_name("troupe::list_files_request"), x.path);
}

template <class Inspector>
auto inspect(Inspector& f, listed_file& x) {
  return f(caf::meta::type_name("troupe::listed_file"), x.name, x.type,
           x.bytes);
}

template <class Inspector>
auto inspect(Inspector& f, list_files_result& x) {
  return f(caf::meta::type_name("troupe::list_files_result"), x.entries,
           x.truncated);
}

template <class Inspector>
auto inspect(Inspector& f, glob_request& x) {
  return f(caf::meta::type_name("troupe::glob_request"), x.pattern, x.path);
}

template <class Inspector>
auto inspect(Inspector& f, glob_result& x) {
  return f(caf::meta::type_name("troupe::glob_result"), x.paths, x.truncated);
}

template <class Inspector>
auto inspect(Inspector& f, grep_request& x) {
  return f(caf::meta::type_name("troupe::grep_request"), x.pattern, x.path,
           x.glob, x.max);
}

template <class Inspector>
auto inspect(Inspector& f, grep_match& x) {
  return f(caf::meta::type_name("troupe::grep_match"), x.path, x.line, x.text);
}

template <class Inspector>
auto inspect(Inspector& f, grep_result& x) {
  return f(caf::meta::type_name("troupe::grep_result"), x.matches, x.truncated);
}

template <class Inspector>
auto inspect(Inspector& f, file_precondition& x) {
  return f(caf::meta::type_name("troupe::file_precondition"), x.digest);
}

template <class Inspector>
auto inspect(Inspector& f, write_file_request& x) {
  return f(caf::meta::type_name("troupe::write_file_request"), x.path,
           x.content, x.known);
}

template <class Inspector>
auto inspect(Inspector& f, write_file_result& x) {
  return f(caf::meta::type_name("troupe::write_file_result"), x.bytes,
           x.created, x.canonical, x.digest);
}

template <class Inspector>
auto inspect(Inspector& f, replace_in_file_request& x) {
  return f(caf::meta::type_name("troupe::replace_in_file_request"), x.path,
           x.old_text, x.new_text, x.all, x.known);
}

template <class Inspector>
auto inspect(Inspector& f, replace_in_file_result& x) {
  return f(caf::meta::type_name("troupe::replace_in_file_result"),
           x.replacements, x.canonical, x.digest);
}

template <class Inspector>
auto inspect(Inspector& f, artifact_file& x) {
  return f(caf::meta::type_name("troupe::artifact_file"), x.name, x.content);
}

template <class Inspector>
auto inspect(Inspector& f, store_artifacts& x) {
  return f(caf::meta::type_name("troupe::store_artifacts"), x.files, x.message);
}

template <class Inspector>
auto inspect(Inspector& f, stored_artifacts& x) {
  return f(caf::meta::type_name("troupe::stored_artifacts"), x.paths);
}

template <class Inspector>
auto inspect(Inspector& f, process_request& x) {
  return f(caf::meta::type_name("troupe::process_request"), x.argv, x.directory,
           x.timeout, x.stdin_text);
}

template <class Inspector>
auto inspect(Inspector& f, process_result& x) {
  return f(caf::meta::type_name("troupe::process_result"), x.stdout_text,
           x.stderr_text, x.status, x.signal, x.timed_out, x.truncated,
           x.limit);
}

struct describe_sandbox {};

template <class Inspector>
auto inspect(Inspector& f, describe_sandbox&) {
  return f(caf::meta::type_name("troupe::describe_sandbox"));
}

/// What a model must know of where it works.
struct sandbox_description {
  /// The text of one system message.
  std::string text;
};

template <class Inspector>
auto inspect(Inspector& f, sandbox_description& x) {
  return f(caf::meta::type_name("troupe::sandbox_description"), x.text);
}

} // namespace troupe
