#include "scanner/scan.h"

#include "common/cryptography.h"
#include "scanner/library_search.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <set>

namespace detshim {
namespace {

/// Why what is in the file is no gap; empty if it would be one.
std::string why_left_alone(const ElfFile& file) {
  const std::string name = file.path().substr(file.path().rfind('/') + 1);
  const auto is_one_of = [&name](std::initializer_list<const char*> starts) {
    return std::ranges::any_of(starts, [&name](const char* start) { return name.starts_with(start); });
  };
  if (is_one_of({"libstdc++.so"})) return "std::random_device, which uses it, is hooked";
  if (is_one_of({"libc.so", "libc-2.", "ld-linux", "ld-2.", "ld.so"}))
    return "part of libc, whose functions that draw are hooked";
  if (is_one_of({"libdetshim.so"})) return "detshim itself";
  for (const char* start : cryptography_files)
    if (name.starts_with(start)) return "a cryptography library: keys stay random";
  if (file.exports_one_of(cryptography_symbols)) return "has cryptography in it: keys stay random";
  return "";
}

std::string why_not_covered(const ElfFile& file) {
  if (file.is_go()) return "a Go program, which makes its system calls without libc: seed it in the program";
  if (file.is_static_program()) return "statically linked: LD_PRELOAD does not reach it; link it dynamically";
  if (file.changes_rights())
    return "runs with another user's rights, which drops LD_PRELOAD; run it as that user";
  return "";
}

/// Looks at files and what they need, breadth first, as the dynamic loader goes.
class Scanner {
public:
  Scan scan(const std::vector<std::string>& files, bool alone) {
    for (const std::string& path : files) {
      waiting_.clear();
      if (!add(path, nullptr)) continue;
      while (!waiting_.empty() && !alone) {
        const Dependent* const dependent = waiting_.front();
        waiting_.pop_front();
        for (const std::string& name : dependent->file->dynamic().needed) add_needed(name, *dependent);
      }
    }
    return std::move(result_);
  }

private:
  /// False if the file was looked at before.
  bool add(const std::string& path, const Dependent* needed_by) {
    std::error_code error;
    const std::filesystem::path real = std::filesystem::canonical(path, error);
    if (!error && !seen_.insert(real.string()).second) return false;
    const ElfFile& file = open_.emplace_back(path);
    dependents_.push_back({&file, needed_by});
    waiting_.push_back(&dependents_.back());
    result_.files.push_back(scan_file(file));
    return true;
  }

  void add_needed(const std::string& name, const Dependent& dependent) {
    const std::optional<std::string> path = search_.find(name, dependent);
    std::string why = "was not found";
    try {
      if (path) {
        add(*path, &dependent);
        return;
      }
    } catch (const ElfError& error) {
      why = error.what();
    }
    if (seen_missing_.insert(name).second) result_.missing.push_back({name, dependent.file->path(), why});
  }

  LibrarySearch search_;
  std::deque<ElfFile> open_; // dependents point into it
  std::deque<Dependent> dependents_;
  std::deque<const Dependent*> waiting_;
  std::set<std::string> seen_, seen_missing_;
  Scan result_;
};

} // namespace

const char* const draw_remedy = "draw by getrandom(), /dev/urandom or the std::random_device of a shared "
                                "libstdc++, which detshim pins, or "
                                "seed in the program";

bool Scan::is_uncovered() const { return std::ranges::any_of(files, &FileScan::is_uncovered); }

std::size_t Scan::undecoded() const {
  std::size_t sum = 0;
  for (const FileScan& file : files) sum += file.undecoded;
  return sum;
}

FileScan scan_code(const ElfFile& file) {
  FileScan scan;
  scan.file = file.path();
  const auto function_start = [&file](std::uint64_t address) { return file.function_start(address); };
  for (const CodeRange& code : file.code()) {
    const FoundDraws found = find_draws(file.machine(), code, function_start);
    for (const Draw& draw : found.draws)
      scan.places.push_back({draw.address, draw.kind, file.function_name(draw.address)});
    scan.undecoded += found.undecoded;
  }
  if (!scan.places.empty()) scan.left_alone = why_left_alone(file);
  return scan;
}

FileScan scan_file(const ElfFile& file) {
  const std::string not_covered = why_not_covered(file);
  if (not_covered.empty()) return scan_code(file);
  // Of a file that no preload reaches, single places say nothing more.
  FileScan scan;
  scan.file = file.path();
  scan.not_covered = not_covered;
  return scan;
}

bool draws_nothing(const ElfFile& program) {
  if (program.is_go()) return false; // seeds itself in more ways than these
  const FileScan scan = scan_code(program);
  return scan.places.empty() && scan.undecoded == 0 && !program.holds_text("/dev/urandom") &&
         !program.holds_text("/dev/random");
}

Scan scan_files(const std::vector<std::string>& files, bool alone) { return Scanner().scan(files, alone); }

std::string place_text(const FileScan& scan, const FoundPlace& place) {
  std::string digits;
  for (std::uint64_t rest = place.offset; rest != 0 || digits.empty(); rest >>= 4)
    digits.insert(digits.begin(), "0123456789abcdef"[rest & 15U]);
  return scan.file + "+0x" + digits;
}

} // namespace detshim
