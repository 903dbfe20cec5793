// The order in which a folder is read: by name (hooks/libc/directory_listing.h), because that of the file
// system is another one on another machine.
//
// libc's stream stays what it is. At the first read of one that was opened here, its entries are read from
// its descriptor and given out of a listing, which is found by the descriptor's number. A stream that was
// opened out of sight is left alone. rewinddir forgets the listing; a position is how many entries come
// before it.
//
// What libc does with its own streams (scandir, glob, fts, nftw) never comes by here; the first three can be
// asked to sort.
#include "common/sys.h"
#include "common/text.h"
#include "core/base/python_frames.h"
#include "core/identity/process.h"
#include "core/log/log_file.h"
#include "hooks/libc/directory_listing.h"
#include "loader/hook.h"

#include <cerrno>
#include <cstdlib>
#include <dirent.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <sys/stat.h>
#include <sys/syscall.h>

namespace detshim {

namespace hooks {
DETSHIM_DECLARE_HOOK(readdir);
DETSHIM_DECLARE_HOOK(syscall);
} // namespace hooks

namespace {

static_assert(sizeof(dirent) == sizeof(dirent64) && sizeof(glob_t) == sizeof(glob64_t));

bool is_reversed() { return options().folders == FolderOrder::reversed; }

/// Whether folders are sorted at all. DETSHIM_DISABLE=readdir means every function here. Not in a vfork
/// child: it has its parent's listings and descriptors of its own, so what it closes or reads is another
/// folder.
template <typename Call>
bool sorts(const Call& call) {
  return options().folders != FolderOrder::off && options().pins() && !call.passes() &&
         !hooks::readdir.disabled && is_own_memory();
}

/// What is known of a descriptor: nothing (0), a listing, or a stream (its address and is_stream) that was
/// not read yet.
constexpr uintptr_t is_stream = 1;
constexpr uintptr_t is_handed_over = 2; ///< opened by fdopendir, perhaps not at the start
constexpr uintptr_t marks = is_stream | is_handed_over;
constexpr size_t page_length = 512, page_count = 2048; // of up to 2^20 descriptors
using SlotPage = uintptr_t[page_length];
constinit SlotPage* pages[page_count] = {};

/// The place for a descriptor; nullptr where there is none.
uintptr_t* slot_of(int fd, bool makes) {
  const auto number = static_cast<size_t>(fd);
  if (number >= page_length * page_count) return nullptr;
  SlotPage*& page = pages[number / page_length];
  SlotPage* known = __atomic_load_n(&page, __ATOMIC_ACQUIRE);
  if (known == nullptr && makes) {
    auto* const made = static_cast<SlotPage*>(sys::map(sizeof(SlotPage)));
    if (made == nullptr) return nullptr;
    if (__atomic_compare_exchange_n(&page, &known, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      known = made;
    else
      sys::unmap(made, sizeof(SlotPage));
  }
  return known == nullptr ? nullptr : &(*known)[number % page_length];
}

/// Puts something in a descriptor's place and gives back what was there.
void replace(uintptr_t* slot, uintptr_t by) {
  const uintptr_t before = __atomic_exchange_n(slot, by, __ATOMIC_ACQ_REL);
  if (before != 0 && (before & marks) == 0) reinterpret_cast<Listing*>(before)->give_back();
}

/// Remembers a stream that was just opened, so that its first read is sorted.
template <typename Call>
DIR* remember(const Call& call, DIR* stream, uintptr_t mark) {
  if (stream == nullptr || !sorts(call)) return stream;
  if (uintptr_t* const slot = slot_of(dirfd(stream), true))
    replace(slot, reinterpret_cast<uintptr_t>(stream) | is_stream | mark);
  return stream;
}

/// The place of a stream that is remembered; nullptr for another.
uintptr_t* slot_of(DIR* stream) {
  if (stream == nullptr) return nullptr;
  uintptr_t* const slot = slot_of(dirfd(stream), false);
  if (slot == nullptr) return nullptr;
  const uintptr_t value = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
  if (value == 0) return nullptr;
  const void* const owner = (value & marks) != 0 ? reinterpret_cast<const void*>(value & ~marks)
                                                 : reinterpret_cast<const Listing*>(value)->owner();
  return owner == stream ? slot : nullptr;
}

/// The listing of a remembered stream, if it has one.
Listing* listing_in(const uintptr_t* slot) {
  const uintptr_t value = slot == nullptr ? 0 : __atomic_load_n(slot, __ATOMIC_ACQUIRE);
  return (value & marks) == 0 ? reinterpret_cast<Listing*>(value) : nullptr;
}

/// The same, made where it is missing; nullptr where there is no memory.
Listing* make_listing(uintptr_t* slot, DIR* stream) {
  uintptr_t value = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
  if ((value & marks) == 0) return reinterpret_cast<Listing*>(value);
  const long start = (value & is_handed_over) != 0 ? sys::lseek(dirfd(stream), 0, SEEK_CUR) : 0;
  Listing* const made = Listing::make(stream, sys::failed(start) ? 0 : start, is_reversed());
  if (made == nullptr) return nullptr;
  if (__atomic_compare_exchange_n(slot, &value, reinterpret_cast<uintptr_t>(made), false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE))
    return made;
  made->give_back();
  return reinterpret_cast<Listing*>(value); // another thread's
}

/// True for programs that the system brought. Each run has hundreds of them (shells, ls, rm, make), and that
/// one of them read a folder is no reason to begin a log.
bool is_of_system() {
  static constinit int known = 0;
  if (known == 0) {
    char program[64];
    const bool is_known = !sys::failed(sys::readlink("/proc/self/exe", program, sizeof program));
    bool found = false;
    for (const char* folder : {"/usr/bin/", "/usr/sbin/", "/usr/lib", "/bin/", "/sbin/", "/lib"})
      found |= is_known && starts_with(program, folder);
    known = found ? 1 : 2;
  }
  return known == 1;
}

/// True if it is Python's own start or an import that reads: they look for names, whatever their order.
bool is_of_pythons_start(const void* caller) {
  static constinit const void* known_caller = nullptr; // the interpreter has few places that read folders
  if (__atomic_load_n(&known_caller, __ATOMIC_RELAXED) != caller) {
    Module module;
    if (!find_module(caller, module) || !is_python(module)) return false;
    __atomic_store_n(&known_caller, caller, __ATOMIC_RELAXED);
    PythonPlace place;
    find_python_place(place, PythonDetail::key, true); // looks for an interpreter
  }
  bool is_start = true; // without a frame
  each_python_frame(
      1,
      [](const PythonFrame& frame, void* data) {
        *static_cast<bool*>(data) = starts_with(frame.file, "<frozen importlib") ||
                                    starts_with(frame.file, "<frozen site") ||
                                    ends_with(frame.file, "/site.py");
      },
      &is_start);
  return is_start;
}

/// Records that the order had an influence to have. It is no draw: a shell that reads a folder names its
/// children as one that does not.
template <typename Call>
void record_order(const Call& call, Action action, Reason why) {
  if (!log_file::has_begun() && is_of_system()) return;
  const int error = errno;
  const HookInfo& info = call.hook().info();
  if (!is_of_pythons_start(call.caller()))
    record({info.library, info.name, info.fields, false}, action, call.caller(), why, {});
  errno = error;
}

template <typename Call>
void record_listing(const Call& call, const Listing& listing) {
  if (!listing.is_sorted())
    record_order(call, Action::unfixed, Reason::too_many_entries);
  else if (listing.has_order())
    record_order(call, Action::pin, Reason::sorted_by_name);
}

/// The next entry of a stream; `is_native` where it is libc's to read.
template <typename Call>
dirent64* next_entry(const Call& call, DIR* stream, bool& is_native, int& error) {
  uintptr_t* const slot = slot_of(stream);
  Listing* const listing = slot == nullptr ? nullptr : make_listing(slot, stream);
  is_native = listing == nullptr;
  if (is_native) return nullptr;
  const int fd = dirfd(stream);
  if (listing->fill(fd)) record_listing(call, *listing);
  return listing->next(fd, error);
}

template <typename Call>
auto read_entry(const Call& call, DIR* stream) {
  bool is_native;
  int error;
  dirent64* const entry = next_entry(call, stream, is_native, error);
  if (is_native) return call.real(stream);
  if (entry == nullptr && error != 0) errno = error;
  return reinterpret_cast<decltype(call.real(stream))>(entry);
}

template <typename Call, typename Entry>
int read_entry_into(const Call& call, DIR* stream, Entry* room, Entry** result) {
  bool is_native;
  int error;
  bool is_too_long = false;
  for (;;) {
    const dirent64* const entry = next_entry(call, stream, is_native, error);
    if (is_native) return call.real(stream, room, result);
    if (entry == nullptr) {
      *result = nullptr;
      return error != 0 ? error : is_too_long ? ENAMETOOLONG : 0;
    }
    if (entry->d_reclen > sizeof *room) { // as libc: said at the end
      is_too_long = true;
      continue;
    }
    __builtin_memcpy(room, entry, entry->d_reclen);
    *result = room;
    return 0;
  }
}

using Select = int (*)(const void* entry);
using CompareEntries = int (*)(const void* one, const void* other);

/// Sorts what scandir chose by name, and then as the program asks: libc's sort keeps or mixes equal ones, but
/// always alike. Says if the program's own comparison left an order to us.
bool sort_chosen(dirent64** entries, size_t count, CompareEntries compare) {
  bool is_ours = false;
  size_t others = 0;
  for (size_t i = 0; i < count; ++i) others += compare_names(entries[i]->d_name, "..", false) > 0;
  sort_entries(entries, count, is_reversed());
  if (compare != nullptr) qsort(entries, count, sizeof *entries, compare);
  for (size_t i = 1; i < count && compare != nullptr && !is_ours; ++i)
    is_ours = compare(&entries[i - 1], &entries[i]) == 0;
  return others > 1 && (compare == nullptr || is_ours);
}

/// What the hooks of scandir and its kin do, of which each calls libc's with no comparison.
template <typename Call, typename Scan>
int scan(const Call& call, void* list, CompareEntries compare, Scan real_without) {
  const int count = real_without();
  if (count > 0 && sort_chosen(*static_cast<dirent64***>(list), static_cast<size_t>(count), compare))
    record_order(call, Action::pin, Reason::sorted_by_name);
  return count;
}

template <typename Call>
int scan_folder(const Call& call, const char* folder, void* list, Select select, CompareEntries compare) {
  if (!sorts(call)) return call.real(folder, list, select, compare);
  return scan(call, list, compare, [&] { return call.real(folder, list, select, nullptr); });
}

template <typename Call>
int scan_folder_at(const Call& call, int at, const char* folder, void* list, Select select,
                   CompareEntries compare) {
  if (!sorts(call)) return call.real(at, folder, list, select, compare);
  return scan(call, list, compare, [&] { return call.real(at, folder, list, select, nullptr); });
}

/// glob sorts unless it is asked not to.
template <typename Call>
int find_paths(const Call& call, const char* pattern, int flags, int (*on_error)(const char*, int),
               glob_t* found) {
  if ((flags & GLOB_NOSORT) == 0 || !sorts(call)) return call.real(pattern, flags, on_error, found);
  const size_t before = (flags & GLOB_APPEND) != 0 ? found->gl_pathc : 0;
  const int status = call.real(pattern, flags & ~GLOB_NOSORT, on_error, found);
  if (status != 0) return status;
  char** const paths = found->gl_pathv + ((flags & GLOB_DOOFFS) != 0 ? found->gl_offs : 0);
  if (is_reversed()) {
    for (size_t first = before, last = found->gl_pathc; first + 1 < last; ++first) {
      char* const moved = paths[first];
      paths[first] = paths[--last];
      paths[last] = moved;
    }
  }
  if (found->gl_pathc - before > 1) record_order(call, Action::pin, Reason::sorted_by_name);
  return status;
}

int compare_found(const void* one, const void* other) {
  const auto name_of = [](const void* p) { return (*static_cast<const FTSENT* const*>(p))->fts_name; };
  return compare_names(name_of(one), name_of(other), is_reversed());
}

/// The comparison is set once the stream is there: given at its opening, it would order the program's own
/// paths too.
template <typename Call, typename Compare>
void* open_tree(const Call& call, char* const* paths, int flags, Compare compare) {
  void* const tree = call.real(paths, flags, compare);
  if (tree == nullptr || compare != nullptr || !sorts(call)) return tree;
  auto* const opened = static_cast<FTS*>(tree);
  opened->fts_compar = reinterpret_cast<decltype(opened->fts_compar)>(&compare_found);
  record_order(call, Action::pin, Reason::sorted_by_name);
  return tree;
}

/// Reads what the folder holds and looks at each: libc's own walk, which nothing sorts.
template <typename Call, typename... Arguments>
int walk_tree(const Call& call, Arguments... arguments) {
  const int status = call.real(arguments...);
  if (!call.passes() && options().folders != FolderOrder::off)
    record_order(call, Action::observe, Reason::file_system_order);
  return status;
}

/// Entries by the kernel's own format, from a descriptor whose offset is the place: nothing has to be
/// remembered of it, wherever it goes. `real()` reads them as they are.
template <typename Call, typename Real>
ssize_t read_kernel_entries(const Call& call, int fd, void* room, size_t size, const Real& real) {
  uintptr_t* const slot = sorts(call) ? slot_of(fd, true) : nullptr;
  struct stat state;
  const long position = slot == nullptr ? -1 : sys::lseek(fd, 0, SEEK_CUR);
  if (position < 0 || sys::fstat(fd, state) != 0 || !S_ISDIR(state.st_mode)) return real();
  Listing* listing = listing_in(slot);
  if (listing == nullptr || listing->owner() != nullptr || listing->device != state.st_dev ||
      listing->inode != state.st_ino) {
    listing = Listing::make(nullptr, 0, is_reversed());
    if (listing == nullptr) return real();
    listing->device = state.st_dev;
    listing->inode = state.st_ino;
    listing->go_to(position); // for a listing that was not read yet: read from the start
    replace(slot, reinterpret_cast<uintptr_t>(listing));
  } else if (position == 0) {
    listing->begin_again(0);
  } else {
    listing->go_to(position);
  }
  if (listing->fill(fd)) record_listing(call, *listing);
  size_t used = 0;
  int error = 0;
  const dirent64* entry;
  while ((entry = listing->next(fd, error)) != nullptr) {
    if (used + entry->d_reclen > size) {
      listing->go_to(listing->position() - 1);
      if (used == 0) error = EINVAL;
      break;
    }
    __builtin_memcpy(static_cast<char*>(room) + used, entry, entry->d_reclen);
    used += entry->d_reclen;
  }
  sys::lseek(fd, listing->position(), SEEK_SET);
  if (used == 0) replace(slot, 0);
  if (used != 0 || error == 0) return static_cast<ssize_t>(used);
  errno = error;
  return -1;
}

constexpr Description remembers = {
    .action = Action::observe,
    .summary = "Remembers the stream, so that its entries can be given in the order of their names.",
};
constexpr Description gives_sorted = {
    .action = Action::pin,
    .summary = "Gives the folder's entries in the order of their names. DETSHIM_READDIR chooses another.",
};
constexpr Description keeps_place = {
    .action = Action::observe,
    .summary = "Keeps its meaning for a folder whose entries are given in the order of their names.",
};
constexpr Description sorts_choice = {
    .action = Action::pin,
    .summary = "Orders by name what the program's own comparison leaves open.",
};
constexpr Description walks = {
    .action = Action::observe,
    .summary = "Recorded: libc walks the tree in the file system's order.",
};

using Read = Call<dirent*(DIR* stream)>;
using Read64 = Call<dirent64*(DIR* stream)>;
using ReadInto = Call<int(DIR* stream, dirent* room, dirent** result)>;
using ReadInto64 = Call<int(DIR* stream, dirent64* room, dirent64** result)>;
using Scan = Call<int(const char* folder, void* list, Select select, CompareEntries compare)>;
using ScanAt = Call<int(int at, const char* folder, void* list, Select select, CompareEntries compare)>;
using Glob = Call<int(const char* pattern, int flags, int (*on_error)(const char*, int), glob_t* found)>;
using OpenTree = Call<void*(char* const* paths, int flags, CompareEntries compare)>;
using Walk = Call<int(const char* folder, void* visit, int descriptors)>;
using WalkWithFlags = Call<int(const char* folder, void* visit, int descriptors, int flags)>;

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_HOOK(libc, DIR*, opendir, (const char* folder), remembers) {
  DETSHIM_ENTER(opendir);
  return remember(call, call.real(folder), 0);
}

DETSHIM_HOOK(libc, DIR*, fdopendir, (int fd), remembers) {
  DETSHIM_ENTER(fdopendir);
  return remember(call, call.real(fd), is_handed_over);
}

DETSHIM_TEMPLATE_HOOK(libc, Read, readdir, read_entry, gives_sorted);
DETSHIM_TEMPLATE_HOOK(libc, Read64, readdir64, read_entry, gives_sorted);
DETSHIM_TEMPLATE_HOOK(libc, ReadInto, readdir_r, read_entry_into, gives_sorted);
DETSHIM_TEMPLATE_HOOK(libc, ReadInto64, readdir64_r, read_entry_into, gives_sorted);

DETSHIM_HOOK(libc, int, closedir, (DIR * stream), keeps_place) {
  DETSHIM_ENTER(closedir);
  // First, because the number of the descriptor may be another thread's as soon as it is closed.
  if (uintptr_t* const slot = slot_of(stream)) replace(slot, 0);
  return call.real(stream);
}

DETSHIM_HOOK(libc, void, rewinddir, (DIR * stream), keeps_place) {
  DETSHIM_ENTER(rewinddir);
  call.real(stream);
  if (Listing* const listing = listing_in(slot_of(stream))) listing->begin_again(0);
}

DETSHIM_HOOK(libc, long, telldir, (DIR * stream), keeps_place) {
  DETSHIM_ENTER(telldir);
  const Listing* const listing = listing_in(slot_of(stream));
  return listing != nullptr ? listing->position() : call.real(stream);
}

DETSHIM_HOOK(libc, void, seekdir, (DIR * stream, long position), keeps_place) {
  DETSHIM_ENTER(seekdir);
  uintptr_t* const slot = slot_of(stream);
  Listing* listing = listing_in(slot);
  if (position == 0 || slot == nullptr) {
    call.real(stream, position);
    if (listing != nullptr) listing->begin_again(0);
    return;
  }
  if (listing == nullptr) listing = make_listing(slot, stream); // a place in another stream of this folder
  if (listing != nullptr) listing->go_to(position);
}

DETSHIM_HOOK(libc, ssize_t, getdents64, (int fd, void* room, size_t size), gives_sorted) {
  DETSHIM_ENTER(getdents64);
  return read_kernel_entries(call, fd, room, size, [&] { return call.real(fd, room, size); });
}

// Where the stub of `syscall` sends SYS_getdents64, with the caller's return address still in its place: the
// guard is that of getdents64, which libc has from 2.30 on.
extern "C" ssize_t detshim_syscall_getdents64(int fd, void* room, unsigned size) {
  DETSHIM_ENTER(getdents64);
  const auto real = [&]() -> ssize_t {
    if (hooks::syscall.real == nullptr) find_real(hooks::syscall);
    return reinterpret_cast<long (*)(long, ...)>(const_cast<void*>(hooks::syscall.real))(SYS_getdents64, fd,
                                                                                         room, size);
  };
  return hooks::syscall.disabled ? real() : read_kernel_entries(call, fd, room, size, real);
}

DETSHIM_TEMPLATE_HOOK(libc, Scan, scandir, scan_folder, sorts_choice);
DETSHIM_TEMPLATE_HOOK(libc, Scan, scandir64, scan_folder, sorts_choice);
DETSHIM_TEMPLATE_HOOK(libc, ScanAt, scandirat, scan_folder_at, sorts_choice);
DETSHIM_TEMPLATE_HOOK(libc, ScanAt, scandirat64, scan_folder_at, sorts_choice);
DETSHIM_TEMPLATE_HOOK(libc, Glob, glob, find_paths, sorts_choice);
DETSHIM_TEMPLATE_HOOK(libc, Glob, glob64, find_paths, sorts_choice);
DETSHIM_TEMPLATE_HOOK(libc, OpenTree, fts_open, open_tree, sorts_choice);
DETSHIM_TEMPLATE_HOOK(libc, OpenTree, fts64_open, open_tree, sorts_choice);
DETSHIM_TEMPLATE_HOOK(libc, Walk, ftw, walk_tree, walks);
DETSHIM_TEMPLATE_HOOK(libc, Walk, ftw64, walk_tree, walks);
DETSHIM_TEMPLATE_HOOK(libc, WalkWithFlags, nftw, walk_tree, walks);
DETSHIM_TEMPLATE_HOOK(libc, WalkWithFlags, nftw64, walk_tree, walks);
