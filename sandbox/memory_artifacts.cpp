#include "troupe/sandbox/artifact_store.hpp"
#include "troupe/sandbox/memory_tree.hpp"

#include <utility>

namespace troupe {

namespace {

// The store has counted the bytes, and there is a folder of a name but once: a
// write cannot fail.
class memory_artifacts : public artifact_place {
public:
  explicit memory_artifacts(std::shared_ptr<memory_tree> files)
    : files_(std::move(files)) {
    // nop
  }

  caf::error put(const std::string& folder,
                 const std::vector<artifact_file>& files) override {
    for (const auto& one : files) {
      auto path = folder + "/" + one.name;
      auto written = files_->write({path, path}, one.content, {});
      if (!written)
        return std::move(written.error());
    }
    return {};
  }

private:
  std::shared_ptr<memory_tree> files_;
};

} // namespace

std::unique_ptr<artifact_place>
make_memory_artifacts(std::shared_ptr<memory_tree> files) {
  return std::make_unique<memory_artifacts>(std::move(files));
}

} // namespace troupe
