#include "troupe/storage/memory_blobs.hpp"

#include "troupe/storage/record_codec.hpp"
#include "troupe/storage/sha256.hpp"

#include <algorithm>

namespace troupe {

caf::error memory_blobs::share(std::vector<store_commit>& batch) {
  for (auto& entry : batch) {
    for (auto& session : entry.sessions)
      for (auto& record : session.records)
        if (auto why = share(record.blobs))
          return why;
    for (auto& value : entry.values)
      if (auto why = share(value.blobs))
        return why;
  }
  forget_gone();
  return {};
}

caf::error memory_blobs::share(std::vector<stored_blob>& blobs) {
  for (auto& one : blobs) {
    auto digest = sha256(*one.bytes);
    if (!digest)
      return digest.error();
    auto bytes = std::move(one.bytes);
    one = describe_blob({*digest, bytes->size()});
    auto& known = known_[one.digest];
    one.bytes = known.lock();
    if (one.bytes)
      continue;
    known = bytes;
    one.bytes = std::move(bytes);
  }
  return {};
}

std::shared_ptr<const std::string>
memory_blobs::find(const stored_blob& blob) const {
  auto found = known_.find(blob.digest);
  return found == known_.end() ? nullptr : found->second.lock();
}

void memory_blobs::forget_gone() {
  if (known_.size() < next_look_)
    return;
  std::erase_if(known_, [](const auto& x) { return x.second.expired(); });
  next_look_ = std::max<size_t>(64, 2 * known_.size());
}

void drop_bytes(std::vector<stored_blob>& blobs) {
  for (auto& one : blobs)
    one.bytes = nullptr;
}

} // namespace troupe
