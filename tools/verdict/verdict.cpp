#include "verdict/verdict.h"

#include "log_reader/jobs.h"
#include "support/reason_texts.h"
#include "support/wording.h"
#include "verdict/clock_seeds.h"
#include "verdict/known_functions.h"
#include "verdict/nvidia_libraries.h"
#include "verdict/script_seeds.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace detshim {
namespace {

constexpr const char* not_decoded = "not_decoded";
constexpr const char* fixed_seed_remedy = "give it a fixed number";

/// A statement, which may stand on several lines.
std::string one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!is_blank)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  if (line.ends_with(' ')) line.pop_back();
  return line;
}

/// All kinds of reasons: docs/VERDICT.md has them in a table.
constexpr auto kinds = std::to_array<std::string_view>(
    {"unfixed",      "uncovered",    "lost_records",  "bypass",       "foreign",    "linked_copy",
     "no_symbols",   "new_function", "open_function", "runtime",      "version",    "no_hooks",
     "two_copies",   "no_coverage",  "no_modules",    "kernels",      "code",       not_decoded,
     "missing_file", "changed_file", "mode",          "disabled",     "trapped",    "no_end",
     "no_start",     "no_log",       "damaged",       "other_format", "unreadable", "pool",
     "clock_seed",   "missing_ranks"});

/// NVIDIA's compilers for programs that bring their kernels as text (Triton, Numba, CuPy, torch.compile),
/// and Triton's own.
bool compiles_kernels(const std::string& file) {
  return std::ranges::any_of(std::to_array({"libnvrtc.so", "libnvJitLink.so", "libnvvm.so", "libtriton"}),
                             [&](const char* start) { return file.starts_with(start); });
}

/// Files with kernels of PyTorch's own, as its wheels and Debian's packages have them; and the compilers that
/// are loaded with them. libtriton is not: Inductor loads it, but so does a program with kernels of its own.
bool is_part_of_torch(const std::string& file) {
  return std::ranges::any_of(
      std::to_array({"libtorch_cuda", "libtorch_nvshmem", "libc10_cuda", "libcaffe2_nvrtc", "libnvrtc.so",
                     "libnvrtc-builtins", "libnvJitLink.so", "libcusparseLt.so", "libnvshmem_host.so"}),
      [&](const char* start) { return file.starts_with(start); });
}

/// True for what hands kernels as text to the same compilers.
bool brings_kernels_as_text(const std::string& file) {
  return std::ranges::any_of(std::to_array({"/cupy", "/numba", "/pycuda", "/warp/", "libtriton"}),
                             [&](const char* part) { return file.find(part) != std::string::npos; });
}

/// NVIDIA's libraries that load libnvJitLink themselves: cuSPARSE and cuSOLVER since CUDA 12, cuFFT for
/// callbacks.
bool loads_linker(const std::string& file) {
  const std::string library = cuda_library_of(file);
  return library == "cusparse" || library == "cusolver" || library == "cufft";
}

/// True if PyTorch takes deterministic implementations in the process, and says of those that have none: the
/// documentation of torch.use_deterministic_algorithms answers for its kernels then.
bool torch_is_deterministic(const Process& process) {
  bool is_on = false;
  for (const Framework& framework : process.frameworks) {
    if (framework.name != "torch") continue;
    if (!framework.is_deterministic) return false;
    is_on = true;
  }
  return is_on;
}

/// True unless the process certainly had no GPU: what it had loaded is known, and the driver's library,
/// without which nothing reaches one, is not among it.
bool may_have_had_gpu(const Process& process) {
  if (process.is_trapped && process.end) return false; // statically linked
  if (process.modules.empty()) return true;
  return std::ranges::any_of(
             process.modules,
             [](const std::string& file) { return base_name(file).starts_with("libcuda.so"); }) ||
         std::ranges::find(process.libraries, std::string("cuda"), &Library::name) != process.libraries.end();
}

/// True if a function of that library may have decided something in the process. cuRAND has generators that
/// draw without a GPU.
bool may_have_used(const Process& process, const std::string& library) {
  return library == "curand" || may_have_had_gpu(process) ||
         std::ranges::find(process.libraries, library, &Library::name) != process.libraries.end();
}

/// The runtime and the driver decide nothing by themselves: only what is above them has algorithms.
bool has_algorithms(const std::string& library) { return known_functions(library) != nullptr; }

class VerdictBuilder {
public:
  VerdictBuilder(const Log& log, const Summary& summary, const LoadedCode& code)
      : log_(log), summary_(summary), code_(code) {}

