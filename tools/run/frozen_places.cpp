#include "run/frozen_places.h"

#include "log_reader/call_owner.h"
#include "log_reader/log.h"
#include "log_reader/source_lines.h"
#include "scanner/elf_file.h"
#include "scanner/preloading.h"
#include "support/descriptor.h"
#include "support/exit_status.h"
#include "support/hash.h"
#include "support/wording.h"

#include <elfutils/libdw.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>

#include <fcntl.h>

namespace detshim {
namespace {

struct NamedLine {
  std::string file;
  int number = 0;
};

std::optional<NamedLine> parse_line(const std::string& place) {
  const std::size_t colon = place.rfind(':');
  if (colon == std::string::npos || colon == 0)
    return std::nullopt;
  const std::optional<int> number = number_in<int>(std::string_view(place).substr(colon + 1));
  return number ? std::optional(NamedLine{place.substr(0, colon), *number}) : std::nullopt;
}

/// Adds the ranges of a line's code in a file, as return addresses of calls in them.
void add_code_of(const NamedLine& line, const std::string& file, std::set<std::string>& places) {
  const OwnedDescriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  Dwarf* const debug = dwarf_begin(descriptor.number(), DWARF_C_READ);
  if (debug == nullptr)
    return;
  const std::string wanted = '/' + line.file;
  Dwarf_Off next = 0;
  std::size_t header = 0;
  for (Dwarf_Off offset = 0;
       dwarf_nextcu(debug, offset, &next, &header, nullptr, nullptr, nullptr) == 0; offset = next) {
    Dwarf_Die unit;
    Dwarf_Lines* lines = nullptr;
    std::size_t count = 0;
    if (dwarf_offdie(debug, offset + header, &unit) == nullptr ||
        dwarf_getsrclines(&unit, &lines, &count) != 0)
      continue;
    for (std::size_t i = 0; i + 1 < count; ++i) {
      Dwarf_Line* const row = dwarf_onesrcline(lines, i);
      int number = 0;
      Dwarf_Addr first = 0, last = 0;
      dwarf_lineno(row, &number);
      if (number != line.number)
        continue;
      const char* const source = dwarf_linesrc(row, nullptr, nullptr);
      if (source == nullptr || !('/' + std::string(source)).ends_with(wanted))
        continue;
      dwarf_lineaddr(row, &first);
      dwarf_lineaddr(dwarf_onesrcline(lines, i + 1), &last);
      if (last <= first)
        continue;
      places.insert(line.file + ':' + std::to_string(line.number) + '=' + base_name(file) + "+0x" +
                    hexadecimal(first + 1) + "-0x" + hexadecimal(last));
    }
  }
  dwarf_end(debug);
}

/// A program and the libraries that its loader finds for it outside of the system's folders; none
/// of a script.
std::set<std::string> own_files_of(const std::string& program) {
  std::set<std::string> files;
  try {
    const ElfFile file(program);
    files.insert(program);
    // "\tlibz.so.1 => /lib/libz.so.1 (0x7f...)"
    for (const std::string& line :
         split(list_loaded(file.interpreter(), program, "").text.value_or(""), '\n')) {
      const std::size_t begin = line.find("=> /"), end = line.rfind(" (0x");
      if (begin == std::string::npos || end == std::string::npos || end < begin)
        continue;
      const std::string library = line.substr(begin + 3, end - begin - 3);
      if (!library.starts_with("/lib") && !library.starts_with("/usr/lib"))
        files.insert(library);
    }
  } catch (const ElfError&) { // its lines are told by the library
  }
  return files;
}

} // namespace

bool is_place(const std::string& text) {
  const std::size_t offset = text.rfind("+0x");
  if (offset == std::string::npos || offset == 0)
    return parse_line(text).has_value();
  constexpr int hexadecimal_base = 16;
  return number_in<std::uint64_t>(std::string_view(text).substr(offset + 3), hexadecimal_base)
      .has_value();
}

std::string frozen_places(const std::vector<std::string>& places, const std::string& program) {
  std::set<std::string> files, named;
  const std::string executable = find_executable(program);
  for (const std::string& place : split(joined(places, ","), ',')) {
    const std::optional<NamedLine> line = parse_line(place);
    const std::size_t before = named.size();
    if (line && files.empty())
      files = own_files_of(executable);
    if (line)
      for (const std::string& file : files)
        add_code_of(*line, file, named);
    if (named.size() == before)
      named.insert(place);
  }
  return joined(named, ",");
}

std::vector<std::string> clock_places_of(const std::string& log_folder) {
  std::set<std::string> places;
  SourceLines lines;
  const Log log = read_log(log_folder);
  const auto add = [&](const std::string& at, const std::vector<std::string>& frames,
                       const PythonFrames& python) {
    const OwnedCall call = owner_of_call(at, frames, python, lines);
    if (!call.line.empty() && call.place.empty())
      places.insert(call.line);
    else if (!call.place.empty())
      places.insert(base_name(call.place));
  };
  for (const Process& process : log.processes)
    for (const UserPlace& place : process.user_places)
      if (place.kind == RecordType::clock)
        add(place.at, place.frames, place.python);
  each_record(log, [&](const Process&, const Call& call, const CallCount&) {
    if (call.reason == Reason::clock_read)
      add(call.at, call.frames, call.python);
  });
  if (places.empty())
    throw UsageError("--freeze-from " + in_quotes(log.folder) +
                     ": that log names no line that reads a clock or an id");
  return {places.begin(), places.end()};
}

} // namespace detshim
