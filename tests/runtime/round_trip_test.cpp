#include "support/catch.hpp"
#include "support/stage.hpp"

#include "troupe/runtime/messages/type_ids.hpp"

#include "caf/binary_deserializer.hpp"
#include "caf/binary_serializer.hpp"

#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

using namespace troupe;

namespace {

/// Fills whatever it inspects with values that differ from the default.
class filler {
public:
  static constexpr bool reads_state = false;
  static constexpr bool writes_state = true;
  using result_type = caf::error;

  template <class... Ts>
  caf::error operator()(Ts&&... xs) {
    (fill(xs), ...);
    return caf::none;
  }

private:
  template <class T>
  void fill(T& x) {
    using type = std::remove_const_t<T>;
    if constexpr (caf::meta::is_load_callback<type>::value) {
      CHECK_FALSE(x.fun());
    } else if constexpr (caf::meta::is_annotation<type>::value) {
      // names and the like
    } else if constexpr (std::is_same_v<type, bool>) {
      x = true;
    } else if constexpr (std::is_enum_v<type>) {
      x = static_cast<type>(1);
    } else if constexpr (std::is_arithmetic_v<type>) {
      x = static_cast<type>(++next_);
    } else if constexpr (std::is_same_v<type, std::string>) {
      x = "text " + std::to_string(++next_);
    } else if constexpr (std::is_same_v<type, caf::timespan>) {
      x = caf::timespan{++next_};
    } else {
      fill_compound(x);
    }
  }

  template <class T>
  void fill_compound(std::vector<T>& x) {
    x.resize(2);
    for (auto& item : x)
      fill(item);
  }

  template <class T>
  void fill_compound(std::map<std::string, T>& x) {
    fill(x["name"]);
  }

  template <class T>
  void fill_compound(std::set<T>& x) {
    auto item = T{};
    fill(item);
    x.insert(item);
  }

  void fill_compound(caf::strong_actor_ptr&) {
    // nop
  }

  // Handles of actors that this test does not have.
  template <class... Fs>
  void fill_compound(caf::typed_actor<Fs...>&) {
    // nop
  }

  template <class T>
  void fill_compound(T& x) {
    inspect(*this, x);
  }

  int next_ = 0;
};

std::vector<char> bytes_of(caf::actor_system& system, const auto& value) {
  auto result = std::vector<char>{};
  caf::binary_serializer sink{system, result};
  CHECK_FALSE(sink(value));
  return result;
}

template <class T>
void round_trip(caf::actor_system& system) {
  auto value = T{};
  auto fill = filler{};
  inspect(fill, value);
  auto bytes = bytes_of(system, value);
  auto copy = T{};
  caf::binary_deserializer source{system, bytes};
  CHECK_FALSE(source(copy));
  CHECK(bytes_of(system, copy) == bytes);
  // Every cut leaves an error, not a crash.
  for (size_t size = 0; size < bytes.size(); ++size) {
    auto rest = T{};
    auto part = std::vector<char>(
      bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    caf::binary_deserializer cut{system, part};
    CHECK(cut(rest));
  }
}

template <size_t... Is>
void round_trip_all(caf::actor_system& system, std::index_sequence<Is...>) {
  using block = caf::id_block::troupe;
  (round_trip<typename caf::type_by_id<block::begin + Is>::type>(system), ...);
}

} // namespace

TEST_CASE("every message type survives CAF's binary serializer", "[messages]") {
  test::stage stage;
  using block = caf::id_block::troupe;
  constexpr auto count = size_t{block::end - block::begin};
  static_assert(count > 50);
  round_trip_all(stage.system(), std::make_index_sequence<count>{});
}
