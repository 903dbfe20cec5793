#include "loaded_code.h"

#include "log_reader/printable.h"

#include <algorithm>
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

FileNames named_files(const Log& log) {
  FileNames names;
  for (const Process& process : log.processes) {
    for (const Start& start : process.starts) names.add(start.program);
    for (const std::string& file : process.modules) names.add(file);
    for (const Call& call : process.calls) names.add_place(call.at);
  }
  return names;
}

/// Programs whose system calls the supervisor answered (`run --trap-syscalls`): no gap there.
std::set<std::string> answered_programs(const Log& log) {
  std::set<std::string> programs;
  for (const Process& process : log.processes)
    if (std::ranges::any_of(process.calls, [](const Call& call) { return call.library == "kernel"; }))
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

} // namespace

std::size_t LoadedCode::own_places() const { return count_places(std::span(uncovered).first(own)); }
std::size_t LoadedCode::system_places() const { return count_places(std::span(uncovered).subspan(own)); }

LoadedCode scan_loaded_code(const Log& log, bool decode) {
  LoadedCode code;
  code.is_decoded = decode;
  const FileNames names = named_files(log);
  const std::set<std::string> answered = answered_programs(log);
  std::set<std::string> seen; // two names may be one file
  for (const std::string& name : names.all()) {
    std::error_code error;
    const std::filesystem::path real = std::filesystem::canonical(name, error);
    if (!error && !seen.insert(real.string()).second) continue;
    try {
      const ElfFile file(name);
      if (CudaSymbols cuda = read_cuda_symbols(file); !cuda.is_empty()) code.cuda.push_back(std::move(cuda));
      ++code.files;
      if (!decode) continue;
      FileScan scan = scan_code(file);
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
