#include "troupe/storage/lmdb_env.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/storage/file_size_signal_guard.hpp"
#include "troupe/storage/lmdb_error.hpp"

#include <lmdb.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

namespace troupe {

namespace {

constexpr auto cannot_open = std::string_view{"cannot open the store"};
constexpr auto cannot_write = std::string_view{"cannot write to the store"};

// Each transaction in progress takes one slot, in whatever process.
constexpr unsigned reader_slots = 1024;

// What 64-bit processors give a process, about.
constexpr uint64_t most_address_space = 64ull << 40;

// LMDB answers EIO to a write that the disk took only in part.
constexpr uint64_t nearly_no_room = 1 << 20;

unsigned env_flags(durability how) {
  // Slots belong to transactions, not threads: the owner may move.
  auto result = unsigned{MDB_NOSUBDIR | MDB_NOTLS};
  // The pages are synced before the header is written, and the header with the
  // next commit: a power failure takes the last commit back and no more. With
  // MDB_NOSYNC the kernel may write a header before the pages it names, and a
  // power failure then destroys the whole store.
  if (how == durability::relaxed)
    result |= MDB_NOMETASYNC;
  return result;
}

// What is kept for `write_to_make_room`.
uint64_t reserve_of(uint64_t map_size) {
  return std::min<uint64_t>(map_size / 16, 64ull << 20);
}

uint64_t write_limit(const lmdb_env_options& options) {
  return options.storage.map_size - reserve_of(options.storage.map_size);
}

std::string to_mib(uint64_t bytes) {
  return std::to_string(bytes >> 20) + "MiB";
}

} // namespace

void lmdb_env::close_env::operator()(MDB_env* env) const noexcept {
  mdb_env_close(env);
}

lmdb_env::lmdb_env(lmdb_env_options options, store_file file)
  : options_(std::move(options)),
    file_(std::move(file)) {
  // nop
}

lmdb_env::~lmdb_env() {
  // Closing does not sync, and `relaxed` owes the last header.
  if (env_ != nullptr && options_.storage.durability == durability::relaxed)
    mdb_env_sync(env_.get(), 1);
}

// -- opening ------------------------------------------------------------------

caf::expected<std::unique_ptr<lmdb_env>>
lmdb_env::open(lmdb_env_options options) {
  if (options.storage.map_size < (1 << 20))
    return make_error(errc::configuration, "storage.map_size is below 1MiB",
                      "storage.map_size", "use at least 1MiB");
  // Both limits made of it are then whole pages, and sums do not overflow.
  auto& map_size = options.storage.map_size;
  map_size = std::min(map_size, most_address_space) & ~uint64_t{0xFFFF};
  auto file = store_file::open(options.storage.path);
  if (!file)
    return file.error();
  auto result = std::unique_ptr<lmdb_env>{
    new lmdb_env{std::move(options), std::move(*file)}};
  if (auto why = result->start())
    return why;
  return result;
}

caf::error lmdb_env::start() {
  auto guard = file_size_signal_guard{};
  if (auto why = file_.lock_opening())
    return why;
  auto why = start_locked();
  file_.unlock_opening();
  if (why)
    stop();
  return why;
}

caf::error lmdb_env::start_locked() {
  auto header = file_.read_header();
  if (!header)
    return header.error();
  if (auto why = file_.make_lock_file())
    return why;
  if (auto why = map_file(*header))
    return why;
  clear_dead_readers();
  auto check_and_open = [this](lmdb_txn& txn) -> caf::error {
    if (auto why = check_tail())
      return why;
    return options_.on_open(txn);
  };
  return run(0, options_.storage.map_size, check_and_open);
}

caf::error lmdb_env::map_file(const store_header& header) {
  auto* env = static_cast<MDB_env*>(nullptr);
  if (auto code = mdb_env_create(&env))
    return explain(code, cannot_open);
  env_.reset(env);
  auto taken = header.page_size * (header.last_page + 1);
  auto wanted = std::max(options_.first_map, taken + taken / 4);
  // LMDB takes more where the file has more.
  mdb_env_set_mapsize(env, std::min(wanted, write_limit(options_)));
  mdb_env_set_maxreaders(env, reader_slots);
  mdb_env_set_maxdbs(env, table_count);
  if (auto code = mdb_env_open(env, file_.path().c_str(),
                               env_flags(options_.storage.durability), 0600))
    return explain(code, cannot_open);
  auto mapped_file = mdb_filehandle_t{};
  mdb_env_get_fd(env, &mapped_file);
  return file_.check_same(mapped_file);
}

// A page beyond the end of the file is mapped but cannot be touched: SIGBUS.
// So a file that was cut short must be found out before its pages are used.
// LMDB itself leaves a file short of pages that are unused, so the list of
// these decides; it is read after the file was made long enough to be safe.
// Runs within a write transaction, so that nobody changes the file meanwhile.
caf::error lmdb_env::check_tail() {
  auto header = file_.read_header();
  if (!header)
    return header.error();
  auto size = file_.size();
  if (!size)
    return size.error();
  auto first_missing = *size / header->page_size;
  if (first_missing > header->last_page)
    return {};
  // LMDB shows the list to readers only.
  auto reader = begin(MDB_RDONLY, options_.storage.map_size);
  if (!reader)
    return reader.error();
  if (auto why = file_.resize(header->page_size * (header->last_page + 1)))
    return why;
  auto free = reader->are_free(first_missing, header->last_page);
  if (free && *free)
    return {};
  // Or the next opening would not notice.
  if (auto why = file_.resize(*size))
    return why;
  return file_.cut_short();
}

void lmdb_env::stop() {
  env_.reset();
}

// -- transactions -------------------------------------------------------------

caf::error lmdb_env::read(const lmdb_work& work) {
  return run(MDB_RDONLY, options_.storage.map_size, work);
}

caf::error lmdb_env::write(const lmdb_work& work) {
  return run(0, write_limit(options_), work);
}

caf::error lmdb_env::write_to_make_room(const lmdb_work& work) {
  if (env_ == nullptr)
    if (auto why = start())
      return why;
  // A file may be larger than a limit that was lowered since.
  auto limit = std::max(options_.storage.map_size, used());
  auto result = run(0, limit + reserve_of(limit), work);
  if (env_ != nullptr && mapped() > write_limit(options_))
    if (auto why = remap(write_limit(options_)); why && !result)
      return why;
  return result;
}

caf::error lmdb_env::run(unsigned flags, uint64_t limit,
                         const lmdb_work& work) {
  auto guard = file_size_signal_guard{};
  auto settled = false;
  for (;;) {
    if (env_ == nullptr)
      if (auto why = start())
        return why;
    auto why = attempt(flags, limit, work);
    if (!why)
      return {};
    if (failure_ == EIO)
      return explain(EIO, cannot_write);
    if (failure_ != MDB_MAP_FULL)
      return add_where(why, file_.path().string());
    if (mapped() < limit) {
      if (auto no_memory = remap(std::min(2 * mapped(), limit)))
        return no_memory;
    } else if (settled || !free_more(limit)) {
      return full();
    } else {
      settled = true;
    }
  }
}

caf::error lmdb_env::attempt(unsigned flags, uint64_t limit,
                             const lmdb_work& work) {
  failure_ = 0;
  auto txn = begin(flags, limit);
  if (!txn)
    return txn.error();
  auto why = work(*txn);
  failure_ = txn->failure();
  if (why || flags == MDB_RDONLY)
    return why;
  why = txn->commit();
  failure_ = txn->failure();
  // A commit that failed halfway leaves LMDB unable to go on until reopened.
  if (why && failure_ != MDB_MAP_FULL)
    stop();
  return why;
}

caf::expected<lmdb_txn> lmdb_env::begin(unsigned flags, uint64_t limit) {
  for (;;) {
    auto* handle = static_cast<MDB_txn*>(nullptr);
    auto code = mdb_txn_begin(env_.get(), nullptr, flags, &handle);
    if (code == 0)
      return lmdb_txn{handle, tables_};
    if (code == MDB_READERS_FULL && clear_dead_readers())
      continue;
    if (code != MDB_MAP_RESIZED) {
      if (code == MDB_PANIC)
        stop();
      return explain(code, cannot_open);
    }
    // Another process made the file larger than our map: follow it. LMDB takes
    // more than asked for where the file needs more.
    auto before = mapped();
    if (auto why = remap(std::min(2 * before, limit)))
      return why;
    if (mapped() <= before)
      return explain(MDB_CORRUPTED, cannot_open);
  }
}

// -- the map ------------------------------------------------------------------

uint64_t lmdb_env::mapped() const {
  auto info = MDB_envinfo{};
  mdb_env_info(env_.get(), &info);
  return info.me_mapsize;
}

uint64_t lmdb_env::used() const {
  auto info = MDB_envinfo{};
  mdb_env_info(env_.get(), &info);
  auto stat = MDB_stat{};
  mdb_env_stat(env_.get(), &stat);
  return (info.me_last_pgno + 1) * stat.ms_psize;
}

// Pages that a transaction gave back serve the next but one, and not as long
// as a reader may still see them, even one that was killed. So a full store
// gets one transaction more, that writes again what is there.
bool lmdb_env::free_more(uint64_t limit) {
  clear_dead_readers();
  if (limit > write_limit(options_))
    return false;
  auto rewrite = [](lmdb_txn& txn) -> caf::error {
    auto first = txn.find_from(table_id::meta, {});
    if (!first || !*first)
      return first ? caf::error{} : first.error();
    auto key = std::string{(*first)->key};
    auto value = std::string{(*first)->value};
    auto out = txn.reserve(table_id::meta, key, value.size());
    if (!out)
      return out.error();
    std::copy(value.begin(), value.end(), *out);
    return {};
  };
  return !write_to_make_room(rewrite);
}

caf::error lmdb_env::remap(uint64_t bytes) {
  auto code = mdb_env_set_mapsize(env_.get(), bytes);
  if (code == 0)
    return {};
  // It is not mapped at all now.
  stop();
  return explain(code, cannot_open);
}

bool lmdb_env::clear_dead_readers() {
  auto dead = 0;
  return mdb_reader_check(env_.get(), &dead) == 0 && dead > 0;
}

caf::error lmdb_env::explain(int code, std::string_view doing) const {
  if (code == EIO && file_.room() < nearly_no_room)
    code = ENOSPC;
  return add_where(lmdb_error(code, doing), file_.path().string());
}

caf::error lmdb_env::full() const {
  return make_error(errc::storage, "the store is full", file_.path().string(),
                    "delete sessions, or raise storage.map_size (now "
                      + to_mib(options_.storage.map_size) + ")");
}

} // namespace troupe