  Verdict build(const std::vector<std::string>& accepted) {
    add_calls();
    add_pools();
    add_clock_seeds();
    add_code();
    add_copies();
    find_launchers();
    add_kernels();
    add_open_libraries();
    add_unhooked_functions();
    add_runtimes();
    add_settings();
    add_processes();
    add_missing_ranks();
    add_libraries();
    add_versions();
    add_damage();
    count_idle_libraries();
    take_back(accepted);
    std::ranges::stable_sort(
        verdict_.reasons, [](const VerdictReason& a, const VerdictReason& b) { return a.level > b.level; });
    if (!verdict_.reasons.empty()) verdict_.level = verdict_.reasons.front().level;
    verdict_.has_refused = summary_.calls(Action::refuse) > 0;
    return std::move(verdict_);
  }

private:
  VerdictReason& add(VerdictLevel level, const char* kind, std::string text, std::string remedy = {}) {
    verdict_.reasons.push_back({level, kind, std::move(text), std::move(remedy), {}, {}, {}});
    return verdict_.reasons.back();
  }

  /// Takes the reasons back that the user answers for.
  void take_back(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      const auto is_meant = [&](const VerdictReason& reason) {
        const std::string kind = reason.kind;
        if (name == kind) return true;
        if (!name.starts_with(kind + ":")) return false;
        const std::string subject = name.substr(kind.size() + 1);
        return subject == reason.function || subject == reason.file || subject == reason.library ||
               subject == subject_of(reason);
      };
      Acceptance acceptance{name};
      for (const VerdictReason& reason : verdict_.reasons)
        if (is_meant(reason)) verdict_.accepted.push_back(reason), ++acceptance.reasons;
      std::erase_if(verdict_.reasons, is_meant);
      // One that repeats another name takes back what is gone already.
      if (acceptance.reasons == 0)
        acceptance.reasons = static_cast<std::size_t>(std::ranges::count_if(verdict_.accepted, is_meant));
      verdict_.acceptances.push_back(std::move(acceptance));
    }
  }

  // ---- Whether there was a GPU ----

  /// True if no process that may have had a GPU had `file` loaded, or `file` is of a library that decides
  /// nothing without one. A process that was killed may have had any file.
  bool is_idle(const std::string& file, const std::string& library) const {
    return std::ranges::none_of(log_.processes, [&](const Process& process) {
      if (process.is_trapped && process.end) return false;
      const bool had_file =
          process.modules.empty() || std::ranges::find(process.modules, file) != process.modules.end() ||
          std::ranges::any_of(process.starts, [&](const Start& start) { return start.program == file; });
      return had_file && may_have_used(process, library);
    });
  }

  /// True if a framework answers for the kernels that `file` holds or compiles, in each process that may have
  /// had it.
  bool is_answered_for(const std::string& file) const {
    if (!is_part_of_torch(base_name(file))) return false;
    return std::ranges::all_of(log_.processes, [&](const Process& process) {
      if (process.modules.empty()) return process.is_trapped;
      return std::ranges::find(process.modules, file) == process.modules.end() ||
             (torch_is_deterministic(process) &&
              std::ranges::none_of(process.modules, brings_kernels_as_text));
    });
  }

  void count_idle_libraries() {
    std::set<std::string> files;
    for (const Process& process : log_.processes) {
      for (const std::string& file : process.modules)
        if (!cuda_library_of(file).empty() || compiles_kernels(base_name(file))) files.insert(file);
      if (may_have_had_gpu(process)) return;
    }
    verdict_.idle_cuda_libraries = files.size();
  }

  // ---- What the log says that happened ----

  void add_calls() {
    for (const SymbolSummary& symbol : summary_.symbols)
      if ((symbol.action == Action::unfixed || symbol.action == Action::uncovered) &&
          !code_.is_harmless(symbol))
        add_call(symbol);
    for (const Action action : {Action::unfixed, Action::uncovered})
      if (const auto lost = summary_.lost(action); lost > 0)
        add(VerdictLevel::partly, "lost_records",
            counted(lost, "call") + " counted as " + action_names[static_cast<std::size_t>(action)] +
                ", whose records are lost");
    for (const Action action : {Action::pin, Action::replace, Action::refuse})
      if (const auto lost = summary_.lost(action); lost > 0)
        add(VerdictLevel::unverified, "lost_records",
            counted(lost, "call") + " counted as " + action_names[static_cast<std::size_t>(action)] +
                ", whose records are lost: others may be");
    if (const auto missing = summary_.missing_records; missing > 0 && !log_.is_incomplete())
      add(VerdictLevel::unverified, "lost_records",
          counted(missing, "record") + " lost: the numbers of a thread's records have a gap");
  }

  void add_call(const SymbolSummary& symbol) {
    const bool is_unfixed = symbol.action == Action::unfixed;
    const std::string* function_of = nullptr;
    for (const Example& example : symbol.examples)
      if (function_of == nullptr) function_of = find_field(example.fields, "function_of");
    const std::string at = symbol.places.empty() ? "" : symbol.places.front().at;
    const std::string from = at.substr(0, at.rfind("+0x"));
    if (!is_unfixed && function_of != nullptr) {
      add_bypass(symbol, from, *function_of);
      return;
    }
    if (is_unfixed && add_operators(symbol)) return;
    const std::string why = symbol.reasons.empty() ? "" : symbol.reasons.front();
    std::string text = symbol.library + ": " + symbol.function;
    if (!is_unfixed)
      text += " took a way that detshim cannot hook";
    else if (why.empty())
      text += " went ahead unfixed";
    else if (!from.empty() && from != "?")
      text += " by " + base_name(from);
    const bool may_be_key = why == reason_code(Reason::may_be_key);
    if (may_be_key)
      text = "may be a key of " + base_name(from);
    else if (!why.empty())
      text += ": " + reason_text(why);
    VerdictReason& reason = add(VerdictLevel::partly, is_unfixed ? "unfixed" : "uncovered", std::move(text));
    if (!may_be_key)
      reason.remedy = reason_remedy(why);
    else
      reason.remedy = "if not: DETSHIM_KEEP_ENTROPY=-" + base_name(from).substr(0, base_name(from).find('.'));
    if (!is_unfixed && !symbol.examples.empty() && !symbol.examples.front().fields.empty())
      reason.text += " (" + symbol.examples.front().fields.front().value + ")";
    reason.library = symbol.library;
    reason.function = symbol.function;
    reason.file = from;
  }

  /// A framework's operators by their own names; false for other functions.
  bool add_operators(const SymbolSummary& symbol) {
    std::set<std::string> operators;
    for (const Example& example : symbol.examples)
      if (const std::string* name = find_field(example.fields, "operator")) operators.insert(*name);
    for (const std::string& name : operators) {
      VerdictReason& reason =
          add(VerdictLevel::partly, "unfixed",
              symbol.library + ": " + name + " ran, which has no deterministic implementation",
              "take another operator");
      reason.library = symbol.library;
      reason.function = name;
    }
    return !operators.empty();
  }

  /// " and 2 others": functions that the same record stands for.
  static std::string others_of(const SymbolSummary& symbol) {
    for (const Example& example : symbol.examples)
      if (const std::string* others = find_field(example.fields, "others");
          others != nullptr && *others != "0")
        return " and " + *others + (*others == "1" ? " other" : " others");
    return "";
  }

  void add_bypass(const SymbolSummary& symbol, const std::string& from, const std::string& function_of) {
    VerdictReason& reason = from == function_of
                                ? add(VerdictLevel::partly, "foreign",
                                      symbol.library + ": " + symbol.function + " of " + from +
                                          " is not the library's: calls to it were handed through",
                                      "link the shared library")
                                : add(VerdictLevel::partly, "bypass",
                                      symbol.library + ": " + from + " is bound past the hook of " +
                                          symbol.function + others_of(symbol) + ", to " + function_of,
                                      "load it behind libdetshim.so, and without RTLD_DEEPBIND");
    reason.library = symbol.library;
    reason.function = symbol.function;
    reason.file = from;
  }

  /// Draws in workers that take tasks as they are free, threads beside each other, and processes that fill
  /// one queue: which of them comes first is a race.
  void add_pools() {
    std::map<std::string, std::uint64_t> pools; // and how often
    for (const SymbolSummary& symbol : summary_.symbols)
      for (const Example& example : symbol.examples)
        for (const std::string field : {"pool", "threads"}) {
          if (field == "threads" && symbol.function != "pthread_create") continue; // OpenMP's are a number
          if (const std::string* pool = find_field(example.fields, field))
            pools[*pool] += example.count.calls;
        }
    for (const auto& [pool, count] : pools) {
      const std::size_t comma = pool.find(", ");
      const auto next = pools.upper_bound(pool + ", ");
      if (next != pools.end() && next->first.starts_with(pool + ", ")) continue; // there with its line
      const auto is_of = [&name = pool](const char* kind) { return name.starts_with(kind); };
      if (count < 2 && // one process fills or asks it, one worker takes all
          (is_of("multiprocessing.Queue") || is_of("multiprocessing.Manager") || is_of("dask.distributed")))
        continue;
      const std::string place = comma == std::string::npos ? "" : base_name(pool.substr(comma + 2));
      VerdictReason& reason = add_pool(pool, place);
      reason.library = pool.substr(0, comma);
    }
  }

  VerdictReason& add_pool(const std::string& pool, const std::string& place) {
    if (pool.starts_with("threading."))
      return add(VerdictLevel::unverified, "pool",
                 "threads (" + place + ") may share a generator: which draws first is a race",
                 "a generator for each thread");
    if (pool.starts_with("multiprocessing.Manager"))
      return add(VerdictLevel::unverified, "pool", "several processes race at a manager (" + place + ")",
                 "a part for each, put together in order");
    if (pool.starts_with("gensim"))
      return add(VerdictLevel::unverified, "pool", "threads train one model at once (" + place + ")",
                 "workers=1");
    if (pool.starts_with("multiprocessing.Queue"))
      return add(VerdictLevel::unverified, "pool",
                 "a queue (" + place + ") is filled by several processes: whose results come first is a race",
                 "sort them, or take a queue for each");
    return add(VerdictLevel::unverified, "pool",
               "workers race for tasks" + (place.empty() ? "" : " (" + place + ")"),
               "if seeded, in order: --accept pool");
  }

  /// Seeds from a clock that an interpreter keeps to itself. What PyTorch takes gives way
  /// (hooks/torch/generators.cpp).
  void add_clock_seeds() {
    for (const ClockSeed& seed : find_clock_seeds(log_, summary_, code_.changed)) {
      if (is_replaced_in_torch(seed)) continue;
      const std::string place = base_name(seed.file) + ":" + seed.line;
      if (seed.text.empty())
        add_unread_text(place + " reads a clock", seed.file);
      else
        add_clock_seed(place + " seems to seed from a clock or an id: " + one_line(seed.text),
                       fixed_seed_remedy, seed.file);
    }
    for (const ScriptSeed& seed : find_script_seeds(log_, summary_)) {
      if (seed.text.empty())
        add_unread_text(seed.place + " may read a clock", seed.file);
      else
        add_clock_seed(seed.place +
                           (seed.is_argument ? " was given the time as a seed: "
                                             : " seems to seed from a clock or an id: ") +
                           one_line(seed.text),
                       fixed_seed_remedy, seed.file);
    }
  }

  /// Whether what was read becomes a seed, the text would say.
  void add_unread_text(const std::string& what, const std::string& file) {
    if (file == "<stdin>")
      add_clock_seed(what + ", perhaps to seed: a program from a pipe", "put it in a file", file);
    else if (file.find("/ipykernel_") != std::string::npos)
      add_clock_seed(what + ", perhaps to seed: a cell", "run jupyter nbconvert --to script", file);
    else
      add_clock_seed(what + ", perhaps to seed: text gone or changed", "judge the log beside it", file);
  }

  void add_clock_seed(std::string text, const char* remedy, const std::string& file) {
    add(VerdictLevel::unverified, "clock_seed", std::move(text), remedy).file = file;
  }

  bool is_replaced_in_torch(const ClockSeed& seed) const {
    const auto is_there = [&](const CallPlace& place) {
      return place.python.user &&
             place.python.frames[*place.python.user].starts_with(seed.file + ":" + seed.line + " ");
    };
    return std::ranges::any_of(summary_.symbols, [&](const SymbolSummary& symbol) {
      return symbol.library == "torch" && symbol.action == Action::pin &&
             std::ranges::any_of(symbol.places, is_there);
    });
  }

  // ---- What its files say that can happen ----

  void add_code() {
    if (const std::size_t places = code_.own_places(); places > 0) {
      const FileScan& first = code_.uncovered.front();
      VerdictReason& reason =
          add(VerdictLevel::partly, "code",
              counted(places, "place") + " in loaded code can draw around every hook" +
                  (first.places.empty() ? "" : ", the first in " + place_text(first, first.places.front())),
              draw_remedy);
      reason.file = first.file;
    }
    if (!code_.is_decoded)
      add(VerdictLevel::unverified, not_decoded, "the loaded code was not looked into (--no-scan)");
    if (!code_.missing.empty())
      add(VerdictLevel::unverified, "missing_file",
          counted(code_.missing.size(), "file") +
              " that the log names cannot be looked into: " + some_of(code_.missing),
          "read the log where the program ran")
          .file = code_.missing.front();
    if (!code_.changed.empty())
      add(VerdictLevel::unverified, "changed_file",
          counted(code_.changed.size(), "file has", "files have") +
              " changed since the run, and cannot be looked into: " +
              some_of({code_.changed.begin(), code_.changed.end()}),
          "read the log before the program is rebuilt")
          .file = *code_.changed.begin();
  }

  /// True if some process of the log that had `file` loaded had no file of `library`.
  bool is_without(const std::string& file, const std::string& library) const {
    return std::ranges::any_of(log_.processes, [&](const Process& process) {
      const bool has_file =
          std::ranges::find(process.modules, file) != process.modules.end() ||
          std::ranges::any_of(process.starts, [&](const Start& start) { return start.program == file; });
      return has_file && std::ranges::none_of(process.coverage, [&](const Coverage& coverage) {
               return coverage.library == library;
             });
    });
  }

  bool loads_algorithms(const std::string& file) const {
    return std::ranges::any_of(log_.processes, [&](const Process& process) {
      return std::ranges::find(process.modules, file) != process.modules.end() &&
             std::ranges::any_of(process.coverage,
                                 [](const Coverage& coverage) { return has_algorithms(coverage.library); });
    });
  }

  void add_copies() {
    for (const CudaSymbols& symbols : code_.cuda) {
      const bool idle = is_idle(symbols.file, "") || is_answered_for(symbols.file);
      if (symbols.has_kernels && !idle) verdict_.own_kernels.push_back(symbols.file);
      for (const LinkedCopy& copy : symbols.copies)
        if (!is_idle(symbols.file, copy.library)) add_copy(symbols.file, copy);
      if (symbols.copies.empty() && symbols.has_kernels && !symbols.has_symbol_table && !idle &&
          !loads_algorithms(symbols.file))
        add(VerdictLevel::unverified, "no_symbols",
            symbols.file + " has code for a GPU and no symbol table: whether a CUDA library is linked into "
                           "it cannot be told",
            "do not strip it")
            .file = symbols.file;
    }
  }

  static constexpr const char* kernels_remedy = "compare two runs, then `detshim log --accept kernels`";

  /// With DETSHIM_KERNELS=1 launches are in the log, also of kernels that no file holds.
  void find_launchers() {
    for (const SymbolSummary& symbol : summary_.symbols) {
      if ((symbol.library != "cuda" && symbol.library != "cudart") ||
          symbol.function.find("Launch") == std::string::npos)
        continue;
      for (const CallPlace& place : symbol.places) {
        const std::string file = place.at.substr(0, place.at.rfind('+'));
        if (file.starts_with('/') && cuda_library_of(file).empty() && !is_answered_for(file) &&
            std::ranges::find(verdict_.own_kernels, file) == verdict_.own_kernels.end())
          verdict_.own_kernels.push_back(file);
      }
    }
  }

  /// True if `file` is libnvJitLink, a library of NVIDIA's loads it, and nothing else in the process that
  /// would hand it kernels is known.
  bool is_linker_of_nvidias(const Process& process, const std::string& file) const {
    const NvidiaLibrary* const library = find_nvidia_library(base_name(file));
    if (library == nullptr || library->kind != NvidiaLibraryKind::linker) return false;
    const auto links = [&](const std::string& module) {
      return brings_kernels_as_text(module) ||
             std::ranges::any_of(code_.cuda, [&](const CudaSymbols& symbols) {
               return symbols.file == module && symbols.links_kernels;
             });
    };
    return std::ranges::any_of(process.modules, loads_linker) &&
           std::ranges::none_of(process.modules, links) &&
           std::ranges::none_of(process.starts, [&](const Start& start) { return links(start.program); });
  }

  /// Libraries of NVIDIA's that no hook reaches, and of which it promises nothing.
  void add_open_libraries() {
    std::set<std::string> named;
    for (const Process& process : log_.processes)
      for (const std::string& file : process.modules) {
        const NvidiaLibrary* const library = find_nvidia_library(base_name(file));
        if (library == nullptr || library->kind != NvidiaLibraryKind::open ||
            !cuda_library_of(file).empty() || is_idle(file, "") || is_answered_for(file) ||
            !named.insert(file).second)
          continue;
        add(VerdictLevel::unverified, "no_hooks",
            base_name(file) +
                " is NVIDIA's, and detshim hooks none of its functions: " + std::string(library->reason),
            "compare two runs")
            .file = file;
      }
  }

  /// A sum by atomics in a kernel differs from run to run, and no call tells. A verdict that said nothing of
  /// it would be read as a promise.
  void add_kernels() {
    std::set<std::string> compilers;
    for (const Process& process : log_.processes)
      for (const std::string& file : process.modules)
        if (compiles_kernels(base_name(file)) && !is_idle(file, "") && !is_answered_for(file) &&
            !is_linker_of_nvidias(process, file))
          compilers.insert(file);
    if (!compilers.empty())
      add(VerdictLevel::unverified, "kernels",
          *compilers.begin() +
              " compiles kernels as the program runs, which may add floating-point numbers by "
              "atomics",
          kernels_remedy)
          .file = *compilers.begin();
    if (verdict_.own_kernels.empty()) return;
    add(VerdictLevel::unverified, "kernels",
        some_of(verdict_.own_kernels) +
            (verdict_.own_kernels.size() == 1 ? " has kernels" : " have kernels") +
            ", which may add floating-point numbers by atomics",
        kernels_remedy)
        .file = verdict_.own_kernels.front();
  }

  void add_copy(const std::string& file, const LinkedCopy& copy) {
    const std::string what =
        copy.library + ": " + copy.first +
        (copy.functions > 1 ? " and " + counted(copy.functions - 1, "more function") : "");
    // Beside the library it may be a stub that hands on to it, as TensorFlow's, and those calls are hooked.
    VerdictReason& reason =
        is_without(file, copy.library)
            ? add(VerdictLevel::partly, "linked_copy",
                  what + (copy.functions > 1 ? " are" : " is") + " linked statically into " + file,
                  "link the shared library")
            : add(VerdictLevel::unverified, "linked_copy",
                  what + " of " + file +
                      " may be a copy of the library or hand on to the one that is loaded: that cannot be "
                      "told",
                  "link the shared library");
    reason.library = copy.library;
    reason.function = copy.first;
    reason.file = file;
  }

  /// A use of a CUDA library's functions that have no hook.
  struct Use {
    std::vector<std::string> functions;
    const FunctionClass* of = nullptr; ///< what they have in common; nullptr: they are in no list
  };
  using Uses =
      std::map<std::tuple<std::string, std::string, std::string_view>, Use>; ///< library, file, class

  /// True if the loader binds the file's references when they are first called: one that is bound was called
  /// then. What was opened later may have been bound at once (RTLD_NOW), as Python does it.
  bool binds_when_called(const std::string& file) const {
    return !code_.binds_now.contains(file) &&
           std::ranges::any_of(log_.processes, [&](const Process& process) {
             return std::ranges::find(process.starts, file, &Start::program) != process.starts.end();
           });
  }

  /// Functions of which it is known that nobody says whether they repeat, and those that are in no list.
  void add_unhooked_functions() {
    Uses called, looked_up, bound;
    for (const Process& process : log_.processes)
      for (const Bound& use : process.bound) {
        const KnownFunctions* const known = known_functions(use.library);
        if (known == nullptr || !may_have_used(process, use.library)) continue;
        Uses& uses = use.is_lookup ? looked_up : binds_when_called(use.by) ? called : bound;
        for (const std::string& name : use.functions) add_use(uses, use, *known, name);
      }
    for (const auto& [key, use] : called) add_use_reason(key, use, false);
    for (const auto& [key, use] : looked_up) add_use_reason(key, use, true);
    add_bound_reason(bound);
  }

  static void add_use(Uses& uses, const Bound& bound, const KnownFunctions& known, const std::string& name) {
    const FunctionClass* const of = known.class_of(name);
    const bool is_new = of == nullptr && !known.has(name);
    if (!is_new && (of == nullptr || of->verdict == "harmless" || of->verdict == "told")) return;
    Use& use = uses[{bound.library, bound.by, is_new ? std::string_view() : of->name}];
    if (std::ranges::find(use.functions, name) == use.functions.end()) use.functions.push_back(name);
    use.of = of;
  }

  void add_use_reason(const Uses::key_type& key, const Use& use, bool is_lookup) {
    const auto& [library, file, name] = key;
    const std::string what = library + ": " + (file.empty() ? std::string("the program") : file) +
                             (is_lookup ? " has looked up " : " is bound to ") + some_of(use.functions);
    VerdictReason& reason =
        use.of == nullptr
            ? add(is_lookup ? VerdictLevel::unverified : VerdictLevel::partly, "new_function",
                  what + ", which this detshim (" + library + " " +
                      std::string(known_functions(library)->version) + ") does not know",
                  "take a detshim that knows it, or compare two runs")
            : add(VerdictLevel::unverified, "open_function",
                  what + ", which detshim does not hook: " + std::string(use.of->reason), "compare two runs");
    reason.library = library;
    reason.function = use.functions.front();
    reason.file = file;
  }

  /// References that were bound at the start, in one line: a program that calls none of them has them too.
  void add_bound_reason(const Uses& bound) {
    if (bound.empty()) return;
    std::vector<std::string> files, libraries;
    std::size_t functions = 0;
    for (const auto& [key, use] : bound) {
      const auto& [library, file, name] = key;
      if (std::ranges::find(files, file) == files.end()) files.push_back(file);
      if (std::ranges::find(libraries, library) == libraries.end()) libraries.push_back(library);
      functions += use.functions.size();
    }
    const auto& [key, first] = *bound.begin();
    const auto& [library, file, name] = key;
    VerdictReason& reason =
        add(VerdictLevel::unverified, "open_function",
            (functions == 1 ? first.functions.front() : counted(functions, "function")) + " of " +
                enumerated(libraries) + " without a hook " + (functions == 1 ? "is" : "are") + " bound in " +
                some_of(files) + "; whether one was called is not known",
            "compare two runs");
    reason.library = library;
    reason.function = first.functions.front();
    reason.file = file;
  }

  /// What seeds itself from a clock or from the processor: whether the program drew from it, nobody can tell.
  void add_runtimes() {
    std::set<std::pair<std::string, std::string>> all;
    for (const Process& process : log_.processes)
      for (const Runtime& runtime : process.runtimes) all.emplace(runtime.file, runtime.why);
    for (const auto& [file, why] : all) {
      add(VerdictLevel::unverified, "runtime", base_name(file) + ": " + reason_text(why),
          reason_of(why) == Reason::none ? "give it a seed, or compare two runs" : reason_remedy(why))
          .file = file;
    }
  }

  // ---- How it was run ----

  void add_settings() {
    std::set<std::string> disabled;
    bool observes = false, records = false;
    for (const Process& process : log_.processes)
      for (const Start& start : process.starts) {
        if (start.disabled) disabled.insert(*start.disabled);
        observes |= start.mode == "observe";
        const auto chooses = [](const auto& entry) { return has_algorithms(entry); };
        records |= start.mode == "record" &&
                   (std::ranges::any_of(process.libraries, chooses, &Library::name) ||
                    std::ranges::any_of(process.coverage, [&](const Coverage& coverage) {
                      return chooses(coverage.library) && may_have_used(process, coverage.library);
                    }));
      }
    if (observes)
      add(VerdictLevel::unverified, "mode", "mode observe: nothing was changed",
          "run it with DETSHIM_SEED set and without DETSHIM_MODE");
    if (records)
      add(VerdictLevel::partly, "mode",
          "mode record: the algorithms of the CUDA libraries were left as the program chose them",
          "run it with DETSHIM_SEED set to this run's seed");
    for (const std::string& text : disabled)
      add(VerdictLevel::partly, "disabled", "switched off by DETSHIM_DISABLE=" + text, "unset it");
  }

  void add_processes() {
    std::vector<std::string> programs, answered, lost, unnamed;
    for (const Process& process : log_.processes) {
      const std::string program =
          process.starts.empty() ? process.file : base_name(process.starts.back().program);
      add_lost(process, program);
      // What it executed has a log of its own, draws nothing, or is a reason of its own.
      if (!process.came_to_its_end() && process.gave_up_rights.empty() && !was_ended_by_parent(log_, process))
        programs.push_back("rank " + std::to_string(process.rank) + " process " + process.path + " (" +
                           program + ")");
      if (process.starts.empty()) lost.push_back(process.file);
      const bool is_trapped = process.is_trapped;
      if (process.came_to_its_end() && process.modules.empty() && !is_trapped) unnamed.push_back(program);
      if (is_trapped && std::ranges::find(answered, program) == answered.end()) answered.push_back(program);
    }
    if (!unnamed.empty())
      add(VerdictLevel::unverified, "no_modules",
          "what " + some_of(unnamed) + " had loaded at the end is not in the log",
          "log it with this version of libdetshim.so");
    if (!programs.empty())
      add(VerdictLevel::unverified, "no_end",
          counted(programs.size(), "process", "processes") +
              " did not come to a recorded end (killed, or still running): " + some_of(programs),
          "if still running, ask again");
    if (!lost.empty())
      add(VerdictLevel::unverified, "no_start", "the start of " + some_of(lost) + " is lost").file =
          lost.front();
    if (!answered.empty())
      add(VerdictLevel::unverified, "trapped",
          "libdetshim.so is not in " + some_of(answered) +
              ": its system calls for entropy were answered, what it draws without one is not seen",
          "link it dynamically");
  }

  /// Ranks that a launcher started, as it told the others, and that no library was in.
  void add_missing_ranks() {
    for (const LoggedJob& job : jobs_of(log_)) {
      if (job.missing() == 0) continue;
      const std::string of = (job.launcher.empty() ? "" : " of " + job.launcher) +
                             (job.world.empty() ? "" : " (" + job.world + ")");
      add(VerdictLevel::unverified, "missing_ranks",
          job.size == 0 ? "no rank" + of + " had libdetshim.so"
                        : std::to_string(job.missing()) + " of " +
                              counted(static_cast<std::uint64_t>(job.size), "rank") + of +
                              " had no libdetshim.so: " + enumerated(job.missing_names()),
          "hand it to them (docs/LAUNCHERS.md)");
    }
  }

  /// What such a process drew is in no log, and its parent cannot know whether it drew.
  void add_lost(const Process& process, const std::string& program) {
    const char* const remedy = "run it as the user, and under the root, that the log's folder belongs to";
    for (const Lost& lost : process.lost)
      add(VerdictLevel::unverified, "no_log",
          lost.program + " (process " + lost.path + ") left no log: " + reason_text(lost.why), remedy)
          .file = lost.program;
    const bool is_named = std::ranges::find(process.lost, process.pid, &Lost::pid) != process.lost.end();
    if (!process.gave_up_rights.empty() && !process.end && !is_named)
      add(VerdictLevel::unverified, "no_log",
          "process " + process.path + " (" + program + ") called " + process.gave_up_rights +
              "; what it was or executed from then on left no log",
          remedy);
  }

  void add_libraries() {
    std::set<std::pair<std::string, std::string>> uncovered, said;
    for (const Process& process : log_.processes) {
      for (std::size_t i = 0; i < process.libraries.size(); ++i) {
        const Library& library = process.libraries[i];
        const bool is_named = std::ranges::any_of(process.coverage, [&](const Coverage& coverage) {
          return coverage.library == library.name &&
                 std::ranges::find(coverage.files, library.file) != coverage.files.end();
        });
        // A process that did not end says so already.
        const bool is_before_exec = i < process.libraries_before_exec;
        if (is_before_exec || (!is_named && process.came_to_its_end()))
          uncovered.insert({library.name, library.file});
      }
      for (const std::string& file : process.modules)
        if (const std::string library = cuda_library_of(file);
            !library.empty() && process.came_to_its_end() && may_have_used(process, library))
          if (std::ranges::find(process.coverage, library, &Coverage::library) == process.coverage.end())
            uncovered.insert({library, file});
      for (const Coverage& coverage : process.coverage)
        if (may_have_used(process, coverage.library)) add_coverage(coverage, said);
    }
    for (const auto& [library, file] : uncovered) {
      VerdictReason& reason =
          add(VerdictLevel::unverified, "no_coverage",
              library + ": " + file +
                  " was not there any more when the process ended, or another program was executed: "
                  "what was bound past its hooks is not known");
      reason.library = library;
      reason.file = file;
    }
  }

  void add_coverage(const Coverage& coverage, std::set<std::pair<std::string, std::string>>& said) {
    if (coverage.files.empty()) return;
    if (coverage.hooks == 0 && said.insert({coverage.library, coverage.files.front()}).second) {
      VerdictReason& reason = add(VerdictLevel::unverified, "no_hooks",
                                  coverage.library + ": " + coverage.files.front() +
                                      " has none of the functions that detshim hooks");
      reason.library = coverage.library;
      reason.file = coverage.files.front();
    }
    std::map<std::string, std::string> by_name;
    for (const std::string& file : coverage.files) {
      const auto [first, is_new] = by_name.try_emplace(base_name(file), file);
      if (is_new || !said.insert({first->second, file}).second) continue;
      VerdictReason& reason = add(VerdictLevel::unverified, "two_copies",
                                  coverage.library + ": two copies are loaded, " + first->second + " and " +
                                      file + ": whose functions a call reached is not known",
                                  "load one");
      reason.library = coverage.library;
      reason.file = file;
    }
  }

  /// False if a later version exports what the list has and no more, or if what it has besides was used,
  /// which is a reason of its own.
  bool may_have_new_functions(const Library& library) const {
    const auto is_said = [&](const VerdictReason& reason) {
      return std::string_view(reason.kind) == "new_function" && reason.library == library.name;
    };
    if (std::ranges::any_of(verdict_.reasons, is_said)) return false;
    const auto symbols = std::ranges::find(code_.cuda, library.file, &CudaSymbols::file);
    return symbols == code_.cuda.end() || !symbols->unknown.empty();
  }

  void add_versions() {
    for (const Library& library : summary_.libraries) {
      const KnownFunctions* const known = known_functions(library.name);
      if (known == nullptr) continue;
      const std::string version(known->version);
      if (library.version && !is_later(*library.version, version)) continue;
      if (library.version && !may_have_new_functions(library)) continue;
      VerdictReason& reason =
          add(VerdictLevel::unverified, "version",
              library.name + ": " + library.file +
                  (library.version ? " is of version " + *library.version + ", later than " + version +
                                         ", with which this detshim was written"
                                   : " does not say its version"),
              library.version ? "take a later detshim, or compare two runs" : "");
      reason.library = library.name;
      reason.file = library.file;
    }
  }

  void add_damage() {
    std::size_t torn = 0; // of processes that ended: the others are named already
    for (const Process& process : log_.processes) torn += process.has_torn_line && process.end ? 1 : 0;
    if (log_.damaged_lines + torn > 0)
      add(VerdictLevel::unverified, "damaged",
          counted(log_.damaged_lines + torn, "line") + " of the log cannot be read");
    for (const OtherFormatFile& file : log_.other_format_files)
      add(VerdictLevel::unverified, "other_format",
          file.file + " is of log format " + std::to_string(file.format) +
              ", which this detshim does not read",
          "read it with the detshim that wrote it")
          .file = file.file;
    for (const std::string& file : log_.unreadable_files)
      add(VerdictLevel::unverified, "unreadable", file + " cannot be read").file = file;
  }

  const Log& log_;
  const Summary& summary_;
  const LoadedCode& code_;
  Verdict verdict_;
};

} // namespace

const char* level_name(VerdictLevel level) {
  switch (level) {
  case VerdictLevel::covered:
    return "covered";
  case VerdictLevel::unverified:
    return "unverified";
  case VerdictLevel::partly:
    break;
  }
  return "partly";
}

bool Verdict::passes_check() const {
  return !has_refused && std::ranges::all_of(reasons, [](const VerdictReason& reason) {
    return std::string_view(reason.kind) == not_decoded;
  });
}

std::string subject_of(const VerdictReason& reason) {
  if (!reason.function.empty()) return reason.function;
  return reason.file.empty() ? reason.library : base_name(reason.file);
}

bool is_acceptance(const std::string& name) {
  const std::size_t colon = name.find(':');
  return std::ranges::find(kinds, std::string_view(name).substr(0, colon)) != kinds.end() &&
         (colon == std::string::npos || colon + 1 < name.size());
}

Verdict make_verdict(const Log& log, const Summary& summary, const LoadedCode& code,
                     const std::vector<std::string>& accepted) {
  return VerdictBuilder(log, summary, code).build(accepted);
}

} // namespace detshim
