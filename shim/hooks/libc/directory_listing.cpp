#include "hooks/libc/directory_listing.h"

#include "common/sys.h"
#include "core/base/signal_safe_lock.h"

#include <cerrno>

namespace detshim {

constinit ListingMemory listing_memory;

namespace {

constexpr size_t block_size = size_t{64} << 10; // of a listing and its first arena
constexpr size_t smallest_read = 4096;          // the largest entry has 1104

bool is_dots(const char* name) {
  return name[0] == '.' && (name[1] == 0 || (name[1] == '.' && name[2] == 0));
}

/// Calls visit(entry) for each of the entries that lie there. `visit` may overwrite what it has
/// seen.
template <typename Visit>
void each_entry(char* from, size_t size, Visit visit) {
  for (size_t at = 0; at < size;) {
    auto* const entry = reinterpret_cast<dirent64*>(from + at);
    at += entry->d_reclen;
    visit(entry);
  }
}

} // namespace

int compare_names(const char* one, const char* other, bool reversed) {
  const bool are_dots[] = {is_dots(one), is_dots(other)};
  if (are_dots[0] != are_dots[1])
    return are_dots[0] ? -1 : 1;
  while (*one != 0 && *one == *other)
    ++one, ++other;
  const int order = static_cast<unsigned char>(*one) - static_cast<unsigned char>(*other);
  return reversed && !are_dots[0] ? -order : order;
}

/// A merge sort: the same for every order in which a folder may come, and stable. Returns which of
/// the two arrays holds the result.
dirent64** Listing::sort(dirent64** entries, dirent64** scratch, size_t count, bool reversed) {
  for (size_t width = 1; width < count; width *= 2) {
    for (size_t begin = 0; begin < count; begin += 2 * width) {
      const size_t middle = begin + width < count ? begin + width : count;
      const size_t end = middle + width < count ? middle + width : count;
      size_t left = begin, right = middle;
      for (size_t to = begin; to < end; ++to) {
        const bool takes_right =
            left == middle || (right < end && compare_names(entries[right]->d_name,
                                                            entries[left]->d_name, reversed) < 0);
        scratch[to] = takes_right ? entries[right++] : entries[left++];
      }
    }
    dirent64** const sorted = scratch;
    scratch = entries;
    entries = sorted;
  }
  return entries;
}

bool sort_entries(dirent64** entries, size_t count, bool reversed) {
  const size_t size = count * sizeof *entries;
  auto** const scratch = static_cast<dirent64**>(sys::map(size));
  if (scratch == nullptr)
    return false;
  dirent64** const sorted = Listing::sort(entries, scratch, count, reversed);
  if (sorted != entries)
    __builtin_memcpy(entries, sorted, size);
  sys::unmap(scratch, size);
  return true;
}

Listing* Listing::make(const void* owner, long start, bool reversed) {
  void* block = __atomic_exchange_n(&listing_memory.spare_block, nullptr, __ATOMIC_ACQUIRE);
  if (block == nullptr)
    block = sys::map(block_size);
  if (block == nullptr)
    return nullptr;
  auto* const made = static_cast<Listing*>(block);
  made->owner_ = owner;
  made->arena_ = reinterpret_cast<char*>(made + 1);
  made->room_ = block_size - sizeof *made;
  made->lock_ = 0;
  made->is_left_to_libc_ = false;
  made->is_reversed_ = reversed;
  made->begin_again(start);
  return made;
}

void Listing::give_back() {
  if (arena_ != reinterpret_cast<char*>(this + 1))
    sys::unmap(arena_, room_);
  void* none = nullptr;
  if (!__atomic_compare_exchange_n(&listing_memory.spare_block, &none, this, false,
                                   __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    sys::unmap(this, block_size);
}

void Listing::begin_again(long start) {
  start_ = start;
  wanted_ = 0;
  is_at_start_ = true;
  error_ = 0;
  others_ = 0;
  __atomic_store_n(&count_, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&next_, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&is_filled_, false, __ATOMIC_RELEASE);
}

/// Makes the arena twice as large; what is in it stays.
bool Listing::grow() {
  const size_t larger = 2 * room_;
  auto* const arena =
      larger <= listing_memory.limit ? static_cast<char*>(sys::map(larger)) : nullptr;
  if (arena == nullptr)
    return false;
  __builtin_memcpy(arena, arena_, used_);
  if (arena_ != reinterpret_cast<char*>(this + 1))
    sys::unmap(arena_, room_);
  arena_ = arena;
  room_ = larger;
  return true;
}

/// Orders the entries that are there; the index lies behind them.
void Listing::index_entries() {
  size_t count = 0;
  each_entry(arena_, used_, [&](const dirent64*) {
    ++count;
  });
  index_ = reinterpret_cast<dirent64**>(arena_ + (used_ + sizeof *index_ - 1) / sizeof *index_ *
                                                     sizeof *index_);
  size_t i = 0;
  each_entry(arena_, used_, [&](dirent64* entry) {
    index_[i++] = entry;
    if (!is_dots(entry->d_name))
      ++others_;
  });
  index_ = sort(index_, index_ + count, count, is_reversed_);
  for (i = 0; i < count; ++i)
    index_[i]->d_off = static_cast<long>(i + 1);
  __atomic_store_n(&count_, count, __ATOMIC_RELEASE);
}

/// Fills the arena with the whole folder; false if there is no room for it.
bool Listing::read_all(int fd) {
  used_ = 0;
  if (!is_at_start_)
    sys::lseek(fd, start_, SEEK_SET);
  is_at_start_ = false;
  for (;;) {
    const size_t left = room_ / 5 * 3 - used_; // an entry has 24 bytes or more, and its index 16
    if (left < smallest_read) {
      if (grow())
        continue;
      sys::lseek(fd, start_, SEEK_SET);
      return false;
    }
    const long size =
        sys::call(SYS_getdents64, fd, sys::address(arena_ + used_), static_cast<long>(left));
    if (size == -EINTR)
      continue;
    if (size <= 0) {
      if (size < 0 && size != -ENOENT)
        error_ = static_cast<int>(-size); // ENOENT: the folder was removed
      return true;
    }
    used_ += static_cast<size_t>(size);
  }
}

bool Listing::fill(int fd) {
  if (__atomic_load_n(&is_filled_, __ATOMIC_ACQUIRE))
    return false;
  const SpinGuard guard(lock_);
  if (is_filled_)
    return false;
  if (read_all(fd))
    index_entries();
  else
    __atomic_store_n(&is_left_to_libc_, true, __ATOMIC_RELEASE);
  const auto wanted = static_cast<uint64_t>(wanted_);
  __atomic_store_n(&next_, wanted < count_ ? wanted : count_, __ATOMIC_RELAXED);
  __atomic_store_n(&is_filled_, true, __ATOMIC_RELEASE);
  return true;
}

dirent64* Listing::next(int fd, int& error) {
  fill(fd);
  const uint64_t at = __atomic_fetch_add(&next_, 1, __ATOMIC_ACQ_REL);
  const bool is_end = at >= count_;
  if (is_end)
    __atomic_store_n(&next_, count_, __ATOMIC_RELAXED);
  error = is_end ? error_ : 0;
  return is_end ? nullptr : index_[at];
}

long Listing::position() const {
  return is_filled_ ? static_cast<long>(next_ < count_ ? next_ : count_) : wanted_;
}

void Listing::go_to(long position) {
  const auto wanted = static_cast<uint64_t>(position);
  if (is_filled_ && wanted <= count_) {
    __atomic_store_n(&next_, wanted, __ATOMIC_RELAXED);
    return;
  }
  begin_again(start_);
  is_at_start_ = false;
  wanted_ = position < 0 ? 0 : position;
}

} // namespace detshim
