// The conformance suite finds stores that are wrong in one thing only.
#include "support/catch.hpp"
#include "support/forwarding_store.hpp"

#include "troupe/storage/store_conformance.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

using namespace troupe;

namespace {

// The areas in which a case finds fault with the stores that `make` gives.
template <class Store>
std::vector<std::string> faults() {
  auto result = std::vector<std::string>{};
  auto make = [] { return std::make_unique<Store>(make_memory_store()); };
  for (const auto& entry : store_conformance_cases()) {
    try {
      entry.run(make);
    } catch (const conformance::failure& why) {
      CHECK_FALSE(std::string{why.what()}.empty());
      result.push_back(entry.area);
    }
  }
  return result;
}

// Whether a case of `area` is among those that find fault.
template <class Store>
bool is_found_by(const std::string& area) {
  auto areas = faults<Store>();
  return std::find(areas.begin(), areas.end(), area) != areas.end();
}

struct sound_store : test::forwarding_store {
  using forwarding_store::forwarding_store;
};

// Believes everybody who says that a run is his.
struct unfenced_store : test::forwarding_store {
  using forwarding_store::forwarding_store;

  caf::error commit(std::vector<store_commit>& batch) override {
    for (auto& entry : batch)
      if (auto run = target().find_run(entry.run_id);
          run && *run && (*run)->status == run_status::running)
        entry.epoch = (*run)->lease.epoch;
    return forwarding_store::commit(batch);
  }
};

// Appends to conversations what belongs to a refused entry.
struct half_store : test::forwarding_store {
  using forwarding_store::forwarding_store;

  caf::error commit(std::vector<store_commit>& batch) override {
    if (auto why = forwarding_store::commit(batch))
      return why;
    for (auto& entry : batch) {
      if (entry.refusal != commit_refusal::stale)
        continue;
      auto half = std::vector<store_commit>(1);
      half[0].sessions = entry.sessions;
      if (auto why = forwarding_store::commit(half))
        return why;
    }
    return {};
  }
};

// Refuses all of a batch where it should refuse one entry.
struct strict_store : test::forwarding_store {
  using forwarding_store::forwarding_store;

  caf::error commit(std::vector<store_commit>& batch) override {
    if (auto why = forwarding_store::commit(batch))
      return why;
    for (const auto& entry : batch)
      if (entry.refusal != commit_refusal::none)
        return make_error(errc::storage, "refused");
    return {};
  }
};

// Gives a run to the next who asks, whatever its lease.
struct generous_store : test::forwarding_store {
  using forwarding_store::forwarding_store;

  caf::expected<std::optional<run_head>>
  acquire(const std::string& run_id, const std::string& owner, int64_t,
          int64_t until) override {
    return target().acquire(run_id, owner, INT64_MAX, until);
  }
};

// Starts runs before they are due.
struct hasty_store : test::forwarding_store {
  using forwarding_store::forwarding_store;

  caf::expected<std::optional<run_head>>
  acquire_due(const std::optional<std::string>& queue, const std::string& owner,
              int64_t now, int64_t until) override {
    return target().acquire_due(queue, owner, now + 1, until);
  }
};

// Never tells an owner that he lost his run.
struct kind_store : test::forwarding_store {
  using forwarding_store::forwarding_store;

  caf::error renew(std::vector<lease_claim>& claims, int64_t until) override {
    auto copy = claims;
    return target().renew(copy, until);
  }
};

// Interrupts what its owner works on.
struct harsh_store : test::forwarding_store {
  using forwarding_store::forwarding_store;

  caf::expected<std::vector<std::string>>
  reconcile(int64_t now,
            const std::function<bool(const std::string&)>&) override {
    return target().reconcile(now, [](const std::string&) { return true; });
  }
};

// Loses the last event of a page.
struct forgetful_store : test::forwarding_store {
  using forwarding_store::forwarding_store;

  caf::expected<std::vector<event_record>>
  load_events(const std::string& run_id, uint64_t after, size_t max) override {
    auto result = target().load_events(run_id, after, max);
    if (result && result->size() > 1)
      result->pop_back();
    return result;
  }
};

// A fork has all of its parent.
struct sticky_store : test::forwarding_store {
  using forwarding_store::forwarding_store;

  caf::expected<bool> fork(const session_key& from, uint64_t records,
                           const session_key& to, int64_t at) override {
    auto parent = target().find_session(from);
    if (parent && *parent && (*parent)->records > records)
      records = (*parent)->records;
    return target().fork(from, records, to, at);
  }
};

// Removes with a session those that were forked from it.
struct greedy_store : test::forwarding_store {
  using forwarding_store::forwarding_store;

  caf::expected<uint64_t> erase(const session_key& key) override {
    auto all = target().list("");
    for (const auto& entry : *all)
      if (entry.parent == key)
        target().erase(entry.key);
    return target().erase(key);
  }
};

// Lists runs whatever their status.
struct blind_store : test::forwarding_store {
  using forwarding_store::forwarding_store;

  caf::expected<std::vector<run_head>>
  list_runs(const run_filter& filter, size_t max,
            const std::function<bool(const run_head&)>& matches) override {
    auto other = filter;
    other.status.reset();
    return target().list_runs(other, max, matches);
  }
};

// Matches a prefix anywhere in a name.
struct loose_store : test::forwarding_store {
  using forwarding_store::forwarding_store;

  caf::expected<std::vector<run_value>>
  load_values(const std::string& run_id, const std::string&) override {
    return target().load_values(run_id, "");
  }
};

// Forgets what kind of content an artifact is.
struct untyped_store : test::forwarding_store {
  using forwarding_store::forwarding_store;

  caf::expected<std::optional<artifact_record>>
  load_artifact(const std::string& run_id, const std::string& name) override {
    auto result = target().load_artifact(run_id, name);
    if (result && *result)
      (*result)->media_type.clear();
    return result;
  }
};

// Keeps every blob for ever.
struct hoarding_store : test::forwarding_store {
  using forwarding_store::forwarding_store;

  caf::error commit(std::vector<store_commit>& batch) override {
    for (const auto& entry : batch)
      for (const auto& session : entry.sessions)
        for (const auto& record : session.records)
          kept_.insert(kept_.end(), record.blobs.begin(), record.blobs.end());
    return forwarding_store::commit(batch);
  }

private:
  std::vector<stored_blob> kept_;
};

} // namespace

TEST_CASE("the conformance suite finds no fault with a sound store",
          "[storage]") {
  CHECK(faults<sound_store>().empty());
}

TEST_CASE("the conformance suite finds each fault of a broken store",
          "[storage]") {
  CHECK(is_found_by<unfenced_store>("leases"));
  CHECK(is_found_by<generous_store>("leases"));
  CHECK(is_found_by<kind_store>("leases"));
  CHECK(is_found_by<harsh_store>("leases"));
  CHECK(is_found_by<half_store>("batches"));
  CHECK(is_found_by<strict_store>("batches"));
  CHECK(is_found_by<hasty_store>("schedule"));
  CHECK(is_found_by<forgetful_store>("events"));
  CHECK(is_found_by<sticky_store>("forks"));
  CHECK(is_found_by<greedy_store>("forks"));
  CHECK(is_found_by<blind_store>("runs"));
  CHECK(is_found_by<loose_store>("values"));
  CHECK(is_found_by<untyped_store>("artifacts"));
  CHECK(is_found_by<hoarding_store>("blobs"));
}
