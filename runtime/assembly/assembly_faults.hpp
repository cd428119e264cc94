#pragma once

#include "troupe/config/errc.hpp"

#include <string>
#include <vector>

namespace troupe {

/// Collects what is wrong with an assembly: "PATH: what", all of kind
/// configuration.
class assembly_faults {
public:
  void add(const std::string& path, const std::string& what,
           std::string hint = {});

  size_t size() const noexcept {
    return all_.size();
  }

  std::vector<fault> take() {
    return std::move(all_);
  }

private:
  std::vector<fault> all_;
};

/// "did you mean …?", or nothing where none of `known` is near.
std::string hint_for(const std::string& name,
                     const std::vector<std::string>& known);

} // namespace troupe
