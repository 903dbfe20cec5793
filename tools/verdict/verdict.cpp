#include "verdict/verdict.h"

#include "support/wording.h"
#include "verdict/known_functions.h"

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

/// The runtime and the driver decide nothing by themselves: only what is above them has algorithms.
bool has_algorithms(const std::string& library) { return known_functions(library) != nullptr; }

class VerdictBuilder {
public:
  VerdictBuilder(const Log& log, const Summary& summary, const LoadedCode& code)
      : log_(log), summary_(summary), code_(code) {}

  Verdict build(bool accepts_kernels) {
    add_calls();
    add_code();
    add_copies();
    find_launchers();
    if (!accepts_kernels) add_kernels();
    add_new_functions();
    add_open_functions();
    add_runtimes();
    add_settings();
    add_processes();
    add_libraries();
    add_versions();
    add_damage();
    std::ranges::stable_sort(verdict_.reasons,
                             [](const Reason& a, const Reason& b) { return a.level > b.level; });
    if (!verdict_.reasons.empty()) verdict_.level = verdict_.reasons.front().level;
    verdict_.has_refused = summary_.calls(Action::refuse) > 0;
    return std::move(verdict_);
  }

private:
  Reason& add(VerdictLevel level, const char* kind, std::string text, std::string remedy = {}) {
    verdict_.reasons.push_back({level, kind, std::move(text), std::move(remedy), {}, {}, {}});
    return verdict_.reasons.back();
  }

  // ---- What the log says that happened ----

