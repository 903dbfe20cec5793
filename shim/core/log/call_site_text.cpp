// Decides how a place is written: as the file that holds it and the offset from where that is
// loaded. Of the frames behind it those are left out by which libc begins a program or a thread,
// and the innermost are kept where the line has no room for all.
//
// It cannot name a place in code that no file holds: that is "?", and such a frame ends the list.
#include "core/log/call_site_text.h"

#include "core/log/call_site_files.h"
#include "core/log/log_file.h"

namespace detshim {
namespace {

using log_file::line_room;
using log_file::path_room;

/// The object's path. The program's is asked for once: a forked child has its parent's answer.
const char* path_of(const Module& module) {
  if (module.path[0] != 0)
    return module.path;
  char(&known)[sizeof log_file::rooms.program] = log_file::rooms.program;
  if (known[0] != 0)
    return known;
  module_path(module, path_room, 600);
  const size_t length = text_length(path_room);
  if (length < sizeof known)
    __builtin_memcpy(known, path_room, length + 1);
  return path_room;
}

/// Before the first call from an object: which build of it this is. A place in it means nothing in
/// another. A forked child says no more of what its parent has said; what finds no room here is
/// named at the end.
void write_build(const void* caller, bool held) {
  Module module;
  if (!find_module(caller, module))
    return;
  if (!note_file_of_records(module))
    return;
  Line line(line_room, sizeof line_room);
  RecordWriter<RecordType::build> record(line);
  record.text("file", path_of(module)).begin("id").add('"');
  const size_t before = line.length();
  add_build_id(line, module);
  if (line.length() == before)
    return;
  line.add('"');
  record.end();
  log_file::write(line, held);
}

/// So many of the frames say something: not those by which libc and we begin a program or a thread.
int without_start(const NativeFrames& frames) {
  const auto is_of_start = [&](int i) {
    Module module;
    return !find_module(reinterpret_cast<const void*>(frames.addresses[i]), module) ||
           is_own(module) || starts_with(file_name(module.path), "libc.so") ||
           starts_with(file_name(module.path), "libpthread.so"); // before glibc 2.34
  };
  int count = frames.count;
  if (count > 1 && is_of_start(count - 2))
    --count; // the program's first instructions
  while (count > 0 && is_of_start(count - 1))
    --count;
  return count;
}

} // namespace

void write_builds(const void* caller, const NativeFrames& frames, bool held) {
  write_build(caller, held);
  const int count = without_start(frames);
  for (int i = 0; i < count; ++i)
    write_build(reinterpret_cast<const void*>(frames.addresses[i]), held);
}

void add_call_site(Line& line, const void* caller) {
  Module module;
  if (!find_module(caller, module)) {
    add_key(line, "at").add("\"?\"");
    return;
  }
  add_key(line, "at").add('"').add_json(path_of(module)).add("+0x");
  line.add_hex(reinterpret_cast<uintptr_t>(caller) - module.base).add('"');
}

void add_frames(Line& line, const void* caller, const NativeFrames& frames) {
  const int count = without_start(frames);
  Module module, last;
  find_module(caller, last);
  bool is_first = true;
  for (int i = 0; i < count; ++i) {
    const size_t before = line.length();
    if (!find_module(reinterpret_cast<const void*>(frames.addresses[i]), module))
      break;
    if (is_first)
      add_key(line, "frames").add("[\"");
    else
      line.add(",\"");
    if (module.dynamic != last.dynamic)
      line.add_json(path_of(module));
    line.add("+0x").add_hex(frames.addresses[i] - module.base).add('"');
    constexpr size_t kept_free = 800; // for what Python and a pool add, and the end
    if (line.length() + kept_free > sizeof line_room) {
      line.shorten(before);
      break;
    }
    last = module;
    is_first = false;
  }
  if (!is_first)
    line.add(']');
}

} // namespace detshim
