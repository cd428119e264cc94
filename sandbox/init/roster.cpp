#include "troupe/sandbox/init/roster.hpp"

#include <sys/mman.h>

namespace troupe::init {

bool roster::open() {
  // Zeros are a table of nobody.
  auto* memory = ::mmap(nullptr, sizeof(table), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  table_ = static_cast<table*>(memory);
  return true;
}

std::optional<size_t> roster::add() {
  auto place = size_t{0};
  while (place < most && table_->wardens[place].is_there)
    ++place;
  if (place == most)
    return std::nullopt;
  auto& one = table_->wardens[place];
  one.id = 0;
  one.pid = 0;
  one.is_there = true;
  if (place >= table_->end)
    table_->end = place + 1;
  return place;
}

void roster::name(size_t place, pid_t pid) {
  table_->wardens[place].pid = pid;
}

void roster::remove(size_t place) {
  table_->wardens[place].is_there = false;
}

void roster::remove_pid(pid_t pid) {
  for (auto i = size_t{0}; i < table_->end; ++i)
    if (table_->wardens[i].pid == pid)
      table_->wardens[i].is_there = false;
}

std::vector<roster::entry> roster::busy() const {
  auto result = std::vector<entry>{};
  for (auto i = size_t{0}; i < table_->end; ++i) {
    const auto& one = table_->wardens[i];
    auto id = one.id.load();
    if (one.is_there && id != 0)
      result.push_back({id, one.pid});
  }
  return result;
}

size_t roster::size() const {
  auto result = size_t{0};
  for (auto i = size_t{0}; i < table_->end; ++i)
    result += table_->wardens[i].is_there ? 1 : 0;
  return result;
}

bool roster::has_idle() const {
  for (auto i = size_t{0}; i < table_->end; ++i) {
    const auto& one = table_->wardens[i];
    if (one.is_there && one.id == 0)
      return true;
  }
  return false;
}

void roster::begin(size_t place, uint64_t id) {
  table_->wardens[place].id = id;
}

void roster::end(size_t place) {
  table_->wardens[place].id = 0;
}

} // namespace troupe::init
