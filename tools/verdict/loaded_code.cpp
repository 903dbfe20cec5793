// Which files a log names, and what in them draws around every hook.
//
// Decides whose each file is (the user's, the system's, a package's), whether it is still the file
// that ran, and what its instructions and symbols can do. It cannot know whether an instruction was
// reached. Of a file that changed since the run nothing counts.
#include "verdict/loaded_code.h"

#include "common/cuda_libraries.h"
#include "log_reader/library_code.h"
#include "log_reader/open_file.h"
#include "scanner/packages.h"
#include "support/progress.h"
#include "support/wording.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <span>
#include <tuple>

#include <sys/stat.h>

namespace detshim {
namespace {

/// Each file once, in the order in which the log names it.
class FileNames {
public:
  void add(const std::string& file) {
    if (!file.empty() && seen_.insert(file).second)
      files_.push_back(file);
  }
  void add_place(const std::string& at) {
    if (const std::size_t plus = at.rfind("+0x"); plus != std::string::npos)
      add(at.substr(0, plus));
  }
  const std::vector<std::string>& all() const { return files_; }

private:
  std::set<std::string> seen_;
  std::vector<std::string> files_;
};

FileNames named_files(const Log& log, const Summary& summary) {
  FileNames names;
  for (const Process& process : log.processes) {
    for (const Start& start : process.starts)
      names.add(start.program);
    for (const std::string& file : process.modules)
      names.add(file);
  }
  for (const SymbolSummary& symbol : summary.symbols)
    for (const CallPlace& place : symbol.places)
      names.add_place(place.at);
  return names;
}

std::size_t count_places(std::span<const FileScan> files) {
  std::size_t sum = 0;
  for (const FileScan& scan : files)
    sum += scan.places.size();
  return sum;
}

/// A copy of libstdc++'s in the file draws for the program's own std::random_device, and no hook is
/// in front.
bool has_random_device(const FileScan& scan) {
  return std::ranges::any_of(scan.places, [](const FoundPlace& place) {
    return is_of_random_device(place.function);
  });
}

/// Tells what the user wrote from what came to the machine otherwise.
class Origins {
public:
  explicit Origins(const Log& log) {
    for (const Process& process : log.processes)
      for (const Start& start : process.starts)
        if (is_first_process(process.rank, process.path) || !is_library_file(start.program))
          programs_.insert(start.program);
  }

  enum class Origin { users_own, loaders_folder, package };

