// Decides which uses of files are written to the run's list. Not those of the kernel's files, of
// devices and of installations of Python. A process writes a use of a file once, and of a folder's
// files that it does not write 64; then it names the folder. A list that lacks a line is removed,
// since it must not be believed.
//
// It cannot know what a process uses once its tables are full, and says `more`. Nor does it know
// two names of one folder for the same.
#include "core/log/file_uses.h"

#include "common/log_folder.h"
#include "common/record_schema.h"
#include "common/sys.h"
#include "core/base/hash.h"
#include "core/base/mapped.h"
#include "core/base/modules.h"
#include "core/base/signal_safe_lock.h"
#include "core/identity/process.h"
#include "core/log/environment_file.h"
#include "core/log/log_file.h"

#include <cerrno>

namespace detshim {

constinit bool detail::may_be_unread = false;

namespace {

/// Whether this run has a list, which a process finds out at its first use.
enum class Listing : uint8_t { unknown, on, off };

/// Hashes of uses that were written, and of folders with how many were. A path costs a cache line
/// here.
struct Known {
  struct {
    uint64_t hash;
  } uses[size_t{1} << 16];
  struct {
    uint64_t hash;
    uint32_t files;
  } folders[size_t{1} << 12];
};

constexpr size_t most_unread = 1024;

struct ListOfFiles {
  Listing listing = Listing::unknown;
  int fd = -1;
  uint64_t node[2] = {}; ///< device and inode: the program may have closed it, and its number taken
  uint64_t unread[most_unread / 64] = {}; ///< descriptors that were not read from yet, a bit each
  Mapped<Known> known;
};
constinit ListOfFiles list_of_files;

/// Then the folder is written: of the files of a data set one line says enough.
constexpr uint32_t most_of_folder = 64;
constexpr int longest_search = 32;

/// The entry of a hash, which takes a free one where it is new; nullptr where there is no room.
template <typename Entry, size_t room>
Entry* entry_of(Entry (&table)[room], uint64_t hash, bool& is_new) {
  hash |= 1;
  for (int i = 0; i < longest_search; ++i) {
    Entry& entry = table[(hash + static_cast<uint64_t>(i)) % room];
    uint64_t before = __atomic_load_n(&entry.hash, __ATOMIC_RELAXED);
    is_new = before == 0 && __atomic_compare_exchange_n(&entry.hash, &before, hash, false,
                                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    if (is_new || before == hash)
      return &entry;
  }
  return nullptr;
}

constexpr char suffix[] = "files";
constexpr size_t longest_path = 3700;
constexpr off_t longest_list = off_t{32}
                               << 20; // of a build by thousands of compilers, nobody asks for more

/// Opens the run's list, with the log's lock held; false where the run has no list.
bool open_list() {
  const int folder = log_file::open_folder();
  if (folder < 0)
    return false;
  Text<96> name;
  name.add(process().run).add('.').add(suffix);
  constexpr int flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  int fd = sys::openat(folder, name.c_str(), flags);
  sys::close(folder);
  struct stat state;
  if (fd >= 0 && (!is_own_file(fd) || sys::fstat(fd, state) != 0))
    sys::close(fd), fd = -1;
  if (fd < 0)
    return false;
  constexpr long high = 48; // as the log's own
  const int moved = sys::fcntl(fd, F_DUPFD_CLOEXEC, high);
  if (moved >= 0)
    sys::close(fd), fd = moved;
  list_of_files.fd = fd;
  list_of_files.node[0] = state.st_dev;
  list_of_files.node[1] = state.st_ino;
  return true;
}

/// A list that lacks something must not be believed: without one, nothing of the run is.
void give_up_list() {
  const int folder = log_file::open_folder();
  list_of_files.listing = Listing::off;
  if (folder < 0)
    return;
  Text<96> name;
  sys::call(SYS_unlinkat, folder,
            sys::address(name.add(process().run).add('.').add(suffix).c_str()), 0);
  sys::close(folder);
}

bool is_list_open() {
  struct stat state;
  return list_of_files.fd >= 0 && sys::fstat(list_of_files.fd, state) == 0 &&
         state.st_dev == list_of_files.node[0] && state.st_ino == list_of_files.node[1];
}

/// Writes a use under the path with the folder that it is relative to in front. The texts are in
/// the log's buffers: a thread's stack may be small.
void write_use(const char* how, const struct stat* state, int folder, const char* path,
               size_t length) {
  SignalSafeLock guard(log_file::lock);
  if (!guard.held() || (!is_list_open() && !open_list()))
    return give_up_list();
  TextWriter line(log_file::line_room, sizeof log_file::line_room);
  RecordWriter<RecordType::file> record(line);
  record.text("how", how);
  if (state != nullptr) {
    Text<40> id;
    id.add_hex(state->st_dev).add(':').add_hex(state->st_ino);
    record.text("id", id.c_str());
  }
  char(&name)[sizeof log_file::path_room] = log_file::path_room;
  TextWriter text(name, sizeof name);
  if (*path != '/') { // the folder itself too, by an empty name
    Text<32> link;
    link.add(folder == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/");
    if (folder != AT_FDCWD)
      link.add(static_cast<uint64_t>(folder));
    const long size = sys::call(SYS_readlinkat, AT_FDCWD, sys::address(link.c_str()),
                                sys::address(name), sizeof name - 1);
    if (size <= 0)
      return give_up_list();
    text.shorten(0), text.add(name, static_cast<size_t>(size)).add('/');
  }
  text.add(path, length);
  record.begin("path").add('"').add_json(text.c_str(), longest_path).add('"');
  record.end();
  line.add('\n');
  struct stat list_state;
  if (sys::fstat(list_of_files.fd, list_state) != 0 || list_state.st_size > longest_list ||
      !sys::may_grow_to(static_cast<uint64_t>(list_state.st_size) + line.length()) ||
      sys::write(list_of_files.fd, line.c_str(), line.length()) != static_cast<long>(line.length()))
    give_up_list();
}

/// Descriptors of files that were opened to be read and written, and not read so far.

bool is_unread(int fd) {
  return (__atomic_load_n(&list_of_files.unread[fd / 64], __ATOMIC_RELAXED) >> (fd % 64) & 1) != 0;
}

void set_unread(int fd, bool is_it) {
  const uint64_t bit = uint64_t{1} << (fd % 64);
  if (is_it)
    __atomic_or_fetch(&list_of_files.unread[fd / 64], bit, __ATOMIC_RELAXED),
        detail::may_be_unread = true;
  else if (is_unread(fd))
    __atomic_and_fetch(&list_of_files.unread[fd / 64], ~bit, __ATOMIC_RELAXED);
}

constexpr const char* use_names[] = {"read",   "written", "changed",    "status",
                                     "listed", "link",    "attributes", "absent"};

/// The kernel's own, and devices: what those give has hooks. What an installation of Python brought
/// depends on its versions.
bool is_left_out(const char* path) {
  if (*path == 0)
    return true;
  if (*path != '/')
    return false;
  return same_text(path, "/proc") || starts_with(path, "/proc/") || starts_with(path, "/sys/") ||
         starts_with(path, "/dev/") || contains(path, "/lib/python") ||
         contains(path, "-packages/");
}

/// True if a shell looks for programs in that folder: what it finds is noted as it is executed.
bool is_in_search_path(const char* path, const char* file) {
  const char* const folders = environment_value("PATH");
  const auto length = static_cast<size_t>(file - path);
  for (const char* part = folders; part != nullptr && *part != 0;) {
    size_t size = 0;
    while (part[size] != 0 && part[size] != ':')
      ++size;
    if (size + 1 == length && __builtin_memcmp(part, path, size) == 0)
      return true;
    part += size + (part[size] == ':' ? 1 : 0);
  }
  return false;
}

/// Of a path's folder: two names of one folder are two folders here.
uint64_t hash_of_folder(const char* path, const char* file, int folder) {
  uint64_t hash = 0xCBF29CE484222325;
  for (const char* c = path; c != file; ++c)
    hash = (hash ^ static_cast<unsigned char>(*c)) * 0x100000001B3; // FNV-1a
  struct stat state;
  if (*path == '/')
    return hash;
  if ((folder == AT_FDCWD ? sys::stat(".", state) : sys::fstat(folder, state)) != 0)
    return hash;
  return mix(mix(hash, state.st_dev), state.st_ino);
}

} // namespace

bool notes_file_uses() {
  if (__builtin_expect(list_of_files.listing == Listing::off, 1))
    return false;
  if (list_of_files.listing == Listing::on)
    return true;
  // Asked by name at the first use: a bare preload's run has none.
  log_file::with_lock([] {
    const bool is_there = list_of_files.known.get() != nullptr && open_list();
    list_of_files.listing = is_there ? Listing::on : Listing::off;
  });
  return list_of_files.listing == Listing::on;
}

namespace {

/// From here on what this process uses is not known.
void give_up_noting(int folder, const char* path) {
  write_use("more", nullptr, folder, path, 0);
  list_of_files.listing = Listing::off;
}

/// How often files of a folder were noted so; nullptr where there is no room.
uint32_t* files_of_folder(uint64_t folder_hash, FileUse use) {
  bool is_new;
  auto* const known = entry_of(list_of_files.known.peek()->folders,
                               use == FileUse::absent ? ~folder_hash : folder_hash, is_new);
  return known == nullptr ? nullptr : &known->files;
}

/// True if the folder says enough of its files. What is written is told from what was there before,
/// file by file.
bool is_named_by_folder(FileUse use, uint32_t files) {
  return files > most_of_folder && use != FileUse::written && use != FileUse::changed;
}

void note_here(FileUse use, const char* path, const struct stat* state, int folder) {
  const char* const file = file_name(path);
  const uint64_t folder_hash = hash_of_folder(path, file, folder);
  uint32_t* files = nullptr;
  if (use == FileUse::absent) { // of which there may be any number: they take no more room then
    files = files_of_folder(folder_hash, use);
    if (files != nullptr && is_named_by_folder(use, __atomic_load_n(files, __ATOMIC_RELAXED)))
      return;
  }
  const auto number = static_cast<uint64_t>(use);
  bool is_new = false;
  if (entry_of(list_of_files.known.peek()->uses, mix(mix(folder_hash, fnv1a_text(file)), number),
               is_new) == nullptr)
    return give_up_noting(folder, path);
  if (!is_new || (use >= FileUse::status && is_in_search_path(path, file)))
    return;
  files = files != nullptr ? files : files_of_folder(folder_hash, use);
  if (files == nullptr)
    return give_up_noting(folder, path);
  const uint32_t now = __atomic_add_fetch(files, 1, __ATOMIC_RELAXED); // this one with them
  if (!is_named_by_folder(use, now))
    write_use(use_names[number], state, folder, path, text_length(path));
  else if (now == most_of_folder + 1)
    write_use(use == FileUse::absent ? "absent_more" : "folder", nullptr, folder, path,
              static_cast<size_t>(file - path));
}

void note_opened_here(const char* path, int folder, int flags, int fd) {
  const int access = flags & O_ACCMODE;
  if (fd < 0)
    return note_absent_file(path, folder);
  if (static_cast<size_t>(fd) < most_unread)
    set_unread(fd, false); // another file had the number
  struct stat state;
  if (path == nullptr || is_left_out(path) || sys::fstat(fd, state) != 0 || !S_ISREG(state.st_mode))
    return;
  const bool is_read = access == O_RDONLY || (access == O_RDWR && state.st_size > 0);
  if (access == O_RDWR && is_read && static_cast<size_t>(fd) < most_unread)
    set_unread(fd, true);
  else if (is_read)
    note_file_use(FileUse::read, path, &state, folder);
  if (access != O_RDONLY)
    note_file_use(state.st_size == 0 ? FileUse::written : FileUse::changed, path, &state, folder);
}

void note_open_here(FileUse use, int fd) {
  char path[1024];
  Text<32> link;
  link.add("/proc/self/fd/").add(static_cast<uint64_t>(fd));
  struct stat state;
  if (sys::fstat(fd, state) == 0 && !sys::failed(sys::readlink(link.c_str(), path, sizeof path)))
    note_file_use(use, path, &state);
}

} // namespace

void note_file_use(FileUse use, const char* path, const struct stat* state, int folder) {
  if (path == nullptr || (is_left_out(path) && !ends_with(path, "/boot_id")) || !notes_file_uses())
    return;
  const int before = errno;
  on_own_stack([&] {
    note_here(use, path, state, folder);
  });
  errno = before;
}

void note_opened_file(const char* path, int folder, int flags, int fd) {
  if (__builtin_expect(list_of_files.listing == Listing::off, 1) || (flags & O_PATH) != 0)
    return;
  on_own_stack([&] {
    note_opened_here(path, folder, flags, fd);
  });
}

void note_absent_file(const char* path, int folder) {
  if (errno == ENOENT)
    note_file_use(FileUse::absent, path, nullptr, folder);
}

void note_open_file_use(FileUse use, int fd) {
  if (notes_file_uses())
    on_own_stack([&] {
      note_open_here(use, fd);
    });
}

void detail::note_first_read(int fd) {
  if (static_cast<size_t>(fd) >= most_unread || !is_unread(fd))
    return;
  set_unread(fd, false);
  note_open_file_use(FileUse::read, fd);
}

bool is_run_listed() { return notes_file_uses() || list_of_files.node[1] != 0; }

void begin_file_uses() {
  if (process().root_pid == process().pid && has_environment_of_run()) {
    SignalSafeLock guard(log_file::lock);
    bool made = false;
    const int folder = guard.held() ? log_file::open_folder(true, &made) : -1;
    if (folder < 0)
      return drop_environment();
    if (made && process().log_is_default)
      link_latest(folder, process().run, process().pid);
    keep_environment(folder, made, log_file::text_room, sizeof log_file::text_room);
    const int fd = claim_file(folder, process().run, suffix);
    if (fd >= 0)
      sys::close(fd);
    sys::close(folder);
    list_of_files.listing =
        Listing::unknown; // a library's constructor may have asked before: libselinux's opens files
  }
  if (!notes_file_uses())
    return;
  // Those with a log name what they have loaded in it, by its builds.
  each_module([](const Module& module) {
    char path[1024];
    module_path(module, path, sizeof path);
    if (!is_own(module) && starts_with(path, "/") && !starts_with(path, "/usr/lib") &&
        !starts_with(path, "/lib"))
      note_file_use(FileUse::read, path);
    return false;
  });
}

} // namespace detshim
