// Decides whether an error may come from names that a run before has made: this process has been
// given such a name, its exit status is not 0, and a log beside its own begins with another run and
// the same seed.
//
// It cannot know whether a name was the reason, nor of a run that left no log there.
#include "core/log/repeated_names.h"

#include "common/sys.h"
#include "common/text.h"
#include "core/base/folder_entries.h"
#include "core/base/generations.h"
#include "core/identity/process.h"
#include "core/log/log_file.h"

#include <stdlib.h>

namespace detshim {
namespace {

constexpr uint32_t never = ~0u;
struct RepeatedNames {
  uint32_t named_in = never; ///< a generation
  int exit_status = 0;
};
constinit RepeatedNames repeated;

/// Names of entries of a folder, each closed by a zero, in one of the log's rooms.
class Entries {
public:
  /// Those that end so; as many as there is room for.
  Entries(int folder, const char* ending) {
    each_entry(folder, [&](const char* name) {
      const size_t size = text_length(name) + 1;
      if (*name == '.' || !ends_with(name, ending))
        return false;
      if (length_ + size >= sizeof log_file::text_room)
        return true;
      __builtin_memcpy(log_file::text_room + length_, name, size);
      length_ += size;
      return false;
    });
  }

  /// Calls visit(name) until it returns true; whether it did.
  template <typename Visit>
  bool any(Visit visit) const {
    for (size_t at = 0; at < length_; at += text_length(log_file::text_room + at) + 1)
      if (visit(log_file::text_room + at))
        return true;
    return false;
  }

private:
  size_t length_ = 0;
};

bool holds(const char* text, size_t size, TextWriter& part) {
  for (size_t at = 0; at + part.length() <= size; ++at)
    if (__builtin_memcmp(text + at, part.c_str(), part.length()) == 0)
      return true;
  return false;
}

/// True if that file of records begins with another run's, which had this run's seed.
bool is_of_run_before(int folder, const char* name) {
  const int fd = sys::openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0)
    return false;
  char* const begin = log_file::line_room;
  const long size = sys::pread(fd, begin, sizeof log_file::line_room, 0);
  sys::close(fd);
  if (size <= 0)
    return false;
  Text<64> seed;
  seed.add("\"seed\":\"").add(process().seed).add('"');
  Text<160> run;
  run.add("\"run\":\"").add(process().run).add('"');
  return holds(begin, static_cast<size_t>(size), seed) &&
         !holds(begin, static_cast<size_t>(size), run);
}

/// The same of the file of a run's first process.
bool is_run_before(int beside, const char* run) {
  if (same_text(run, process().run))
    return false;
  const int folder = sys::openat(beside, run, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (folder < 0)
    return false;
  Text<160> first;
  each_entry(folder, [&](const char* name) {
    if (!starts_with(name, "0-") || !ends_with(name, ".jsonl"))
      return false;
    first.add(name);
    return true;
  });
  const bool is_it = first.length() > 0 && !first.cut() && is_of_run_before(folder, first.c_str());
  sys::close(folder);
  return is_it;
}

/// In the folder that is the user's choice, several runs may have written; in `detshim-log` each
/// has its own.
bool has_run_before() {
  const int folder = log_file::open_folder();
  if (folder < 0)
    return false;
  if (!process().log_is_default) {
    const bool is_here = Entries(folder, ".jsonl").any([&](const char* name) {
      return is_of_run_before(folder, name);
    });
    sys::close(folder);
    return is_here;
  }
  const int beside = sys::openat(folder, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  sys::close(folder);
  if (beside < 0)
    return false;
  const bool is_there = Entries(beside, "").any([&](const char* run) {
    return is_run_before(beside, run);
  });
  sys::close(beside);
  return is_there;
}

} // namespace

void note_pinned_name() {
  if (__atomic_exchange_n(&repeated.named_in, generation(), __ATOMIC_RELAXED) != never)
    return;
  on_exit(
      [](int status, void*) {
        note_exit_status(status);
      },
      nullptr);
}

void note_exit_status(int status) { repeated.exit_status = status & 0xFF; }

uint64_t status_after_repeated_names() {
  const bool has_failed =
      repeated.exit_status != 0 && repeated.named_in == generation() && process().has_seed;
  return has_failed && has_run_before() ? static_cast<uint64_t>(repeated.exit_status) : 0;
}

void say_repeated_names(uint64_t status) {
  Text<400> line;
  line.add("detshim: ended with status ").add(status);
  line.add(", and an earlier run here had this seed: names that the program makes (uuid4, tokens, "
           "tempfile) are "
           "that run's again; DETSHIM_KEEP_ENTROPY=uuid,secrets,tempfile makes new ones\n");
  log_file::say(line);
}

} // namespace detshim
