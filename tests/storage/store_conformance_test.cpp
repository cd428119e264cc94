#include "troupe/storage/store_conformance.hpp"

#include "support/catch.hpp"
#include "support/open_store.hpp"
#include "support/temp_dir.hpp"

#include <memory>
#include <string>
#include <vector>

using namespace troupe;

namespace {

using conformance::store_factory;

void check(const store_factory& make) {
  for (const auto& entry : store_conformance_cases())
    DYNAMIC_SECTION(entry.area << ": it " << entry.name) {
      try {
        entry.run(make);
        SUCCEED();
      } catch (const conformance::failure& why) {
        FAIL(why.what());
      }
    }
}

} // namespace

TEST_CASE("a store in memory is a store", "[storage]") {
  auto settings = storage_settings{};
  settings.in_memory = true;
  check([settings] { return std::move(*make_store(settings)); });
}

TEST_CASE("a store on disk is a store", "[storage]") {
  auto folders = std::vector<std::unique_ptr<test::temp_dir>>{};
  check([&folders] {
    folders.push_back(std::make_unique<test::temp_dir>());
    return std::move(*make_store(test::store_in(*folders.back())));
  });
}
