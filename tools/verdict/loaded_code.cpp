#include "verdict/loaded_code.h"

#include "log_reader/open_file.h"
#include "log_reader/printable.h"
#include "support/progress.h"
#include "verdict/code_cache.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <span>

namespace detshim {
namespace {

/// Each file once, in the order in which the log names it.
class FileNames {
public:
  void add(const std::string& file) {
    if (!file.empty() && seen_.insert(file).second) files_.push_back(file);
  }
  void add_place(const std::string& at) {
    if (const std::size_t plus = at.rfind("+0x"); plus != std::string::npos) add(at.substr(0, plus));
  }
  const std::vector<std::string>& all() const { return files_; }

private:
  std::set<std::string> seen_;
  std::vector<std::string> files_;
};

FileNames named_files(const Log& log, const Summary& summary) {
  FileNames names;
  for (const Process& process : log.processes) {
    for (const Start& start : process.starts) names.add(start.program);
    for (const std::string& file : process.modules) names.add(file);
  }
  for (const SymbolSummary& symbol : summary.symbols)
    for (const CallPlace& place : symbol.places) names.add_place(place.at);
  return names;
}

/// Programs whose system calls the supervisor answered (`run --trap-syscalls`): no gap there.
std::set<std::string> answered_programs(const Log& log) {
  std::set<std::string> programs;
  for (const Process& process : log.processes)
    if (process.is_trapped)
      for (const Start& start : process.starts) programs.insert(start.program);
  return programs;
}

std::size_t count_places(std::span<const FileScan> files) {
  std::size_t sum = 0;
  for (const FileScan& scan : files) sum += scan.places.size();
  return sum;
}

/// True for what came with the system: a library in a folder of the loader's.
bool is_of_system(const FileScan& scan, const std::set<std::string>& programs) {
  if (programs.contains(scan.file)) return false;
  return std::ranges::any_of(
      std::initializer_list<const char*>{"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"},
      [&scan](const char* folder) { return scan.file.starts_with(folder); });
}

/// True if the file is not the one that ran. Where the log does not say which build that was, or the file has
/// no id of its build, its time tells: it was written after the log.
bool has_changed(const ElfFile& file, const std::string& name, const Log& log) {
  const auto ran = log.builds.find(name);
  if (ran != log.builds.end()) return ran->second.size() > 1 || !ran->second.contains(file.build_id());
  return log.written != 0 && last_written(name) > log.written;
}

} // namespace

std::size_t LoadedCode::own_places() const { return count_places(std::span(uncovered).first(own)); }
std::size_t LoadedCode::system_places() const { return count_places(std::span(uncovered).subspan(own)); }

LoadedCode scan_loaded_code(const Log& log, const Summary& summary, bool decode) {
  const CodeCache cache;
  LoadedCode code;
  code.is_decoded = decode;
  const FileNames names = named_files(log, summary);
  const std::set<std::string> answered = answered_programs(log);
  std::map<std::string, bool> seen; // two names may be one file; whether it has changed
  Progress progress("looking into the code that was loaded");
  std::size_t done = 0;
  for (const std::string& name : names.all()) {
    progress.step(done++, names.all().size());
    std::error_code error;
    const std::filesystem::path real = std::filesystem::canonical(name, error);
    if (const auto known = seen.find(real.string()); !error && known != seen.end()) {
      if (known->second) code.changed.insert(name);
      continue;
    }
    try {
      const ElfFile file(name);
      const bool is_changed = has_changed(file, name, log);
      seen.emplace(real.string(), is_changed);
      if (is_changed) {
        code.changed.insert(name);
        continue;
      }
      if (CudaSymbols cuda = cache.cuda_symbols(file); !cuda.is_empty()) code.cuda.push_back(std::move(cuda));
      ++code.files;
      if (!decode) continue;
      FileScan scan = cache.code(file);
      if (answered.contains(name))
        std::erase_if(scan.places, [](const FoundPlace& place) { return place.kind == DrawKind::getrandom; });
      code.undecoded += scan.undecoded;
      if (scan.is_uncovered()) code.uncovered.push_back(std::move(scan));
    } catch (const ElfError&) {
      code.missing.push_back(name);
    }
  }
  std::set<std::string> programs;
  for (const Process& process : log.processes)
    for (const Start& start : process.starts) programs.insert(start.program);
  const auto system =
      std::stable_partition(code.uncovered.begin(), code.uncovered.end(),
                            [&programs](const FileScan& scan) { return !is_of_system(scan, programs); });
  code.own = static_cast<std::size_t>(system - code.uncovered.begin());
  return code;
}

std::string describe_place(const FileScan& scan, const FoundPlace& place) {
  const char* const why = place.kind == DrawKind::getrandom
                              ? "made without libc, which no preload can intercept"
                              : "an instruction of the processor, which no preload can intercept";
  return std::string(draw_name(place.kind)) + " in " + printable(place_text(scan, place)) +
         (place.function.empty() ? "" : " (" + printable(place.function) + ")") + ": " + why;
}

} // namespace detshim
