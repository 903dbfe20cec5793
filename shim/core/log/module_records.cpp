#include "core/log/module_records.h"

#include "core/log/line.h"
#include "core/log/log_file.h"

namespace detshim {

void write_modules(const char* begin, const char* end, uint64_t set) {
  constexpr size_t line_is_long = 3000; // then the next path begins another line
  constexpr size_t longest_path = 3900;
  for (const char* path = begin; path != end;) {
    Line line(log_file::line_room, sizeof log_file::line_room);
    RecordWriter<RecordType::modules> record(line);
    record.begin("files").add('[');
    const char* const first = path;
    size_t ids = 0; // their length: they come behind the paths
    for (const char* before = "\""; path != end; before = ",\"") {
      const char* const id = after_text(path);
      if (*before == ',' && line.length() + text_length(path) + ids > line_is_long)
        break;
      line.add(before).add_json(path, longest_path).add('"');
      ids += text_length(id) + 3;
      path = after_text(id);
    }
    line.add(']');
    record.begin("builds").add('[');
    for (const char* of = first; of != path; of = after_text(after_text(of)))
      line.add(of == first ? "\"" : ",\"").add(after_text(of)).add('"');
    line.add(']');
    if (set != 0)
      record.hash("set", set);
    record.end();
    log_file::write(line);
  }
}

} // namespace detshim
