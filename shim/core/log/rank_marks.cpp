// Decides whether this process leaves a mark: a program that a launcher has started, in a job of
// several ranks or of a launcher that has the library; and such a launcher, unless it was only
// asked about itself. That it tells by the words of the command line.
//
// It cannot know how many ranks a launcher starts: each rank's mark says it, as far as the launcher
// told that rank.
#include "core/log/rank_marks.h"

#include "common/launch.h"
#include "common/log_folder.h"
#include "common/sys.h"
#include "core/base/signal_safe_lock.h"
#include "core/identity/process.h"
#include "core/log/environment_file.h"
#include "core/log/line.h"
#include "core/log/log_file.h"
#include "core/policy/options.h"

#include <initializer_list>

namespace detshim {
namespace {

/// True for a launcher that was asked about itself, and starts nothing. By its first word alone:
/// the others may be its program's.
bool only_answers() {
  char* const words = log_file::text_room;
  const int fd = sys::openat(AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  const long size = fd < 0 ? 0 : sys::read(fd, words, sizeof log_file::text_room - 1);
  if (fd >= 0)
    sys::close(fd);
  if (size <= 0)
    return false;
  words[size] = 0;
  size_t number = 0;
  for (const char* word = words; word < words + size; word += text_length(word) + 1, ++number)
    for (const char* const question : {"--version", "-V", "--help", "-h", "-help", "--usage"})
      if (number == 1 && same_text(word, question))
        return true;
  return number < 2;
}

/// The file of this machine, opened to append; several runs may have lines in it.
int open_marks() {
  bool made = false;
  const int folder = log_file::open_folder(true, &made);
  if (folder < 0)
    return folder;
  if (made && process().log_is_default)
    link_latest(folder, process().run, process().pid);
  keep_environment(folder, made, log_file::text_room, sizeof log_file::text_room);
  char node[65];
  log_file::name_of_node(node);
  Text<80> name;
  name.add(node).add(".ranks");
  // Of many ranks that come at once one makes it, and the others find it.
  bool made_file = false;
  const int fd = open_own_file(folder, name.c_str(), O_WRONLY | O_APPEND, made_file);
  sys::close(folder);
  return fd;
}

} // namespace

void mark_rank() {
  const Process& me = process();
  const bool is_rank = me.rank_given && me.begins_rank && (me.ranks > 1 || me.launcher != 0);
  if ((!is_rank && !me.is_launcher) || !options().pins())
    return;
  SignalSafeLock guard(log_file::lock);
  if (!guard.held() || (me.is_launcher && only_answers()))
    return;
  const int fd = open_marks();
  if (fd < 0)
    return;
  Line line(log_file::line_room, sizeof log_file::line_room);
  const auto write = [&](auto record, const auto& add_own) {
    char node[65];
    log_file::name_of_node(node);
    record.number("v", log_format).text("run", me.run).text("job", me.job.text);
    record.hash("job_key", me.job.key).hash("launcher", me.launcher);
    add_own(record);
    record.number("pid", static_cast<uint64_t>(me.pid)).text("node", node).end();
  };
  if (is_rank)
    write(RecordWriter<RecordType::rank>(line), [&](auto& record) {
      record.number("rank", static_cast<uint64_t>(me.rank)).number("of", me.ranks);
    });
  else
    write(RecordWriter<RecordType::launcher>(line), [&](auto& record) {
      record.text("program", me.launcher_name);
    });
  line.add('\n');
  if (sys::may_grow_to(line.length()))
    sys::write(fd, line.c_str(), line.length());
  sys::close(fd);
}

} // namespace detshim