  void add_calls() {
    for (const SymbolSummary& symbol : summary_.symbols)
      if (symbol.action == Action::unfixed || symbol.action == Action::uncovered) add_call(symbol);
    for (const Action action : {Action::unfixed, Action::uncovered})
      if (const auto lost = summary_.lost(action); lost > 0)
        add(VerdictLevel::partly, "lost_records",
            counted(lost, "call") + " counted as " + action_names[static_cast<std::size_t>(action)] +
                ", whose records are lost");
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
    Reason& reason = add(VerdictLevel::partly, is_unfixed ? "unfixed" : "uncovered",
                         symbol.library + ": " + symbol.function +
                             (is_unfixed ? " went ahead unfixed" : " took a way that detshim cannot hook") +
                             (symbol.reasons.empty() ? "" : ": " + symbol.reasons.front()));
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
      Reason& reason = add(VerdictLevel::partly, "unfixed",
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
    Reason& reason = from == function_of
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

  // ---- What its files say that can happen ----

  void add_code() {
    if (const std::size_t places = code_.own_places(); places > 0) {
      const FileScan& first = code_.uncovered.front();
      Reason& reason =
          add(VerdictLevel::partly, "code",
              counted(places, "place") + " in loaded code can draw past every hook" +
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
      if (symbols.has_kernels) verdict_.own_kernels.push_back(symbols.file);
      for (const LinkedCopy& copy : symbols.copies) add_copy(symbols.file, copy);
      if (symbols.copies.empty() && symbols.has_kernels && !symbols.has_symbol_table &&
          !loads_algorithms(symbols.file))
        add(VerdictLevel::unverified, "no_symbols",
            symbols.file + " has code for a GPU and no symbol table: whether a CUDA library is linked into "
                           "it cannot be told",
            "do not strip it")
            .file = symbols.file;
    }
  }

  static constexpr const char* kernels_remedy =
      "compare two runs; `detshim log --accept-kernels` once they are known to be deterministic";

  /// NVIDIA's compilers for programs that bring their kernels as text (Triton, Numba, CuPy, torch.compile),
  /// and Triton's own.
  static bool compiles_kernels(const std::string& file) {
    return std::ranges::any_of(std::to_array({"libnvrtc.so", "libnvJitLink.so", "libnvvm.so", "libtriton"}),
                               [&](const char* start) { return file.starts_with(start); });
  }

  /// With DETSHIM_KERNELS=1 launches are in the log, also of kernels that no file holds.
  void find_launchers() {
    for (const SymbolSummary& symbol : summary_.symbols) {
      if ((symbol.library != "cuda" && symbol.library != "cudart") ||
          symbol.function.find("Launch") == std::string::npos)
        continue;
      for (const CallPlace& place : symbol.places) {
        const std::string file = place.at.substr(0, place.at.rfind('+'));
        if (file.starts_with('/') && cuda_library_of(file).empty() &&
            std::ranges::find(verdict_.own_kernels, file) == verdict_.own_kernels.end())
          verdict_.own_kernels.push_back(file);
      }
    }
  }

  /// A sum by atomics in a kernel differs from run to run, and no call tells. A verdict that said nothing of
  /// it would be read as a promise.
  void add_kernels() {
    std::set<std::string> compilers;
    for (const Process& process : log_.processes)
      for (const std::string& file : process.modules)
        if (compiles_kernels(base_name(file))) compilers.insert(file);
    if (!compilers.empty())
      add(VerdictLevel::unverified, "kernels",
          *compilers.begin() + " is loaded, which compiles kernels as the program runs: whether they add "
                               "floating-point numbers "
                               "by atomics cannot be told",
          kernels_remedy)
          .file = *compilers.begin();
    if (verdict_.own_kernels.empty()) return;
    add(VerdictLevel::unverified, "kernels",
        some_of(verdict_.own_kernels) +
            (verdict_.own_kernels.size() == 1 ? " has kernels" : " have kernels") +
            ": whether they add floating-point numbers by atomics cannot be told",
        kernels_remedy)
        .file = verdict_.own_kernels.front();
  }

  void add_copy(const std::string& file, const LinkedCopy& copy) {
    const std::string what =
        copy.library + ": " + copy.first +
        (copy.functions > 1 ? " and " + counted(copy.functions - 1, "more function") : "");
    // Beside the library it may be a stub that hands on to it, as TensorFlow's, and those calls are hooked.
    Reason& reason =
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

  void add_new_functions() {
    for (const CudaSymbols& symbols : code_.cuda) {
      if (symbols.unknown.empty()) continue;
      std::vector<std::string> users, used;
      for (const std::string& name : symbols.unknown)
        for (const CudaSymbols& other : code_.cuda)
          if (other.asks_for.contains(name)) {
            if (used.empty() || used.back() != name) used.push_back(name);
            if (std::ranges::find(users, other.file) == users.end()) users.push_back(other.file);
          }
      const std::string known = std::string(known_functions(symbols.library)->version);
      Reason& reason =
          used.empty()
              ? add(VerdictLevel::unverified, "new_function",
                    symbols.file + " has " + counted(symbols.unknown.size(), "function") +
                        " that this detshim (" + symbols.library + " " + known +
                        ") does not know: " + some_of(symbols.unknown) +
                        "; nothing that was loaded is linked to them, whether one was looked up is not known",
                    "take a detshim that knows it, or compare two runs")
              : add(VerdictLevel::partly, "new_function",
                    some_of(users) + " is linked to " + some_of(used) + " of " + symbols.file +
                        ", which this detshim (" + symbols.library + " " + known + ") does not know",
                    "take a detshim that knows it, or compare two runs");
      reason.library = symbols.library;
      reason.function = used.empty() ? symbols.unknown.front() : used.front();
      reason.file = symbols.file;
    }
  }

  /// Functions that are known, and of which it is known that nobody says whether they repeat.
  void add_open_functions() {
    struct Open {
      std::vector<std::string> functions;
      bool is_lookup = true; ///< by lookups alone
      const FunctionClass* of = nullptr;
    };
    std::map<std::tuple<std::string, std::string, std::string_view>, Open> all; // library, file, class
    for (const Process& process : log_.processes)
      for (const Bound& bound : process.bound) {
        const KnownFunctions* const known = known_functions(bound.library);
        for (const std::string& name : bound.functions) {
          const FunctionClass* const of = known == nullptr ? nullptr : known->class_of(name);
          if (of == nullptr || of->verdict == "harmless" || of->verdict == "told") continue;
          Open& open = all[{bound.library, bound.by, of->name}];
          if (std::ranges::find(open.functions, name) == open.functions.end()) open.functions.push_back(name);
          open.is_lookup &= bound.is_lookup;
          open.of = of;
        }
      }
    for (const auto& [key, open] : all) {
      const auto& [library, file, name] = key;
      Reason& reason =
          add(VerdictLevel::unverified, "open_function",
              library + ": " + (file.empty() ? std::string("the program") : file) +
                  (open.is_lookup ? " has looked up " : " is bound to ") + some_of(open.functions) +
                  ", which detshim does not hook: " + std::string(open.of->reason),
              "compare two runs");
      reason.library = library;
      reason.function = open.functions.front();
      reason.file = file;
    }
  }

  /// What seeds itself from a clock or from the processor: whether the program drew from it, nobody can tell.
  void add_runtimes() {
    std::set<std::pair<std::string, std::string>> all;
    for (const Process& process : log_.processes)
      for (const Runtime& runtime : process.runtimes) all.emplace(runtime.file, runtime.why);
    for (const auto& [file, why] : all)
      add(VerdictLevel::unverified, "runtime", base_name(file) + ": " + why,
          "give it a seed, or compare two runs")
          .file = file;
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
        records |=
            start.mode == "record" && (std::ranges::any_of(process.libraries, chooses, &Library::name) ||
                                       std::ranges::any_of(process.coverage, chooses, &Coverage::library));
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

  /// True if the process went on as another program ("0" as "0e"), which kept its id.
  bool has_executed(const Process& process) const {
    return std::ranges::any_of(log_.processes, [&](const Process& other) {
      return other.pid == process.pid && other.rank == process.rank && other.path.starts_with(process.path) &&
             other.path.substr(process.path.size()).starts_with('e');
    });
  }

  void add_processes() {
    std::vector<std::string> programs, answered, lost, unnamed;
    for (const Process& process : log_.processes) {
      const std::string program =
          process.starts.empty() ? process.file : base_name(process.starts.back().program);
      add_lost(process, program);
      if (!process.end && !has_executed(process) && process.gave_up_rights.empty())
        programs.push_back("rank " + std::to_string(process.rank) + " process " + process.path + " (" +
                           program + ")");
      if (process.starts.empty()) lost.push_back(process.file);
      const bool is_trapped = process.is_trapped;
      if (process.end && process.modules.empty() && !is_trapped) unnamed.push_back(program);
      if (is_trapped && std::ranges::find(answered, program) == answered.end()) answered.push_back(program);
    }
    if (!unnamed.empty())
      add(VerdictLevel::unverified, "no_modules",
          "what " + some_of(unnamed) + " had loaded at the end is not in the log",
          "log it with this version of libdetshim.so");
    if (!programs.empty())
      add(VerdictLevel::unverified, "no_end",
          counted(programs.size(), "process", "processes") +
              " did not come to a recorded end (killed, or still running): " + some_of(programs));
    if (!lost.empty())
      add(VerdictLevel::unverified, "no_start", "the start of " + some_of(lost) + " is lost").file =
          lost.front();
    if (!answered.empty())
      add(VerdictLevel::unverified, "trapped",
          "libdetshim.so is not in " + some_of(answered) +
              ": its system calls for entropy were answered, what it draws without one is not seen",
          "link it dynamically");
  }

  /// What such a process drew is in no log, and its parent cannot know whether it drew.
  void add_lost(const Process& process, const std::string& program) {
    const char* const remedy = "run it as the user, and under the root, that the log's folder belongs to";
    for (const Lost& lost : process.lost)
      add(VerdictLevel::unverified, "no_log",
          lost.program + " (process " + lost.path + ") left no log: " + lost.why, remedy)
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
        const bool is_before_exec = i < process.libraries_before_exec || has_executed(process);
        if (is_before_exec || (!is_named && process.end)) uncovered.insert({library.name, library.file});
      }
      for (const std::string& file : process.modules)
        if (const std::string library = cuda_library_of(file); !library.empty() && process.end)
          if (std::ranges::find(process.coverage, library, &Coverage::library) == process.coverage.end())
            uncovered.insert({library, file});
      for (const Coverage& coverage : process.coverage) add_coverage(coverage, said);
    }
    for (const auto& [library, file] : uncovered) {
      Reason& reason =
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
      Reason& reason = add(VerdictLevel::unverified, "no_hooks",
                           coverage.library + ": " + coverage.files.front() +
                               " has none of the functions that detshim hooks");
      reason.library = coverage.library;
      reason.file = coverage.files.front();
    }
    std::map<std::string, std::string> by_name;
    for (const std::string& file : coverage.files) {
      const auto [first, is_new] = by_name.try_emplace(base_name(file), file);
      if (is_new || !said.insert({first->second, file}).second) continue;
      Reason& reason = add(VerdictLevel::unverified, "two_copies",
                           coverage.library + ": two copies are loaded, " + first->second + " and " + file +
                               ": whose functions a call reached is not known",
                           "load one");
      reason.library = coverage.library;
      reason.file = file;
    }
  }

  void add_versions() {
    for (const Library& library : summary_.libraries) {
      const KnownFunctions* const known = known_functions(library.name);
      if (known == nullptr) continue;
      const std::string version(known->version);
      if (library.version && !is_later(*library.version, version)) continue;
      Reason& reason = add(VerdictLevel::unverified, "version",
                           library.name + ": " + library.file +
                               (library.version ? " is of version " + *library.version + ", later than " +
                                                      version + ", with which this detshim was written"
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
    for (const NewerFile& file : log_.newer_files)
      add(VerdictLevel::unverified, "newer_format",
          file.file + " is of log format " + std::to_string(file.format) +
              ", which this detshim does not read",
          "read it with a later detshim")
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
  return !has_refused && std::ranges::all_of(reasons, [](const Reason& reason) {
    return std::string_view(reason.kind) == not_decoded;
  });
}

Verdict make_verdict(const Log& log, const Summary& summary, const LoadedCode& code, bool accepts_kernels) {
  return VerdictBuilder(log, summary, code).build(accepts_kernels);
}

} // namespace detshim
