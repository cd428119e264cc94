#pragma once

#include "troupe/sandbox/file_space.hpp"
#include "troupe/sandbox/glob_pattern.hpp"
#include "troupe/sandbox/line_search.hpp"
#include "troupe/sandbox/mounted_trees.hpp"
#include "troupe/sandbox/tree_walk.hpp"

namespace troupe {

/// What file tools mean, over any trees: lines, patterns, limits and access.
class tree_file_space : public file_space {
public:
  tree_file_space(mounted_trees files, sandbox_limits limits);

  caf::expected<read_file_result> read(const read_file_request& x) override;
  caf::expected<list_files_result> list(const list_files_request& x) override;
  caf::expected<glob_result> glob(const glob_request& x) override;
  caf::expected<grep_result> grep(const grep_request& x) override;
  caf::expected<write_file_result> write(const write_file_request& x) override;
  caf::expected<replace_in_file_result>
  replace(const replace_in_file_request& x) override;

private:
  struct search;

  caf::expected<mounted_trees::target> find(const std::string& path) const;
  caf::expected<mounted_trees::target>
  find_writable(const std::string& path) const;
  caf::error read_bounded(const mounted_trees::target& from,
                          const byte_sink& sink) const;
  caf::expected<std::string> load(const mounted_trees::target& from) const;
  caf::error check_size(const std::string& path, uint64_t bytes) const;
  walk_bounds bounds() const;
  bool scan(search& in, const workspace_path& path) const;
  caf::error search_tree(search& in, const workspace_path& base,
                         const std::string& glob) const;

  mounted_trees files_;
  sandbox_limits limits_;
};

} // namespace troupe
