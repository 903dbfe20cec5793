#include "core/log/rank_marks.h"

#include "common/launch.h"
#include "common/log_folder.h"
#include "common/sys.h"
#include "core/base/lock.h"
#include "core/identity/process.h"
#include "core/log/environment_file.h"
#include "core/log/log_file.h"
#include "core/log/node_name.h"
#include "core/policy/options.h"

#include <initializer_list>

#include <errno.h>

namespace detshim {
namespace {

/// True for a launcher that was asked about itself, and starts nothing.
bool only_answers() {
  char* const words = log_file::text_room;
  const int fd = sys::openat(AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  const long size = fd < 0 ? 0 : sys::read(fd, words, sizeof log_file::text_room - 1);
  if (fd >= 0) sys::close(fd);
  if (size <= 0) return false;
  words[size] = 0;
  size_t number = 0;
  for (const char* word = words; word < words + size; word += text_length(word) + 1, ++number)
    for (const char* const question : {"--version", "-V", "--help", "-h", "-help", "--usage"})
      if (same_text(word, question)) return true;
  return number < 2;
}

/// The file of this machine, opened to append; several runs may have lines in it.
int open_marks() {
  bool made = false;
  const int folder = log_file::open_folder(true, made);
  if (folder < 0) return folder;
  if (made && process().log_is_default) link_latest(folder, process().run, process().pid);
  keep_environment(folder, made, log_file::text_room, sizeof log_file::text_room);
  char node[65];
  node_name(node);
  Text<80> name;
  name.add(node).add(".ranks");
  // Of many ranks that come at once one makes it, and the others find it.
  bool made_file = false;
  const int fd = open_own_file(folder, name.c_str(), O_WRONLY | O_APPEND, made_file);
  sys::close(folder);
  return fd;
}

} // namespace

void add_node(Line& line) {
  char node[65];
  node_name(node);
  add_text(line, "node", node);
}

void mark_rank() {
  const Process& me = process();
  const bool is_rank = me.rank_given && me.begins_rank && (me.ranks > 1 || me.launcher != 0);
  if ((!is_rank && !me.is_launcher) || !options().pins()) return;
  Lock guard(log_file::lock);
  if (!guard.held() || (me.is_launcher && only_answers())) return;
  const int fd = open_marks();
  if (fd < 0) return;
  Line line(log_file::line_room, sizeof log_file::line_room);
  line.add("{\"t\":\"").add(is_rank ? "rank" : "launcher").add("\",\"v\":1");
  add_text(line, "run", me.run);
  add_text(line, "world", me.world.text);
  line.add(",\"world_key\":\"").add_hex(me.world.key, 16).add('"');
  line.add(",\"launcher\":\"").add_hex(me.launcher, 16).add('"');
  if (is_rank)
    line.add(",\"rank\":").add(static_cast<uint64_t>(me.rank)).add(",\"of\":").add(me.ranks);
  else
    add_text(line, "program", me.launcher_name);
  line.add(",\"pid\":").add(static_cast<uint64_t>(me.pid));
  add_node(line);
  line.add("}\n");
  if (sys::may_grow_to(line.length())) sys::write(fd, line.c_str(), line.length());
  sys::close(fd);
}

} // namespace detshim
