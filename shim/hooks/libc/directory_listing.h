// A folder's entries in the order of their names. The file system keeps them in an order of its own: of the
// hashes of the names with a seed that the volume was given (ext4), of their making (tmpfs, btrfs), of a
// server's choice (NFS). So the same folder reads otherwise on another machine.
//
// No malloc: an entry stays where the kernel wrote it. A folder that is larger than what is kept at once is
// read again for each part, and each part takes the names that come next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <dirent.h>

namespace detshim {

/// Orders names by their bytes, or the other way round; "." and ".." come first in both.
int compare_names(const char* one, const char* other, bool reversed);

/// Orders `count` entries that libc allocated; false where there is no memory for that.
bool sort_entries(dirent64** entries, size_t count, bool reversed);

/// How much of a folder is kept at once. Only tests change it.
struct ListingLimits {
  size_t bytes;   ///< of entries; the index takes up to 32 more for each entry
  size_t entries; ///< in a folder that is sorted as a whole: one with more may have no end
};
extern constinit ListingLimits listing_limits;

/// Entries of a folder that is open under a descriptor, and a place among them. Two threads may ask for the
/// next entry at once.
class Listing {
public:
  /// One that begins at the descriptor's offset `start`; nullptr where there is no memory.
  static Listing* make(const void* owner, long start, bool reversed);
  void give_back();

  /// Reads what the next entry needs, if nothing was read since the listing was made or begun again. True if
  /// it was this call that did.
  bool fill(int fd);
  /// The next entry, which holds until the listing is given back or begun again; nullptr at the end, with
  /// `error` for why there are no more, or 0.
  dirent64* next(int fd, int& error);

  /// Whether entries besides "." and ".." were found that can come in more than one order.
  bool has_order() const { return others_ > 1; }
  /// False if there were too many entries, or the folder could not be read twice: parts of it are sorted.
  bool is_sorted() const { return !is_in_chunks_; }

  /// A place: how many entries come before it. It holds for another listing of the same entries.
  long position() const;
  void go_to(long position);
  /// Forgets the entries; the descriptor's offset is `start` by now.
  void begin_again(long start);

  const void* owner() const { return owner_; }

  uint64_t device, inode; ///< of the folder, where its owner is a descriptor

private:
  struct Place {
    uint64_t key; ///< of the name's bytes behind what all names have in common
    dirent64* entry;
  };
  friend bool sort_entries(dirent64** entries, size_t count, bool reversed);
  static Place* sort(Place* places, Place* scratch, size_t count, bool reversed);
  static void make_keys(Place* places, size_t count, bool reversed);

  /// The name at which a part ends.
  struct Border {
    bool is_set;
    char name[1103]; // FUSE allows 1024 bytes
    void set(const char* to);
  };

  bool make_room(size_t size);
  size_t take_wanted(char* from, size_t size);
  void index_entries();
  bool keep_smaller_half();
  void read_in_chunks(int fd);
  void read_part(int fd);

  const void* owner_;
  char* arena_;
  size_t room_; ///< of the arena
  size_t used_; ///< by entries
  Place* index_;
  uint64_t turn_;
  uint64_t base_;  ///< entries in the parts before this one
  uint64_t next_;  ///< in this part; above count_ at its end
  uint64_t count_; ///< in this part
  uint64_t others_;
  uint64_t seen_; ///< in all, while a part was read
  long start_;
  long wanted_; ///< the place that fill() goes to
  int error_;
  bool is_filled_, is_at_start_, has_more_, is_in_chunks_, is_reversed_;
  Border last_;   ///< names up to here were in the parts before
  Border cutoff_; ///< names behind it are for a later part
};

} // namespace detshim
