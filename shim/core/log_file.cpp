#include "core/log_file.h"

#include "core/counts.h"
#include "core/identity.h"
#include "core/log_folder.h"
#include "core/options.h"
#include "core/placement.h"
#include "core/sys.h"

#include <initializer_list>

namespace detshim::log_file {

DETSHIM_STARTUP_DATA uint64_t lock = 0;
char line_room[4096] = {};
char text_room[4096] = {};
char path_room[3700] = {};

namespace {

/// The file of this process. `generation` tells whether a forked child still looks at its parent's.
struct File {
  uint32_t generation = 0;
  int fd = -1;
  uint64_t device = 0;
  uint64_t inode = 0;
  bool failed = false; // said once, not tried again
  bool torn = false;   // the last line was cut by a full disk
  bool lost = false;   // a line could not be written at all: said once
};
DETSHIM_STARTUP_DATA constinit File file;
constinit char counts_path[4096] = {};

// What stderr was when the process began.
enum class Stderr : uint8_t { unknown, closed, open };
DETSHIM_STARTUP_DATA constinit Stderr stderr_state = Stderr::unknown;
DETSHIM_STARTUP_DATA constinit uint64_t stderr_device = 0;
DETSHIM_STARTUP_DATA constinit uint64_t stderr_inode = 0;

constinit unsigned stem_ordinal = 0; // where an earlier run in the folder had the same process id

void add_file_stem(TextWriter& text) {
  const Process& me = process();
  text.add(static_cast<uint64_t>(me.rank)).add('-').add(me.path).add('-').add(static_cast<uint64_t>(me.pid));
  if (stem_ordinal != 0) text.add('-').add(uint64_t{stem_ordinal});
}

/// Names the counts file, and with it the stem that no other run has taken.
void choose_counts_path() {
  for (stem_ordinal = 0; stem_ordinal < 100; ++stem_ordinal) {
    TextWriter path(counts_path, sizeof counts_path);
    path.add(process().log_folder, process().log_folder_length).add('/');
    add_file_stem(path);
    path.add(".counts").c_str();
    if (!is_of_another_run(counts_path)) return;
  }
}

void say_seed() {
  if (options().quiet) return;
  // Everything that the same run needs again, besides the environment that the user sees: with a seed alone the mode
  // would be enforce, whose settings change results.
  Text<200> line;
  line.add("Using seed: ").add(process().seed);
  line.add("; the same run again: DETSHIM_SEED=").add(process().seed).add(" DETSHIM_MODE=").add(mode_name(options().mode));
  if (options().policy != SeedPolicy::fixed) line.add(" DETSHIM_SEED_POLICY=").add(policy_name(options().policy));
  line.add('\n');
  say(line);
}

/// Prints a drawn seed, once for the whole run.
void announce_seed(int folder) {
  const int fd = claim_file(folder, process().run, "seed");
  if (fd < 0) return;
  Text<32> number;
  number.add(process().seed).add('\n');
  sys::write(fd, number.c_str(), number.length());
  sys::close(fd);
  say_seed();
}

/// Away from the low numbers that programs count on, yet below 64 where that is free: the kernel has room for
/// 64 from the start, and growing the table of a process with threads waits for a grace period (8 to 16 ms).
int move_up(int fd) {
  for (const long lowest : {48L, 20L, 8L}) {
    const int moved = sys::fcntl(fd, F_DUPFD_CLOEXEC, lowest);
    if (moved < 0) continue;
    sys::close(fd);
    return moved;
  }
  return fd;
}

void complain(int error) {
  file.failed = true;
  if (options().quiet) return;
  TextWriter line(text_room, sizeof text_room);
  line.add("detshim: cannot write the log in ")
      .add(process().log_folder, process().log_folder_length)
      .add(" (error ");
  line.add(static_cast<uint64_t>(-error)).add("); nothing is recorded\n");
  say(line);
  if (process().seed_drawn) say_seed();
}

bool is_still_ours() {
  struct stat state;
  return file.fd >= 0 && sys::fstat(file.fd, state) == 0 && state.st_dev == file.device &&
         state.st_ino == file.inode;
}

/// A record could not be written. Once is enough: the disk stays full.
void say_lost() {
  if (file.lost || options().quiet) return;
  file.lost = true;
  constexpr const char* text =
      "detshim: the log cannot be written any more (is the disk full?); records are missing\n";
  say(text, text_length(text));
}

} // namespace

void remember_stderr() {
  struct stat state;
  stderr_state = sys::fstat(2, state) == 0 ? Stderr::open : Stderr::closed;
  if (stderr_state == Stderr::closed) return;
  stderr_device = state.st_dev;
  stderr_inode = state.st_ino;
}

void say(const char* text, size_t length) {
  if (stderr_state == Stderr::unknown) remember_stderr();
  struct stat state;
  if (stderr_state == Stderr::closed || sys::fstat(2, state) != 0) return;
  if (state.st_dev != stderr_device || state.st_ino != stderr_inode) return;
  sys::write(2, text, length);
}

bool is_first_in_run(const char* suffix) {
  bool made = false;
  const int folder = open_folder(false, made);
  if (folder < 0) return true; // without a folder nobody can tell
  const int fd = claim_file(folder, process().run, suffix);
  if (fd >= 0) sys::close(fd);
  sys::close(folder);
  return fd != -17; // EEXIST
}

int open_folder(bool make, bool& made) {
  TextWriter path(path_room, sizeof path_room);
  path.add(process().log_folder, process().log_folder_length).c_str();
  return open_log_folder(path_room, process().log_is_default, make, made);
}

Opened open() {
  if (file.generation == generation() && (file.failed || is_still_ours()))
    return file.failed ? Opened::no : Opened::before;
  const bool fresh = file.generation != generation();
  if (fresh) {
    if (is_still_ours()) sys::close(file.fd); // a parent's
    file = {};
  }
  file.generation = generation();
  if (fresh) use_counts_file(nullptr); // a parent's counters are the parent's

  // Nothing is made on disk when the program has closed the descriptor: it may be in another root by now.
  bool made = false;
  const int folder = open_folder(fresh, made);
  if (folder < 0) return complain(folder), Opened::no;
  if (fresh) choose_counts_path();
  Text<160> name;
  add_file_stem(name);
  name.add(".jsonl");
  const int fd =
      sys::openat(folder, name.c_str(),
                  O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (fresh ? O_CREAT : 0), 0600);
  struct stat state;
  if (fd < 0 || sys::fstat(fd, state) != 0 || !S_ISREG(state.st_mode)) {
    if (fd >= 0) sys::close(fd);
    sys::close(folder);
    return complain(fd), Opened::no;
  }
  file.fd = move_up(fd);
  file.device = state.st_dev;
  file.inode = state.st_ino;
  if (made && process().log_is_default) link_latest(folder, process().run, process().pid);
  if (process().seed_drawn) announce_seed(folder);
  sys::close(folder);
  if (fresh) use_counts_file(counts_path);
  return fresh ? Opened::now : Opened::before;
}

bool is_open() { return file.generation == generation() && !file.failed && is_still_ours(); }

bool has_begun() { return file.generation == generation(); }

void write(TextWriter& line) {
  if (!is_still_ours()) return;
  line.add('\n');
  if (file.torn) { // close the line that the full disk cut
    if (sys::write(file.fd, "\n", 1) != 1) return;
    file.torn = false;
  }
  struct stat state;
  if (sys::fstat(file.fd, state) != 0 ||
      !sys::may_grow_to(static_cast<uint64_t>(state.st_size) + line.length()))
    return say_lost();
  long written;
  do written = sys::write(file.fd, line.c_str(), line.length());
  while (written == -4 /* EINTR */);
  if (written == static_cast<long>(line.length())) return;
  file.torn |= written > 0;
  say_lost();
}

} // namespace detshim::log_file
