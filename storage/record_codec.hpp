#pragma once

#include "troupe/storage/lmdb_txn.hpp"
#include "troupe/storage/session_records.hpp"
#include "troupe/storage/sha256.hpp"

#include "caf/expected.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// A codec names its table, and turns a value into bytes and back. `read`
/// refuses what it does not know with an `errc::storage` error: values are
/// what an older, newer or broken program left. The layouts are on disk:
/// FORMAT.md has them, and a changed one takes the next version.

/// The largest body that lies in its record, in bytes; larger ones are blobs.
constexpr size_t largest_inlined = size_t{64} << 10;

/// Where the body of a record is. On disk: append, never reorder.
enum class body_place : uint8_t {
  /// In the record.
  inlined = 1,
  /// In the blob table; the record has its digest and size.
  blob = 2,
};

/// A body with what is said of it, as it lies in its table.
struct stored_record {
  /// Only in the records of a session.
  record_kind kind = record_kind::message;
  body_place place = body_place::inlined;
  int64_t at = 0;
  /// The body, or a packed `blob_reference`. Read from a table, it is good
  /// until the transaction writes or ends.
  std::string_view content;
  /// Packed references to what the record has beside its body; good as long.
  std::string_view blobs = {};
};

/// The layout that all of these have.
size_t stored_record_size(const stored_record& value);
void write_stored_record(const stored_record& value, char* out);
caf::expected<stored_record> read_stored_record(std::string_view bytes);

/// What a run has under a key: an event, a value, its details.
template <table_id Table>
struct body_codec {
  using value_type = stored_record;
  static constexpr auto table = Table;

  static size_t size(const stored_record& value) {
    return stored_record_size(value);
  }

  static void write(const stored_record& value, char* out) {
    write_stored_record(value, out);
  }

  static caf::expected<stored_record> read(std::string_view bytes) {
    return read_stored_record(bytes);
  }
};

using record_codec = body_codec<table_id::records>;
using event_codec = body_codec<table_id::events>;
using run_value_codec = body_codec<table_id::run_values>;
using run_details_codec = body_codec<table_id::run_details>;

/// Names a body in the blob table.
struct blob_reference {
  sha256_digest digest{};
  uint64_t size = 0;
};

std::string pack_blob_reference(const blob_reference& value);
caf::expected<blob_reference> unpack_blob_reference(std::string_view bytes);

/// Those that follow each other in `bytes`.
caf::expected<std::vector<blob_reference>>
unpack_blob_references(std::string_view bytes);

/// The same as callers of a store know it, and back; `errc::storage` where it
/// has no digest.
stored_blob describe_blob(const blob_reference& value);
caf::expected<blob_reference> reference_of(const stored_blob& blob);

/// The body of a blob, as it is.
struct blob_codec {
  using value_type = std::string_view;
  static constexpr auto table = table_id::blobs;
  static size_t size(std::string_view value);
  static void write(std::string_view value, char* out);
  static caf::expected<std::string_view> read(std::string_view bytes);
};

/// How many records use a blob.
struct blob_uses_codec {
  using value_type = uint64_t;
  static constexpr auto table = table_id::blob_uses;
  static size_t size(uint64_t value);
  static void write(uint64_t value, char* out);
  static caf::expected<uint64_t> read(std::string_view bytes);
};

/// A number the store keeps about itself.
struct counter_codec {
  using value_type = uint64_t;
  static constexpr auto table = table_id::meta;
  static size_t size(uint64_t value);
  static void write(uint64_t value, char* out);
  static caf::expected<uint64_t> read(std::string_view bytes);
};

} // namespace troupe
