// What a preload cannot see in files.
//
// Decides, of each file: whether LD_PRELOAD reaches it at all, from its ELF headers and its rights;
// which of its instructions draw, from its machine code; and whether they are a gap, from its name
// and symbols (libc, a C++ library, cryptography). Libraries are those that this machine's loader
// finds. It cannot know whether an instruction is ever reached, what is loaded by dlopen or made at
// run time, nor what the places do that could not be decoded: those are counted.
#include "scanner/scan.h"

#include "common/cryptography.h"
#include "scanner/preloading.h"
#include "support/hash.h"
#include "support/progress.h"
#include "support/wording.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

namespace detshim {
namespace {

/// Why what is in the file is no gap; empty if it would be one.
std::string why_left_alone(const ElfFile& file) {
  const std::string name = base_name(file.path());
  if (name.starts_with("libstdc++.so"))
    return "std::random_device, which uses it, is hooked";
  if (starts_with_any_of(name, {"libc.so", "libc-2.", "ld-linux", "ld-2.", "ld.so"}))
    return "part of libc, whose functions that draw are hooked";
  if (name.starts_with("libdetshim.so"))
    return "detshim itself";
  for (const char* start : cryptography_files)
    if (name.starts_with(start))
      return "a cryptography library: keys stay random";
  if (file.exports_one_of(cryptography_symbols))
    return "has cryptography in it: keys stay random";
  return "";
}

std::string why_not_reached(const ElfFile& file) {
  if (file.is_go())
    return "a Go program, which makes its system calls without libc: seed it in the program";
  if (file.is_static_program())
    return "statically linked: LD_PRELOAD does not reach it; link it dynamically";
  if (file.changes_rights())
    return "runs with another user's rights, which drops LD_PRELOAD; run it as that user";
  return "";
}

#if defined(__aarch64__)
constexpr Machine own_machine = Machine::aarch64;
constexpr const char* own_loader = "/lib/ld-linux-aarch64.so.1";
#else
constexpr Machine own_machine = Machine::x86_64;
constexpr const char* own_loader = "/lib64/ld-linux-x86-64.so.2";
#endif

/// Looks at files, and at what this machine's loader finds for them. Their own is not asked: it may
/// be any program.
class Scanner {
public:
  Scan scan(const std::vector<std::string>& files, bool alone) {
    for (const std::string& path : files) {
      if (!is_new(path))
        continue;
      const ElfFile file(path);
      result_.files.push_back(scan_file(file));
      if (!alone && !file.dynamic().needed.empty())
        add_needed(file);
    }
    return std::move(result_);
  }

private:
  bool is_new(const std::string& path) {
    std::error_code error;
    const std::filesystem::path real = std::filesystem::canonical(path, error);
    return error || seen_.insert(real.string()).second;
  }

  void add_needed(const ElfFile& file) {
    std::error_code error;
    const Reply listed =
        file.machine() != own_machine
            ? Reply{std::nullopt, "its libraries are for another processor", -1}
        : file.dynamic().is_audited
            ? Reply{std::nullopt, "it names a library that the loader would run", -1}
            : list_loaded(own_loader, std::filesystem::absolute(file.path(), error), "");
    bool has_any = false;
    for (const std::string& line :
         split(listed.text.value_or(""), '\n')) { // "\tlibz.so.1 => /lib/libz.so.1 (0x7f...)"
      if (!line.starts_with('\t'))
        continue;
      const std::size_t arrow = line.find(" => "), address = line.rfind(" (0x");
      const std::string name = line.substr(1, std::min(arrow, address) - 1);
      const std::string library =
          arrow == std::string::npos
              ? name
              : line.substr(arrow + 4, address - std::min(address, arrow + 4));
      has_any = true;
      if (library.starts_with('/'))
        add_library(name, library, file.path());
      else if (arrow != std::string::npos)
        add_missing({name, file.path(), "was not found"});
    }
    if (has_any)
      return;
    const std::string why =
        listed.problem.empty() ? "its loader lists nothing" : printable(listed.problem);
    for (const std::string& name : file.dynamic().needed)
      add_missing({name, file.path(), why});
  }

  void add_library(const std::string& name, const std::string& path, const std::string& needed_by) {
    progress_.say("looking into " + printable(path));
    if (!is_new(path))
      return;
    try {
      result_.files.push_back(scan_file(ElfFile(path)));
    } catch (const ElfError& error) {
      add_missing({name, needed_by, error.what()});
    }
  }

  void add_missing(MissingLibrary library) {
    if (seen_missing_.insert(library.name).second)
      result_.missing.push_back(std::move(library));
  }

  std::set<std::string> seen_, seen_missing_;
  Progress progress_;
  Scan result_;
};

FileScan scan(const ElfFile& file, bool with_others) {
  FileScan scan;
  scan.file = file.path();
  const auto function_start = [&file](std::uint64_t address) {
    return file.function_start(address);
  };
  for (const CodeRange& code : file.code()) {
    const FoundDraws in_code = find_draws(file.machine(), code, function_start, with_others);
    for (const Draw& draw : in_code.draws)
      (is_draw(draw.kind) ? scan.places : scan.others)
          .push_back({draw.address, draw.kind, file.function_name(draw.address)});
    scan.undecoded += in_code.undecoded;
  }
  // Where the kernel keeps a thread's rseq area, which holds its processor's number (sys/rseq.h).
  if (with_others && file.names("__rseq_offset"))
    scan.others.push_back({0, DrawKind::processor, ""});
  if (!scan.places.empty())
    scan.left_alone = why_left_alone(file);
  return scan;
}

} // namespace

const char* const draw_remedy =
    "draw by getrandom(), /dev/urandom or the std::random_device of a shared "
    "libstdc++, which detshim pins, or seed in the program";

bool Scan::is_uncovered() const { return std::ranges::any_of(files, &FileScan::is_uncovered); }

std::size_t Scan::undecoded() const {
  std::size_t sum = 0;
  for (const FileScan& file : files)
    sum += file.undecoded;
  return sum;
}

FileScan scan_code(const ElfFile& file) { return scan(file, false); }
// Go's own runtime is full of them.
FileScan scan_own_code(const ElfFile& file) { return scan(file, !file.is_go()); }

FileScan scan_file(const ElfFile& file) {
  const std::string not_reached = why_not_reached(file);
  if (not_reached.empty())
    return scan_code(file);
  // Of a file that no preload reaches, single places say nothing more.
  FileScan scan;
  scan.file = file.path();
  scan.not_reached = not_reached;
  return scan;
}

bool draws_nothing(const ElfFile& program) {
  if (program.is_go())
    return false; // seeds itself in more ways than these
  const FileScan scan = scan_code(program);
  return scan.places.empty() && scan.undecoded == 0 && !program.holds_text("/dev/urandom") &&
         !program.holds_text("/dev/random");
}

Scan scan_files(const std::vector<std::string>& files, bool alone) {
  return Scanner().scan(files, alone);
}

std::string place_text(const FileScan& scan, const FoundPlace& place) {
  return scan.file + "+0x" + hexadecimal(place.offset);
}

} // namespace detshim
