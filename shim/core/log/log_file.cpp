// Decides which file of the folder is this process's: the one that the shared page names, else the
// first name by rank, path and process id of which no file is another run's. A descriptor is ours
// while its device and inode are. stderr is written to only while it is what it was as the process
// began.
//
// It cannot know whether a line that was cut was this process's or that of one that was killed: in
// a shared file it begins a new line each time.
#include "core/log/log_file.h"

#include "common/log_folder.h"
#include "common/record_schema.h"
#include "common/sys.h"
#include "core/base/error_words.h"
#include "core/base/generations.h"
#include "core/base/placement.h"
#include "core/base/signal_safe_lock.h"
#include "core/identity/process.h"
#include "core/identity/shared_page.h"
#include "core/log/counts.h"
#include "core/policy/options.h"

#include <initializer_list>

#include <sys/utsname.h>

namespace detshim::log_file {

DETSHIM_STARTUP_DATA uint64_t lock = 0;
constinit LogBuffers rooms = {};

namespace {

/// The file of this process. `generation` tells whether a forked child still looks at its parent's.
struct File {
  uint32_t generation = 0;
  int fd = -1;
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t folder_device = 0;
  uint64_t folder_inode = 0;
  /// Said once, not tried again; the descriptor, if any, is that of a process before.
  bool failed = false;
  bool torn = false;       // the last line was cut by a full disk
  bool lost = false;       // a line could not be written at all: said once
  bool is_shared = false;  // it is the one that the shared page names
  bool has_looked = false; // for a child's, to hand it on to the next ones
  uint64_t process = 0;    // see process_number()
  size_t held = 0;         // bytes in the room for it
};
DETSHIM_STARTUP_DATA constinit File file;

/// What stderr was when the process began.
struct FirstStderr {
  enum class Was : uint8_t { unknown, closed, open } was;
  uint64_t device;
  uint64_t inode;
  int kept_fd; ///< a further descriptor of it; 0 without one
};
DETSHIM_STARTUP_DATA constinit FirstStderr first_stderr = {};

struct FileTexts {
  char counts_path[4096];
  char line_for_stderr[4096]; ///< with what a terminal would obey made harmless
  unsigned stem_ordinal;      ///< where an earlier run in the folder had the same process id
};
constinit FileTexts texts = {};

void add_file_stem(TextWriter& text) {
  const Process& me = process();
  text.add(static_cast<uint64_t>(me.rank))
      .add('-')
      .add(me.path)
      .add('-')
      .add(static_cast<uint64_t>(me.pid));
  if (texts.stem_ordinal != 0)
    text.add('-').add(uint64_t{texts.stem_ordinal});
}

/// True if that file of records was begun in this run: by an earlier program of this process.
bool is_of_this_run(int fd) {
  Text<48> run;
  run.add("\"run\":\"").add(process().run).add('"');
  char* const begin = text_room;
  const long size = sys::pread(fd, begin, 300, 0);
  begin[size < 0 ? 0 : size] = 0;
  return starts_with(begin, "{\"t\":\"start\"") && contains(begin, run.c_str());
}

struct Files {
  int records, counts; // descriptors, or negated errnos
};

/// Opens the two files of this process under the first name of which no file is another run's or
/// somebody else's.
Files open_files(int folder) {
  constexpr int taken = -EEXIST;
  Files files = {taken, taken};
  for (texts.stem_ordinal = 0; texts.stem_ordinal < 100; ++texts.stem_ordinal) {
    Text<160> name;
    add_file_stem(name);
    const size_t stem = name.length();
    bool made_records = false;
    files.records =
        open_own_file(folder, name.add(".jsonl").c_str(), O_RDWR | O_APPEND, made_records);
    if (files.records == taken)
      continue;
    if (files.records < 0)
      return files;
    name.shorten(stem);
    bool made_counts = false;
    name.add(".counts");
    files.counts = open_own_file(folder, name.c_str(), O_RDWR, made_counts);
    const bool is_taken =
        files.counts == taken ||
        (!made_records && (made_counts || !is_of_this_run(files.records))) ||
        (files.counts >= 0 && !made_counts && !can_go_on_in_counts_file(files.counts));
    if (!is_taken)
      return files;
    const auto give_back = [&](int fd, bool made, const char* ending) {
      if (fd < 0)
        return;
      sys::close(fd);
      name.shorten(stem);
      if (made)
        sys::call(SYS_unlinkat, folder, sys::address(name.add(ending).c_str()), 0);
    };
    give_back(files.records, made_records, ".jsonl");
    give_back(files.counts, made_counts, ".counts");
    files = {taken, taken};
  }
  return files;
}

/// Opens the file again whose descriptor the program has closed.
int open_again(int folder) {
  Text<160> name;
  name.add(file_name(texts.counts_path)); // which a further process has of the one that made it
  name.shorten(name.length() - text_length(".counts"));
  const int fd = sys::openat(folder, name.add(".jsonl").c_str(),
                             O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  struct stat state;
  if (fd < 0 ||
      (sys::fstat(fd, state) == 0 && state.st_dev == file.device && state.st_ino == file.inode))
    return fd;
  sys::close(fd);
  return -ENOENT; // another file has its name
}

void announce_seed() {
  if (options().quiet)
    return;
  // Everything that the same run needs again, besides the environment that the user sees: with a
  // seed alone the mode would be enforce, whose settings change results.
  Text<200> line;
  line.add("Using seed: ").add(process().seed);
  line.add("; the same run again: DETSHIM_SEED=")
      .add(process().seed)
      .add(" DETSHIM_MODE=")
      .add(mode_name(options().mode));
  if (options().policy != SeedPolicy::fixed)
    line.add(" DETSHIM_SEED_POLICY=").add(policy_name(options().policy));
  line.add('\n');
  say(line);
}

/// Prints a drawn seed, once for the whole run.
void announce_seed(int folder) {
  const int fd = claim_file(folder, process().run, "seed");
  if (fd < 0)
    return;
  Text<32> number;
  number.add(process().seed).add('\n');
  if (sys::may_grow_to(number.length()))
    sys::write(fd, number.c_str(), number.length());
  sys::close(fd);
  announce_seed();
}

/// Away from the low numbers that programs count on, yet below 64 where that is free: the kernel
/// has room for 64 from the start, and growing the table of a process with threads waits for a
/// grace period (8 to 16 ms).
int move_up(int fd) {
  for (const long lowest : {48L, 20L, 8L}) {
    const int moved = sys::fcntl(fd, F_DUPFD_CLOEXEC, lowest);
    if (moved < 0)
      continue;
    sys::close(fd);
    return moved;
  }
  return fd;
}

void complain(int error) {
  file.failed = true;
  write_lost(nullptr, Reason::log_not_writable, -error);
  if (options().quiet)
    return;
  TextWriter line(text_room, sizeof text_room);
  line.add("detshim: cannot write the log in ")
      .add(process().log_folder, process().log_folder_length);
  add_error(line, -error).add("; nothing is recorded\n");
  say(line);
  if (process().seed_drawn)
    announce_seed();
}

bool is_still_ours(struct stat& state) {
  return file.fd >= 0 && sys::fstat(file.fd, state) == 0 && state.st_dev == file.device &&
         state.st_ino == file.inode;
}
bool is_still_ours() {
  struct stat state;
  return is_still_ours(state);
}

/// A record could not be written. Once is enough: the disk stays full.
void warn_of_lost_records() {
  if (file.lost || options().quiet)
    return;
  file.lost = true;
  constexpr const char* text =
      "detshim: the log cannot be written any more (is the disk full?); records are missing\n";
  say(text, text_length(text));
}

bool is_stderr(int fd) {
  struct stat state;
  return sys::fstat(fd, state) == 0 && state.st_dev == first_stderr.device &&
         state.st_ino == first_stderr.inode;
}

/// True if so much can be written there: to a file that may grow no further it would end the
/// program.
bool takes(int fd, size_t length) {
  struct stat state;
  if (sys::fstat(fd, state) != 0 || !S_ISREG(state.st_mode))
    return true;
  return sys::may_grow_to(static_cast<uint64_t>(state.st_size) + length);
}

} // namespace

void remember_stderr() {
  struct stat state;
  first_stderr.was = sys::fstat(2, state) == 0 ? FirstStderr::Was::open : FirstStderr::Was::closed;
  if (first_stderr.was == FirstStderr::Was::closed)
    return;
  first_stderr.device = state.st_dev;
  first_stderr.inode = state.st_ino;
}

void keep_stderr() {
  if (first_stderr.was == FirstStderr::Was::open && first_stderr.kept_fd <= 0 && is_stderr(2))
    first_stderr.kept_fd = static_cast<int>(sys::fcntl(2, F_DUPFD_CLOEXEC, 48));
}

void say(const char* text, size_t length) {
  if (first_stderr.was == FirstStderr::Was::unknown)
    remember_stderr();
  if (first_stderr.was == FirstStderr::Was::closed)
    return;
  const int fd = is_stderr(2) ? 2 : first_stderr.kept_fd;
  if (fd <= 0 || (fd != 2 && !is_stderr(fd)))
    return;
  TextWriter line(texts.line_for_stderr, sizeof texts.line_for_stderr);
  const bool has_end = length > 0 && text[length - 1] == '\n';
  line.add_printable(text, has_end ? length - 1 : length);
  if (has_end)
    line.shorten(sizeof texts.line_for_stderr - 2), line.add('\n');
  if (takes(fd, line.length()))
    sys::write(fd, line.c_str(), line.length());
}

bool is_first_in_run(const char* suffix) {
  const int folder = open_folder();
  if (folder < 0)
    return true; // without a folder nobody can tell
  const int fd = claim_file(folder, process().run, suffix);
  if (fd >= 0)
    sys::close(fd);
  sys::close(folder);
  return fd != -EEXIST;
}

void name_of_node(char (&name)[65]) {
  utsname node = {};
  sys::call(SYS_uname, sys::address(&node));
  __builtin_memcpy(name, node.nodename, sizeof name);
  for (char* c = name; *c != 0; ++c)
    if (*c == '/')
      *c = '_';
}

int open_folder(bool make, bool* made) {
  bool is_new = false;
  TextWriter path(path_room, sizeof path_room);
  path.add(process().log_folder, process().log_folder_length).c_str();
  return open_log_folder(path_room, process().log_is_default, make,
                         made != nullptr ? *made : is_new);
}

namespace {

void set_counts_path(const char* stem) {
  TextWriter path(texts.counts_path, sizeof texts.counts_path);
  path.add(process().log_folder, process().log_folder_length)
      .add('/')
      .add(stem)
      .add(".counts")
      .c_str();
}

/// Opens the files that the shared page names; false if they are not there any more.
bool take_shared_files() {
  const auto open_one = [](int folder, const char* ending, int flags, uint64_t inode) {
    Text<176> name;
    const int fd = sys::openat(folder, name.add(shared_page->stem).add(ending).c_str(),
                               flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat state;
    if (fd < 0 || (is_own_file(fd) && sys::fstat(fd, state) == 0 &&
                   state.st_dev == shared_page->device && state.st_ino == inode))
      return fd;
    sys::close(fd);
    return -1;
  };
  const int folder = open_folder();
  if (folder < 0)
    return false;
  struct stat state;
  const bool is_folder = sys::fstat(folder, state) == 0;
  const int records = open_one(folder, ".jsonl", O_APPEND, shared_page->records_inode);
  const int counts = records < 0 ? -1 : open_one(folder, ".counts", 0, shared_page->counts_inode);
  sys::close(folder);
  if (!is_folder || counts < 0) {
    if (records >= 0)
      sys::close(records);
    return false;
  }
  if (is_still_ours())
    sys::close(file.fd);
  file = {};
  file.fd = move_up(records);
  file.device = shared_page->device;
  file.inode = shared_page->records_inode;
  file.folder_device = state.st_dev;
  file.folder_inode = state.st_ino;
  file.is_shared = true;
  set_counts_path(shared_page->stem);
  take_shared_counts_file(counts, texts.counts_path);
  return true;
}

bool files_are_published() {
  return shared_page != nullptr &&
         __atomic_load_n(&shared_page->files, __ATOMIC_ACQUIRE) == SharedPage::published;
}

/// Has this process write in the file of those that it shares a page with; false if they have no
/// file, or none that would do.
bool join() {
  if (!files_are_published() || (!(file.is_shared && is_still_ours()) && !take_shared_files()))
    return false;
  constexpr uint64_t some_room =
      1 << 20; // a limit for this process may be near to what others have written
  struct stat state;
  if (sys::fstat(file.fd, state) != 0 || state.st_nlink == 0 ||
      !sys::may_grow_to(static_cast<uint64_t>(state.st_size) + some_room))
    return false;
  const uint64_t number = join_counts_file();
  if (number == 0)
    return false;
  file.process = number;
  file.generation = generation();
  file.failed = file.torn = file.lost = false;
  file.held = 0;
  return true;
}

/// Says in the shared page which this process's files are, unless it names others.
void publish() {
  uint32_t none = SharedPage::none;
  if (shared_page == nullptr ||
      !__atomic_compare_exchange_n(&shared_page->files, &none, SharedPage::published_soon, false,
                                   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    return;
  TextWriter stem(shared_page->stem, sizeof shared_page->stem);
  stem.add(file_name(texts.counts_path));
  stem.shorten(stem.length() - text_length(".counts"));
  stem.c_str();
  shared_page->device = file.device;
  shared_page->records_inode = file.inode;
  file.is_shared = share_counts_file(*shared_page);
  __atomic_store_n(&shared_page->files, file.is_shared ? SharedPage::published : SharedPage::none,
                   __ATOMIC_RELEASE);
}

/// Writes whole lines.
void write_bytes(TextWriter& lines) {
  // The line before may have been cut, of our own by a full disk or of another process's as it was
  // killed.
  const bool closes_line = file.torn || (file.is_shared && shared_page->has_joined != 0);
  const bool begins_anew = closes_line && lines.add_in_front("\n", 1);
  struct stat state;
  if (!is_still_ours(state))
    return;
  if (!sys::may_grow_to(static_cast<uint64_t>(state.st_size) + lines.length()))
    return warn_of_lost_records();
  long written;
  do
    written = sys::write(file.fd, lines.c_str(), lines.length());
  while (written == -EINTR);
  if (written > 0)
    file.torn = false;
  if (written == static_cast<long>(lines.length()))
    return;
  file.torn |= written > (begins_anew ? 1 : 0);
  warn_of_lost_records();
}

} // namespace

uint64_t process_number() { return file.process; }

void offer_to_children() {
  if (file.is_shared || shared_page == nullptr)
    return;
  const bool has_begun = file.generation == generation();
  if (has_begun ? file.failed : file.has_looked || !files_are_published())
    return;
  with_lock([&] {
    if (has_begun)
      publish();
    else if (!take_shared_files())
      file.has_looked = true;
  });
}

void offer_to_siblings() {
  if (has_inherited_page())
    publish();
}

namespace {

/// Forgets what a process before this one, or an earlier file of this one, has met. The descriptor
/// of a process before; -1 without one.
int begin_file(bool is_first) {
  const int inherited = is_first && is_still_ours() ? file.fd : -1;
  if (is_first && inherited < 0)
    file = {};
  file.generation = generation();
  file.failed = file.torn = file.lost = false;
  if (is_first)
    use_counts_file(-1, nullptr); // a parent's counters are the parent's
  return inherited;
}

/// Has records written there, and no more where a process before this one did. Takes over both
/// descriptors; false, and nothing done, where `records` is an error.
bool take_records(int records, int inherited, int folder) {
  struct stat state;
  if (records < 0 || sys::fstat(records, state) != 0)
    return false;
  if (inherited >= 0)
    sys::close(inherited);
  file.fd = move_up(records);
  file.device = state.st_dev;
  file.inode = state.st_ino;
  if (sys::fstat(folder, state) == 0) {
    file.folder_device = state.st_dev;
    file.folder_inode = state.st_ino;
  }
  return true;
}

/// Has calls counted there, in files of this process alone.
void take_counts(int counts) {
  Text<160> stem;
  add_file_stem(stem);
  set_counts_path(stem.c_str());
  use_counts_file(counts, texts.counts_path);
  file.process = 0;
  file.is_shared = false;
  file.held = 0;
}

/// What the run has to say once it has a folder.
void announce(int folder, bool made_folder) {
  if (made_folder && process().log_is_default)
    link_latest(folder, process().run, process().pid);
  if (process().seed_drawn)
    announce_seed(folder);
}

/// Opens the files of this process, or the one of records again that the program has closed.
Opened open_own(bool is_first) {
  const int inherited = begin_file(is_first);
  // Nothing is made on disk when the program has closed the descriptor: it may be in another root
  // by now.
  bool made = false;
  const int folder = open_folder(is_first, &made);
  if (folder < 0) {
    complain(folder);
    return Opened::no;
  }
  const Files files = is_first ? open_files(folder) : Files{open_again(folder), -1};
  if (!take_records(files.records, inherited, folder)) {
    sys::close(folder);
    complain(files.records);
    return Opened::no;
  }
  announce(folder, made);
  sys::close(folder);
  if (!is_first)
    return Opened::before;
  take_counts(files.counts);
  return Opened::now;
}

} // namespace

Opened open() {
  const bool is_first = file.generation != generation();
  if (!is_first && file.failed)
    return Opened::no;
  if (!is_first && is_still_ours())
    return Opened::before;
  if (is_first && join())
    return Opened::joined;
  return open_own(is_first);
}

void write_lost(const char* program, Reason why, int error) {
  if (file.inode == 0)
    return;                 // no process before this one has a log
  const int kept = file.fd; // in a vfork child the parent's, and still good there
  int opened = -1;
  if (!is_still_ours()) { // closed, as subprocess does before it executes: by its name, which the
                          // counts file has too
    TextWriter path(path_room, sizeof path_room);
    path.add(texts.counts_path);
    path.shorten(path.length() - text_length(".counts"));
    path.add(".jsonl");
    opened = sys::openat(AT_FDCWD, path.c_str(),
                         O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    file.fd = opened;
  }
  if (program == nullptr && sys::failed(sys::readlink("/proc/self/exe", path_room, 600)))
    path_room[0] = 0;
  TextWriter line(line_room, sizeof line_room);
  RecordWriter<RecordType::lost> record(line);
  record.text("path", process().path).number("pid", static_cast<uint64_t>(sys::getpid()));
  record.text("program", program == nullptr ? path_room : program).text("why", reason_code(why));
  if (error != 0)
    record.number("error", static_cast<uint64_t>(error));
  record.end();
  write(line);
  if (opened >= 0)
    sys::close(opened);
  file.fd = kept;
}

bool is_within_reach() {
  if (file.inode == 0)
    return true;
  const int folder = open_folder();
  if (folder < 0)
    return false;
  struct stat state;
  const bool is_same = sys::fstat(folder, state) == 0 && state.st_dev == file.folder_device &&
                       state.st_ino == file.folder_inode;
  // Capabilities that a process keeps when it takes another user's rights are gone in what it
  // executes (setpriv).
  const auto user = static_cast<uid_t>(sys::call(SYS_geteuid));
  const bool may_write = user == 0 || user == state.st_uid || (state.st_mode & 022) != 0;
  const long access =
      sys::call(SYS_faccessat2, folder, sys::address(""), W_OK | X_OK, AT_EACCESS | AT_EMPTY_PATH);
  sys::close(folder);
  return is_same && may_write && (!sys::failed(access) || access == -ENOSYS);
}

bool is_open() { return file.generation == generation() && !file.failed && is_still_ours(); }

bool has_begun() { return file.generation == generation(); }

void write(TextWriter& line, bool is_held) {
  if (file.process != 0) {           // which process of the file's wrote it
    line.shorten(line.length() - 1); // the object's brace
    add_key(line, "proc").add(file.process).add('}');
  }
  line.add('\n');
  if (is_held && file.held + line.length() <= sizeof rooms.held) {
    __builtin_memcpy(rooms.held + file.held, line.c_str(), line.length());
    file.held += line.length();
    return;
  }
  const size_t before = file.held;
  file.held = 0;
  if (before != 0 && !line.add_in_front(rooms.held, before)) {
    TextWriter lines(rooms.path, sizeof rooms.path);
    write_bytes(lines.add(rooms.held, before));
  }
  write_bytes(line);
}

} // namespace detshim::log_file
