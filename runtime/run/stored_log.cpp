#include "troupe/runtime/run/stored_log.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/runtime/content/shown_blocks.hpp"
#include "troupe/runtime/model/history.hpp"
#include "troupe/runtime/model/message_record.hpp"
#include "troupe/runtime/run/event_record.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace troupe {

namespace {

constexpr auto page_size = size_t{1024};

caf::error take_message(const session_record& record, stored_session& out) {
  auto message = decode_message(record.body, record.blobs);
  if (!message)
    return std::move(message.error());
  if (message->role == message_role::assistant) {
    out.intents.clear();
    out.answer_record = record.seq;
  }
  message->record = record.seq;
  out.messages.emplace_back(std::move(*message));
  return {};
}

caf::error take_record(const session_record& record, stored_session& out) {
  switch (record.kind) {
    case record_kind::message:
      return take_message(record, out);
    case record_kind::state: {
      auto state = decode_state(record.body);
      if (!state)
        return std::move(state.error());
      out.state_json = std::move(*state);
      return {};
    }
    case record_kind::intent: {
      auto intent = decode_intent(record.body);
      if (!intent)
        return std::move(intent.error());
      out.intents.push_back(std::move(*intent));
      return {};
    }
    case record_kind::summary:
      return {}; // the last one was read before
  }
  return {};
}

caf::expected<std::vector<session_record>>
load_one(store& disk, const session_key& key, uint64_t seq) {
  if (seq == 0)
    return std::vector<session_record>{};
  return disk.load(key, seq - 1, 1);
}

/// Takes the last summary; gives the first record that still counts.
caf::expected<uint64_t> take_summary(store& disk, const session_summary& head,
                                     stored_session& out) {
  auto found = load_one(disk, head.key, head.last_summary);
  if (!found)
    return std::move(found.error());
  if (found->empty())
    return uint64_t{1};
  auto summary = decode_summary(found->front().body);
  if (!summary)
    return std::move(summary.error());
  if (!summary->text.empty())
    out.messages.emplace_back(summary_message(*summary, found->front().at));
  if (summary->keep_also < summary->keep_from) {
    auto kept = load_one(disk, head.key, summary->keep_also);
    if (!kept)
      return std::move(kept.error());
    for (const auto& record : *kept)
      if (auto why = take_record(record, out))
        return why;
  }
  return std::max(summary->keep_from, uint64_t{1});
}

/// Takes the records of `key` behind `after`, in pages.
caf::error take_records(store& disk, const session_key& key, uint64_t after,
                        stored_session& out) {
  for (;;) {
    auto page = disk.load(key, after, page_size);
    if (!page)
      return std::move(page.error());
    for (const auto& record : *page)
      if (auto why = take_record(record, out))
        return why;
    if (page->size() < page_size)
      return {};
    after = page->back().seq;
  }
}

caf::error lost_blob() {
  return make_error(errc::storage, "an attachment is missing in the store", {},
                    "the conversation was deleted, or the store is damaged");
}

/// The same message with the bytes of its blocks, as far as they go into a
/// request. `loaded` has those of other messages.
caf::expected<chat_message_ptr>
with_bytes(store& disk, const chat_message& message, block_budget& budget,
           std::map<std::string, shared<std::string>>& loaded) {
  auto result = message;
  for (auto i = result.blocks.rbegin(); i != result.blocks.rend(); ++i) {
    if (!budget.take(*i))
      break;
    auto& bytes = loaded[i->digest];
    if (!bytes) {
      auto found = disk.load_blob({i->digest, i->size, nullptr});
      if (!found)
        return std::move(found.error());
      if (!*found)
        return lost_blob();
      bytes = shared<std::string>{std::move(*found)};
    }
    i->bytes = bytes;
  }
  return chat_message_ptr{std::move(result)};
}

/// Loads the bytes of the newest blocks; a conversation of any length takes no
/// more memory than one request does.
caf::error load_blocks(store& disk, std::vector<chat_message_ptr>& messages) {
  auto budget = block_budget{};
  auto loaded = std::map<std::string, shared<std::string>>{};
  for (auto i = messages.rbegin(); i != messages.rend(); ++i) {
    if ((*i)->blocks.empty())
      continue;
    auto whole = with_bytes(disk, **i, budget, loaded);
    if (!whole)
      return std::move(whole.error());
    *i = std::move(*whole);
  }
  return {};
}

} // namespace

caf::expected<stored_session> read_session(store& disk,
                                           const session_key& key) {
  auto result = stored_session{};
  auto head = disk.find_session(key);
  if (!head)
    return std::move(head.error());
  if (!*head)
    return result;
  result.records = (*head)->records;
  result.open_run = (*head)->open_run;
  auto first = take_summary(disk, **head, result);
  if (!first)
    return std::move(first.error());
  auto state = load_one(disk, key, (*head)->last_state);
  if (!state)
    return std::move(state.error());
  for (const auto& record : *state)
    if (auto why = take_record(record, result))
      return why;
  if (auto why = take_records(disk, key, *first - 1, result))
    return why;
  if (auto why = load_blocks(disk, result.messages))
    return why;
  return result;
}

caf::expected<std::vector<chat_message_ptr>>
read_whole_session(store& disk, const session_key& key) {
  auto stored = stored_session{};
  if (auto why = take_records(disk, key, 0, stored))
    return why;
  return repair_history(std::move(stored.messages)).messages;
}

caf::expected<std::vector<run_event>>
read_events(store& disk, const std::string& run_id, uint64_t after,
            uint64_t max) {
  auto result = std::vector<run_event>{};
  auto head = disk.find_run(run_id);
  if (!head)
    return std::move(head.error());
  if (!*head)
    return result;
  auto records = disk.load_events(run_id, after, max);
  if (!records)
    return std::move(records.error());
  for (const auto& record : *records) {
    auto event = read_event(record);
    if (!event)
      return std::move(event.error());
    auto session = (*head)->session;
    if (!event->session_id.empty()) { // a step's
      session.agent = event->participant;
      session.session_id = event->session_id;
    }
    auto said = load_one(disk, session, event->record);
    if (!said)
      return std::move(said.error());
    if (!said->empty() && said->front().kind == record_kind::message) {
      auto message = decode_message(said->front().body);
      if (!message)
        return std::move(message.error());
      fill_event(*event, *message);
    }
    result.push_back(std::move(*event));
  }
  return result;
}

caf::expected<uint64_t> erase_free_session(store& disk,
                                           const session_key& key) {
  auto head = disk.find_session(key);
  if (!head)
    return std::move(head.error());
  if (!*head)
    return uint64_t{0};
  if ((*head)->open_run.empty())
    return disk.erase(key);
  auto run = disk.find_run((*head)->open_run);
  if (!run)
    return std::move(run.error());
  if (*run && !is_over((*run)->status)
      && (*run)->status != run_status::interrupted)
    return make_error(errc::configuration,
                      "the conversation belongs to run " + (*run)->run_id
                        + ", which is " + to_string((*run)->status),
                      "session " + key.session_id,
                      "troupe runs cancel " + (*run)->run_id);
  return disk.erase(key);
}

} // namespace troupe
