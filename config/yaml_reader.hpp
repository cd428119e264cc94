#pragma once

#include "troupe/config/errc.hpp"
#include "troupe/config/expand_variables.hpp"
#include "troupe/config/secret.hpp"
#include "troupe/config/yaml_document.hpp"

#include "caf/error.hpp"
#include "caf/timespan.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe {

class yaml_fields;
class yaml_reader;

/// A place in a document that may be empty: a key that is not there. Each
/// getter returns nothing for an empty place, and reports a fault and returns
/// nothing for a value of another type. Cheap to copy; must not outlive its
/// reader and the tree.
class yaml_value {
public:
  yaml_value(yaml_reader& reader, const yaml_node* node, std::string path);

  /// Whether the key is there, be it null.
  explicit operator bool() const noexcept {
    return node_ != nullptr;
  }

  /// Whether the value is there and null.
  bool is_null() const noexcept;

  /// Whether the value is a scalar and not null.
  bool is_scalar() const noexcept;

  bool is_sequence() const noexcept;

  bool is_mapping() const noexcept;

  /// The full key path, for example "providers.primary.base_url".
  const std::string& path() const noexcept {
    return path_;
  }

  /// The node; null for an empty place.
  const yaml_node* node() const noexcept {
    return node_;
  }

  /// The folder that relative paths in the value count from; empty: the
  /// working directory.
  std::string folder() const;

  /// A text. An unquoted number or truth value is not one.
  std::optional<std::string> text() const;

  /// A text of letters, digits, `_` and `-`, at least one.
  std::optional<std::string> name() const;

  /// Any scalar as the text it was written with.
  std::optional<std::string> scalar() const;

  /// Any scalar, never shown in a message and known to the reader as a
  /// secret.
  std::optional<secret> hidden() const;

  /// true or false.
  std::optional<bool> flag() const;

  /// A whole number from `min` to `max`.
  std::optional<uint64_t>
  count(uint64_t min = 0,
        uint64_t max = std::numeric_limits<uint32_t>::max()) const;

  std::optional<double> number() const;

  std::optional<caf::timespan> duration() const;

  /// A number of bytes.
  std::optional<uint64_t> size() const;

  /// One of `allowed`.
  std::optional<std::string>
  word(std::span<const std::string_view> allowed) const;

  /// A list of texts.
  std::optional<std::vector<std::string>> texts() const;

  /// Any value as JSON text: unquoted scalars by YAML's core schema (null,
  /// true, 0x1F, 1e3), quoted ones as strings; keys keep their order. A key
  /// that is not text and a number that JSON lacks are faults.
  std::optional<std::string> json() const;

  /// As `json`, but only a mapping is accepted; null is an empty one.
  std::optional<std::string> json_object() const;

  /// The values of a list; none for null or an empty place.
  std::vector<yaml_value> items() const;

  /// The fields of a mapping; null or an empty place has none.
  yaml_fields fields() const;

  /// The members of a mapping whose keys are names that the user chooses:
  /// letters, digits, `_` and `-`; anything else is a fault.
  std::vector<std::pair<std::string, yaml_value>> entries() const;

  /// As `entries`, for keys of any form, such as names of variables or globs.
  std::vector<std::pair<std::string, yaml_value>> members() const;

  /// Reports a fault about this place: "PATH: message".
  void fail(std::string_view message, std::string hint = {}) const;

private:
  friend class yaml_fields;

  // The text of a scalar that stands for something else than text; nothing
  // and a fault for what was quoted.
  std::optional<std::string> bare(std::string_view expected) const;

  // Reports what is there in place of `expected`.
  void fail_type(std::string_view expected) const;

  yaml_reader* reader_;
  const yaml_node* node_;
  std::string path_;
};

/// The fields of a mapping with a fixed set of keys. Ask for each key that
/// exists, then call `reject_unknown`: what was not asked for is unknown.
class yaml_fields {
public:
  explicit yaml_fields(yaml_value mapping);

  /// The value of `key`, an empty place when it is missing.
  yaml_value get(std::string_view key);

  /// As `get`, but a missing key is a fault.
  yaml_value require(std::string_view key);

  /// Reports each member that was never asked for, with the nearest key that
  /// was.
  void reject_unknown() const;

  const yaml_value& place() const noexcept {
    return mapping_;
  }

private:
  yaml_value mapping_;
  std::vector<std::string> known_;
};

/// Reads typed values out of a tree and collects every fault on the way, so
/// that all errors of a document are reported at once. Expands `${NAME}` and
/// `${NAME:-default}` in scalars with `variables`; without it they stay. Must
/// outlive the values it hands out; one thread.
class yaml_reader {
public:
  explicit yaml_reader(variable_lookup variables = {});

  yaml_reader(const yaml_reader&) = delete;
  yaml_reader& operator=(const yaml_reader&) = delete;

  /// The top of `document`, which must outlive the reader.
  yaml_value root(const yaml_node& document);

  /// Reports "PATH: message" about `node`.
  void fail(const std::string& path, const yaml_node& node,
            std::string_view message, std::string hint = {});

  /// Reports "PATH: message" about a place that is only known by its name.
  void fail(const std::string& path, std::string place,
            std::string_view message, std::string hint = {});

  /// Whether a fault about `path`, a key above it or one below it was
  /// reported.
  bool has_fault(std::string_view path) const;

  size_t fault_count() const noexcept {
    return entries_.size();
  }

  /// Every fault so far in the order of the text, as one error for
  /// `to_faults`; none when there was none.
  caf::error error() const;

  /// The values of variables with secret-looking names that were expanded.
  const std::set<std::string>& secrets() const noexcept {
    return secrets_;
  }

  /// The text of a scalar with its variables expanded; a fault about `path`
  /// and nothing where that fails.
  std::optional<expanded_text> expand(const yaml_node& scalar,
                                      const std::string& path);

  /// Makes `value` a secret: no message shows it.
  void hide(const std::string& value);

private:
  struct entry {
    std::shared_ptr<const yaml_source> source;
    uint32_t line = 0;
    uint32_t column = 0;
    fault what;
  };

  void add(entry x, const std::string& path, std::string_view message,
           std::string hint);

  variable_lookup variables_;
  // What variables may still add to the text of the document.
  size_t expansion_left_ = size_t{16} << 20;
  std::vector<entry> entries_;
  std::set<std::string, std::less<>> faulty_paths_;
  std::set<std::string> secrets_;
};

} // namespace troupe
