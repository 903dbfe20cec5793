// The order in which a folder is read: by name (hooks/libc/directory_listing.h), because that of
// the file system is another one on another machine.
//
// libc's stream stays what it is. At the first read of one that was opened here, its entries are
// read from its descriptor and given out of a listing, which is found by the descriptor's number. A
// stream that was opened out of sight is left alone. After rewinddir the folder is read again; a
// position is how many entries come before it.
//
// What libc does with its own streams (glob, fts, nftw) never comes by here; scandir can be asked
// to sort.
#include "common/sys.h"
#include "common/text.h"
#include "core/base/mapped.h"
#include "core/identity/process.h"
#include "core/log/log_file.h"
#include "core/log/start.h"
#include "core/python/frames.h"
#include "hooks/libc/directory_listing.h"
#include "hooks/libc/inputs.h"
#include "loader/hook.h"

#include <cerrno>
#include <cstdlib>
#include <dirent.h>

namespace detshim {

namespace hooks {
DETSHIM_DECLARE_HOOK(readdir);
} // namespace hooks

namespace {

static_assert(sizeof(dirent) == sizeof(dirent64));

bool is_reversed() { return options().folders == FolderOrder::reversed; }

/// Whether folders are sorted at all. DETSHIM_DISABLE=readdir means every function here. Not in a
/// vfork child: it has its parent's listings and descriptors of its own, so what it closes or reads
/// is another folder.
template <typename Call>
bool sorts(const Call& call) {
  return options().folders != FolderOrder::off && options().pins() && !call.passes() &&
         !hooks::readdir.disabled && is_own_memory();
}

/// The listings of streams, by their descriptors' numbers.
struct Slots {
  static constexpr size_t count = size_t{1} << 17;
  Listing* listings[count];
};
constinit Mapped<Slots> slots;

/// The slot of a stream's descriptor; nullptr where it has no slot.
Listing** slot_of(DIR* stream, Slots* known) {
  const auto number = static_cast<size_t>(dirfd(stream));
  return known != nullptr && number < Slots::count ? &known->listings[number] : nullptr;
}

/// Puts something in a slot and gives back what was there.
void replace(Listing** slot, Listing* by) {
  Listing* const before = __atomic_exchange_n(slot, by, __ATOMIC_ACQ_REL);
  if (before != nullptr)
    before->give_back();
}

/// Remembers a stream that was just opened, to be read from that offset, so that its entries are
/// sorted.
template <typename Call>
DIR* remember(const Call& call, DIR* stream, long start) {
  if (stream == nullptr || !sorts(call))
    return stream;
  if (Listing** const slot = slot_of(stream, slots.get()))
    replace(slot, Listing::make(stream, sys::failed(start) ? 0 : start, is_reversed()));
  return stream;
}

/// The listing of a remembered stream; nullptr for another.
Listing* listing_of(DIR* stream) {
  Listing** const slot = stream == nullptr ? nullptr : slot_of(stream, slots.peek());
  Listing* const listing = slot == nullptr ? nullptr : __atomic_load_n(slot, __ATOMIC_ACQUIRE);
  return listing != nullptr && listing->owner() == stream ? listing : nullptr;
}

/// That of a stream whose entries come out of it.
Listing* sorted_listing_of(DIR* stream) {
  Listing* const listing = listing_of(stream);
  return listing != nullptr && !listing->is_left_to_libc() ? listing : nullptr;
}

/// True if it is Python's own start or an import that reads: they look for names, whatever their
/// order.
bool is_of_pythons_start(const void* caller) {
  static constinit const void* known_caller =
      nullptr; // the interpreter has few places that read folders
  if (__atomic_load_n(&known_caller, __ATOMIC_RELAXED) != caller) {
    Module module;
    if (!find_module(caller, module) || !is_python(module))
      return false;
    __atomic_store_n(&known_caller, caller, __ATOMIC_RELAXED);
    PythonCallSite place;
    find_python_call_site(place, PythonDetail::key, true); // looks for an interpreter
  }
  const char* const file = innermost_python_frame().file;
  return *file == 0 || starts_with(file, "<frozen importlib") ||
         starts_with(file, "<frozen site") || ends_with(file, "/site.py");
}

/// Records that the order had an influence to have. It is no draw: a shell that reads a folder
/// names its children as one that does not.
template <typename Call>
void record_order(const Call& call, Action action, Reason why) {
  if (!log_file::has_begun() && is_program_of_system())
    return; // no reason to begin a log
  const int error = errno;
  const HookInfo& info = call.hook().info();
  if (!is_of_pythons_start(call.caller()))
    record({info.library, info.name, info.fields, false}, action, call.caller(), why, {});
  errno = error;
}

template <typename Call>
void record_listing(const Call& call, const Listing& listing) {
  if (listing.is_left_to_libc())
    record_order(call, Action::nondeterministic, Reason::too_many_entries);
  else if (listing.has_order())
    record_order(call, Action::pin, Reason::sorted_by_name);
}

/// The next entry of a stream; `is_native` where it is libc's to read.
template <typename Call>
dirent64* next_entry(const Call& call, DIR* stream, bool& is_native, int& error) {
  Listing* const listing = listing_of(stream);
  if (listing != nullptr && listing->fill(dirfd(stream)))
    record_listing(call, *listing);
  is_native = listing == nullptr || listing->is_left_to_libc();
  return is_native ? nullptr : listing->next(dirfd(stream), error);
}

template <typename Call>
auto read_entry(const Call& call, DIR* stream) {
  bool is_native;
  int error;
  dirent64* const entry = next_entry(call, stream, is_native, error);
  if (is_native)
    return call.real(stream);
  if (entry == nullptr && error != 0)
    errno = error;
  return reinterpret_cast<decltype(call.real(stream))>(entry);
}

template <typename Call, typename Entry>
int read_entry_into(const Call& call, DIR* stream, Entry* room, Entry** result) {
  bool is_native;
  int error;
  bool is_too_long = false;
  for (;;) {
    const dirent64* const entry = next_entry(call, stream, is_native, error);
    if (is_native)
      return call.real(stream, room, result);
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

/// Sorts what scandir chose by name, and then as the program asks: libc's sort keeps or mixes equal
/// ones, but always alike. Says if the program's own comparison left an order to us.
bool sort_chosen(dirent64** entries, size_t count, CompareEntries compare) {
  bool is_ours = false;
  size_t others = 0;
  for (size_t i = 0; i < count; ++i)
    others += compare_names(entries[i]->d_name, "..", false) > 0;
  sort_entries(entries, count, is_reversed());
  if (compare != nullptr)
    qsort(entries, count, sizeof *entries, compare);
  for (size_t i = 1; i < count && compare != nullptr && !is_ours; ++i)
    is_ours = compare(&entries[i - 1], &entries[i]) == 0;
  return others > 1 && (compare == nullptr || is_ours);
}

/// scandir: libc's is called with no comparison.
template <typename Call>
int scan_folder(const Call& call, const char* folder, void* list, Select select,
                CompareEntries compare) {
  if (!sorts(call))
    return call.real(folder, list, select, compare);
  const int count = call.real(folder, list, select, nullptr);
  if (count >= 0)
    note_listed_folder(folder, call.caller());
  if (count > 0 &&
      sort_chosen(*static_cast<dirent64***>(list), static_cast<size_t>(count), compare))
    record_order(call, Action::pin, Reason::sorted_by_name);
  return count;
}

/// To another folder.
template <typename Call, typename Folder>
int go_to(const Call& call, Folder folder) {
  if (!call.passes() && is_own_memory())
    note_working_directory();
  return call.real(folder);
}

constexpr Description remembers = {
    .action = Action::observe,
    .summary =
        "Remembers the stream, so that its entries can be given in the order of their names.",
};
constexpr Description gives_sorted = {
    .action = Action::pin,
    .summary =
        "Gives the folder's entries in the order of their names. DETSHIM_READDIR chooses another.",
};
constexpr Description keeps_place = {
    .action = Action::observe,
    .summary =
        "Keeps its meaning for a folder whose entries are given in the order of their names.",
};
using Go = Call<int(const char* folder)>;
using GoToOpen = Call<int(int folder)>;
using Read = Call<dirent*(DIR* stream)>;
using Read64 = Call<dirent64*(DIR* stream)>;
using ReadInto = Call<int(DIR* stream, dirent* room, dirent** result)>;
using ReadInto64 = Call<int(DIR* stream, dirent64* room, dirent64** result)>;
using Scan = Call<int(const char* folder, void* list, Select select, CompareEntries compare)>;

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_HOOK(libc, DIR*, opendir, (const char* folder), remembers) {
  DETSHIM_ENTER(opendir);
  DIR* const stream = call.real(folder);
  if (stream != nullptr && call.is_hooked())
    note_listed_folder(folder, call.caller());
  return remember(call, stream, 0);
}

DETSHIM_HOOK(libc, DIR*, fdopendir, (int fd), remembers) {
  DETSHIM_ENTER(fdopendir);
  return remember(call, call.real(fd), sys::lseek(fd, 0, SEEK_CUR)); // perhaps not at the start
}

constexpr Description keeps_first = {
    .action = Action::observe,
    .summary = "Keeps the folder that the process began in, for the log's start record.",
};
DETSHIM_TEMPLATE_HOOK(libc, Go, chdir, go_to, keeps_first);
DETSHIM_TEMPLATE_HOOK(libc, GoToOpen, fchdir, go_to, keeps_first);
DETSHIM_TEMPLATE_HOOK(libc, Read, readdir, read_entry, gives_sorted);
DETSHIM_TEMPLATE_HOOK(libc, Read64, readdir64, read_entry, gives_sorted);
DETSHIM_TEMPLATE_HOOK(libc, ReadInto, readdir_r, read_entry_into, gives_sorted);
DETSHIM_TEMPLATE_HOOK(libc, ReadInto64, readdir64_r, read_entry_into, gives_sorted);

DETSHIM_HOOK(libc, int, closedir, (DIR * stream), keeps_place) {
  DETSHIM_ENTER(closedir);
  // First, because the number of the descriptor may be another thread's as soon as it is closed.
  if (listing_of(stream) != nullptr)
    replace(slot_of(stream, slots.peek()), nullptr);
  return call.real(stream);
}

DETSHIM_HOOK(libc, void, rewinddir, (DIR * stream), keeps_place) {
  DETSHIM_ENTER(rewinddir);
  call.real(stream);
  if (Listing* const listing = sorted_listing_of(stream))
    listing->begin_again(0);
}

DETSHIM_HOOK(libc, long, telldir, (DIR * stream), keeps_place) {
  DETSHIM_ENTER(telldir);
  const Listing* const listing = sorted_listing_of(stream);
  return listing != nullptr ? listing->position() : call.real(stream);
}

DETSHIM_HOOK(libc, void, seekdir, (DIR * stream, long position), keeps_place) {
  DETSHIM_ENTER(seekdir);
  Listing* const listing = sorted_listing_of(stream);
  if (listing != nullptr && position != 0)
    return listing->go_to(position);
  call.real(stream, position);
  if (listing != nullptr)
    listing->begin_again(0);
}

DETSHIM_TEMPLATE_HOOKS(libc, Scan, scandir, scandir64, scan_folder, .action = Action::pin,
                       .summary = "Orders by name what the program's own comparison leaves open.");
