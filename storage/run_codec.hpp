#pragma once

#include "troupe/storage/lmdb_txn.hpp"
#include "troupe/storage/record_codec.hpp"
#include "troupe/storage/run_records.hpp"

#include "caf/expected.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace troupe {

/// The head of a run as it lies in its table: without its id, which is the key,
/// and its details, which have a table of their own and change less often.
struct stored_run {
  /// The store's own short name for it; never used twice.
  uint64_t number = 0;
  run_head head;
};

struct run_codec {
  using value_type = stored_run;
  static constexpr auto table = table_id::runs;
  static size_t size(const stored_run& value);
  static void write(const stored_run& value, char* out);
  static caf::expected<stored_run> read(std::string_view bytes);
};

/// An artifact as it lies in its table: its content is a blob.
struct stored_artifact {
  int64_t at = 0;
  blob_reference content;
  std::string media_type;
};

struct artifact_codec {
  using value_type = stored_artifact;
  static constexpr auto table = table_id::artifacts;
  static size_t size(const stored_artifact& value);
  static void write(const stored_artifact& value, char* out);
  static caf::expected<stored_artifact> read(std::string_view bytes);
};

/// An entry whose key says it all.
struct mark {};

template <table_id Table>
struct mark_codec {
  using value_type = mark;
  static constexpr auto table = Table;

  static size_t size(mark) {
    return 0;
  }

  static void write(mark, char*) {
    // nop
  }

  static caf::expected<mark> read(std::string_view) {
    return mark{};
  }
};

using run_status_codec = mark_codec<table_id::run_status>;
using run_due_codec = mark_codec<table_id::run_due>;

} // namespace troupe
