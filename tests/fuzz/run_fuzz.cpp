#include "troupe/runtime/run/event_record.hpp"
#include "troupe/runtime/run/run_details.hpp"
#include "troupe/runtime/run/run_json.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

using namespace troupe;

namespace {

// As `runs show` does; throws where a text is not UTF-8.
void show_event(std::string_view bytes) {
  auto event = read_event({1, 2, std::string{bytes}});
  if (!event)
    return;
  event_json(*event, "run", "agent").dump();
  auto again = read_event(make_event_record(*event));
  if (!again
      || make_event_record(*again).body != make_event_record(*event).body)
    std::abort();
  // Its message is another record, which may be gone or another one.
  fill_event(*event, {});
  event_json(*event, "run", "agent").dump();
}

void show_run(std::string_view bytes) {
  auto head = run_head{};
  head.details = bytes;
  head.status = run_status::suspended;
  auto details = decode_details(head);
  if (!details)
    return;
  run_json(details->object).dump();
  head.details = encode_details(details->request, details->object);
  auto again = decode_details(head);
  if (!again || encode_details(again->request, again->object) != head.details)
    std::abort();
}

} // namespace

// Whatever the records of a run are, they are read or refused, and what was
// read can be shown and stored again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto bytes = std::string_view{reinterpret_cast<const char*>(data), size};
  show_event(bytes);
  show_run(bytes);
  return 0;
}
