// A folder's entries in the order of their names. The file system keeps them in an order of its
// own: of the hashes of the names with a seed that the volume was given (ext4), of their making
// (tmpfs, btrfs), of a server's choice (NFS). So the same folder reads otherwise on another
// machine.
//
// No malloc: an entry stays where the kernel wrote it. A folder that is larger than what is kept at
// once is left in libc's order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <dirent.h>

namespace detshim {

/// Orders names by their bytes, or the other way round; "." and ".." come first in both.
int compare_names(const char* one, const char* other, bool reversed);

/// Orders `count` entries that libc allocated; false where there is no memory for that.
bool sort_entries(dirent64** entries, size_t count, bool reversed);

struct ListingMemory {
  /// How many bytes are taken for the entries of one folder, which may have no end, and their
  /// index. Only tests change it.
  size_t limit = size_t{1} << 30;
  /// A block that was given back, for the next listing: most folders are small, and there are many
  /// of them.
  void* spare_block = nullptr;
};
extern constinit ListingMemory listing_memory;

/// Entries of a folder that is open under a descriptor, and a place among them. Two threads may ask
/// for the next entry at once.
class Listing {
public:
  /// One that begins at the descriptor's offset `start`; nullptr where there is no memory.
  static Listing* make(const void* owner, long start, bool reversed);
  void give_back();

  /// Reads what the next entry needs, if nothing was read since the listing was made or begun
  /// again. True if it was this call that did.
  bool fill(int fd);
  /// The next entry, which holds until the listing is given back or begun again; nullptr at the
  /// end, with `error` for why there are no more, or 0.
  dirent64* next(int fd, int& error);

  /// Whether entries besides "." and ".." were found that can come in more than one order.
  bool has_order() const { return others_ > 1; }
  /// True if it is too large, or there is no memory: libc reads it, from `start`.
  bool is_left_to_libc() const { return __atomic_load_n(&is_left_to_libc_, __ATOMIC_ACQUIRE); }

  /// A place: how many entries come before it. It holds for another listing of the same entries.
  long position() const;
  void go_to(long position);
  /// Forgets the entries; the descriptor's offset is `start` by now.
  void begin_again(long start);

  const void* owner() const { return owner_; }

private:
  friend bool sort_entries(dirent64** entries, size_t count, bool reversed);
  static dirent64** sort(dirent64** entries, dirent64** scratch, size_t count, bool reversed);

  bool grow();
  void index_entries();
  bool read_all(int fd);

  const void* owner_;
  char* arena_;
  size_t room_; ///< of the arena
  size_t used_; ///< by entries
  dirent64** index_;
  uint64_t lock_;
  uint64_t next_; ///< above count_ at the end
  uint64_t count_;
  uint64_t others_;
  long start_;
  long wanted_; ///< the position that fill() goes to
  int error_;
  bool is_filled_, is_at_start_, is_left_to_libc_, is_reversed_;
};

} // namespace detshim