  Origin of(const std::string& file) {
    if (programs_.contains(file))
      return Origin::users_own;
    if (starts_with_any_of(file, {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", "/usr/bin/"}))
      return Origin::loaders_folder;
    return packages_.brought(file) ? Origin::package : Origin::users_own;
  }

private:
  std::set<std::string> programs_;
  Packages packages_;
};

/// True for a part of a CUDA library, wherever it lies: it is called so, and has NVIDIA's versions
/// of symbols or tells its own version.
bool is_nvidias(const ElfFile& file, const std::string& name) {
  const std::string called = base_name(name);
  return std::ranges::any_of(cuda_libraries, [&](const CudaLibrary& library) {
    const char* const names[] = {library.version_function};
    return is_file_of(library, called.c_str()) &&
           (file.has_section(".gnu.version_d") ||
            (*library.version_function != 0 && file.exports_one_of(names)));
  });
}

/// True if the file is not the one that ran. Where the log does not say which build that was, or
/// the file has no id of its build, its time tells: it was written after the log.
bool has_changed(const ElfFile& file, const std::string& name, const Log& log) {
  const auto ran = log.builds.find(name);
  if (ran != log.builds.end())
    return ran->second.size() > 1 || !ran->second.contains(file.build_id());
  return log.written != 0 && last_written(name) > log.written;
}

/// What `find_out` gives, found out once: `verify` judges several logs that name the same
/// libraries, of which a framework's hold a gigabyte.
template <typename Result>
Result remembered(const ElfFile& file, Result (*find_out)(const ElfFile&)) {
  static std::map<std::tuple<std::string, ino_t, off_t, time_t, long>, Result> known;
  struct stat state = {};
  ::fstat(file.descriptor(), &state);
  const std::tuple key(file.path(), state.st_ino, state.st_size, state.st_ctim.tv_sec,
                       state.st_ctim.tv_nsec);
  const auto entry = known.find(key);
  return entry != known.end() ? entry->second : known.emplace(key, find_out(file)).first->second;
}

/// The static programs that were executed, which left no log of their own.
void find_programs_without_draws(const Log& log, const Summary& summary, LoadedCode& code) {
  for (const SymbolSummary& symbol : summary.symbols) {
    if (symbol.action != Action::uncovered)
      continue;
    for (const Example& example : symbol.examples) {
      const std::string* const program = find_field(example.fields, "program");
      if (program == nullptr || !program->starts_with('/'))
        continue;
      try {
        const ElfFile file(*program);
        if (!has_changed(file, *program, log) && file.is_static_program() && draws_nothing(file))
          code.without_draws.insert(*program);
      } catch (const ElfError&) {
        continue; // gone: what it was is not known
      }
    }
  }
}

/// Looks into one file after the other.
class CodeScanner {
public:
  CodeScanner(const Log& log, Decode decode) : log_(log), decode_(decode), origins_(log) {
    code_.is_decoded = decode != Decode::nothing;
  }

  LoadedCode scan(const std::vector<std::string>& names) {
    Progress progress;
    std::size_t done = 0;
    for (const std::string& name : names) {
      progress.say("looking into the code that was loaded, " + std::to_string(done++) + " of " +
                   counted(names.size(), "file"));
      if (!is_known(name))
        scan_file(name);
    }
    code_.own = code_.uncovered.size();
    std::ranges::move(uncovered_of_system_, std::back_inserter(code_.uncovered));
    return std::move(code_);
  }

private:
  /// A file may have two names. For the second, only whether the file has changed is noted.
  bool is_known(const std::string& name) {
    std::error_code error;
    const std::filesystem::path real = std::filesystem::canonical(name, error);
    const auto known = has_changed_.find(real.string());
    if (error || known == has_changed_.end())
      return false;
    if (known->second)
      code_.changed.insert(name);
    return true;
  }

  void scan_file(const std::string& name) {
    try {
      const ElfFile file(name);
      const bool is_changed = has_changed(file, name, log_);
      std::error_code error;
      has_changed_.emplace(std::filesystem::canonical(name, error).string(), is_changed);
      if (is_changed)
        code_.changed.insert(name);
      else
        take_file(file, name);
    } catch (const ElfError&) {
      code_.missing.push_back(name);
    }
  }

  void take_file(const ElfFile& file, const std::string& name) {
    CudaSymbols cuda = remembered(file, read_cuda_symbols);
    const bool may_have_random_device = cuda.names_random_device;
    if (!cuda.is_empty())
      code_.cuda.push_back(std::move(cuda));
    if (file.dynamic().binds_now)
      code_.binds_now.insert(name);
    ++code_.files;
    if (decode_ != Decode::nothing)
      decode_file(file, name, may_have_random_device);
  }

  void decode_file(const ElfFile& file, const std::string& name, bool may_have_random_device) {
    Origins::Origin origin = origins_.of(name);
    if (origin == Origins::Origin::users_own && is_nvidias(file, name))
      origin = Origins::Origin::package;
    const bool is_users = origin == Origins::Origin::users_own;
    const bool is_packages = origin == Origins::Origin::package;
    if (decode_ == Decode::own_code && !is_users && !(is_packages && may_have_random_device))
      return;
    const bool is_program = is_users && !is_library_file(name);
    FileScan scan = remembered(file, is_program ? scan_own_code : scan_code);
    if (!scan.others.empty())
      code_.reading.push_back(scan);
    const bool is_own = is_users || (is_packages && has_random_device(scan));
    code_.undecoded += scan.undecoded;
    if (scan.is_uncovered())
      (is_own ? code_.uncovered : uncovered_of_system_).push_back(std::move(scan));
  }

  const Log& log_;
  const Decode decode_;
  Origins origins_;
  LoadedCode code_;
  std::vector<FileScan> uncovered_of_system_;
  std::map<std::string, bool> has_changed_; ///< by the name that a file has without links
};

} // namespace

bool LoadedCode::is_harmless(const SymbolSummary& symbol) const {
  return symbol.action == Action::uncovered && symbol.examples_left_out == 0 &&
         !symbol.examples.empty() &&
         std::ranges::all_of(symbol.examples, [this](const Example& example) {
           const std::string* const program = find_field(example.fields, "program");
           return program != nullptr && without_draws.contains(*program);
         });
}

std::size_t LoadedCode::own_places() const { return count_places(std::span(uncovered).first(own)); }
std::size_t LoadedCode::system_places() const {
  return count_places(std::span(uncovered).subspan(own));
}

LoadedCode scan_loaded_code(const Log& log, const Summary& summary, Decode decode) {
  LoadedCode code = CodeScanner(log, decode).scan(named_files(log, summary).all());
  if (code.is_decoded)
    find_programs_without_draws(log, summary, code);
  return code;
}

} // namespace detshim
