// CUDA's libraries and code for a GPU.
//
// Decides by the files that were loaded, by the functions that they define, export or ask for, and
// by what each process bound or looked up: copies that no hook is in front of, functions without a
// hook, libraries whose hooks were not in front, versions later than the lists of functions. It
// cannot know whether a function that was bound was called, nor what a library does in it: NVIDIA's
// word decides, and where it gives none, a comparison of runs.
#include "verdict/cuda_findings.h"

#include "support/wording.h"

#include <array>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace detshim {
namespace {

/// NVIDIA's compilers for programs that bring their kernels as text (Triton, Numba, CuPy,
/// torch.compile), and Triton's own.
bool compiles_kernels(const std::string& file) {
  return starts_with_any_of(file, {"libnvrtc.so", "libnvvm.so", "libtriton"});
}

/// Files with kernels of PyTorch's own, as its wheels and Debian's packages have them; and the
/// compilers that are loaded with them. libtriton is not: Inductor loads it, but so does a program
/// with kernels of its own.
bool is_part_of_torch(const std::string& file) {
  return starts_with_any_of(file, {"libtorch_cuda", "libtorch_nvshmem", "libc10_cuda",
                                   "libcaffe2_nvrtc", "libnvrtc.so", "libnvrtc-builtins",
                                   "libnvJitLink.so", "libcusparseLt.so", "libnvshmem_host.so"});
}

/// True for what hands kernels as text to the same compilers.
bool brings_kernels_as_text(const std::string& file) {
  return std::ranges::any_of(std::to_array({"/cupy", "/numba", "/pycuda", "/warp/", "libtriton"}),
                             [&](const char* part) {
                               return file.find(part) != std::string::npos;
                             });
}

/// True if PyTorch takes deterministic implementations in the process, and says of those that have
/// none: the documentation of torch.use_deterministic_algorithms answers for its kernels then.
bool torch_is_deterministic(const Process& process) {
  bool is_on = false;
  for (const Framework& framework : process.frameworks) {
    if (framework.name != "torch")
      continue;
    if (!framework.is_deterministic)
      return false;
    is_on = true;
  }
  return is_on;
}

/// True unless the process certainly had no GPU: what it had loaded is known, and the driver's
/// library, without which nothing reaches one, is not among it.
bool may_have_had_gpu(const Process& process) {
  if (process.modules.empty())
    return true;
  return std::ranges::any_of(process.modules,
                             [](const std::string& file) {
                               return base_name(file).starts_with("libcuda.so");
                             }) ||
         contains(process.libraries, "cuda", &Library::name);
}

bool had_file(const Process& process, const std::string& file) {
  return contains(process.modules, file) || contains(process.starts, file, &Start::program);
}

/// True if no process that may have had a GPU had `file` loaded, or `file` is of a library that
/// decides nothing without one. A process that was killed may have had any file.
bool is_idle(const Log& log, const std::string& file, const std::string& library) {
  return std::ranges::none_of(log.processes, [&](const Process& process) {
    return (process.modules.empty() || had_file(process, file)) && may_have_used(process, library);
  });
}

/// True if a framework answers for the kernels that `file` holds or compiles, in each process that
/// may have had it.
bool is_answered_for(const Log& log, const std::string& file) {
  if (!is_part_of_torch(base_name(file)))
    return false;
  return std::ranges::all_of(log.processes, [&](const Process& process) {
    return !process.modules.empty() &&
           (!contains(process.modules, file) ||
            (torch_is_deterministic(process) &&
             std::ranges::none_of(process.modules, brings_kernels_as_text)));
  });
}

// ---- Kernels and copies ----

/// True if what `file` holds or compiles may have run on a GPU, and no framework answers for it.
bool is_in_question(const Log& log, const std::string& file) {
  return !is_idle(log, file, "") && !is_answered_for(log, file);
}

/// True if some process of the log that had `file` loaded had no file of `library`.
bool is_without(const Log& log, const std::string& file, const std::string& library) {
  return std::ranges::any_of(log.processes, [&](const Process& process) {
    return had_file(process, file) && !contains(process.coverage, library, &Coverage::library);
  });
}

bool loads_algorithms(const Log& log, const std::string& file) {
  return std::ranges::any_of(log.processes, [&](const Process& process) {
    return contains(process.modules, file) &&
           std::ranges::any_of(process.coverage, has_algorithms, &Coverage::library);
  });
}

void find_copies(const VerdictInputs& inputs, Findings& findings) {
  const Log& log = inputs.log;
  for (const CudaSymbols& symbols : inputs.code.cuda) {
    const std::string& file = symbols.file;
    const bool is_unused = !is_in_question(log, file);
    for (const LinkedCopy& copy : symbols.copies)
      // Beside the library it may be a stub that hands on to it, as TensorFlow's, and those calls
      // are hooked.
      if (!is_idle(log, file, copy.library))
        findings.add({.finding = is_without(log, file, copy.library) ? Finding::linked_copy
                                                                     : Finding::copy_or_stub,
                      .library = copy.library,
                      .function = copy.first,
                      .file = file,
                      .count = copy.functions - 1});
    if (symbols.copies.empty() && symbols.has_kernels && !symbols.has_symbol_table && !is_unused &&
        !loads_algorithms(log, file))
      findings.add({.finding = Finding::no_symbols, .file = file});
  }
}

/// Files with code for a GPU that the program may have launched, and that nobody answers for.
std::vector<std::string> files_with_kernels(const VerdictInputs& inputs) {
  std::vector<std::string> files;
  for (const CudaSymbols& symbols : inputs.code.cuda)
    if (symbols.has_kernels && is_in_question(inputs.log, symbols.file))
      files.push_back(symbols.file);
  return files;
}

/// What of NVIDIA's was loaded by processes that may have had a GPU, and that nobody answers for.
struct LoadedOfNvidia {
  std::set<std::string> compilers; ///< that make kernels as the program runs
  std::set<std::string> open;      ///< libraries of which NVIDIA promises nothing

  explicit LoadedOfNvidia(const Log& log) {
    for (const Process& process : log.processes)
      for (const std::string& file : process.modules)
        add(log, file);
  }

private:
  void add(const Log& log, const std::string& file) {
    const NvidiaLibrary* const library = find_nvidia_library(base_name(file));
    const bool is_open = library != nullptr && library->kind == NvidiaLibraryKind::open;
    const bool is_compiler = compiles_kernels(base_name(file));
    if ((!is_open && !is_compiler) || !is_in_question(log, file))
      return;
    if (is_open)
      open.insert(file);
    if (is_compiler)
      compilers.insert(file);
  }
};

// ---- Functions without a hook ----

/// A use of a CUDA library's functions that have no hook.
struct Use {
  std::vector<std::string> functions;
  const FunctionClass* of = nullptr; ///< what they have in common; nullptr: they are in no list
};
using Uses =
    std::map<std::tuple<std::string, std::string, std::string_view>, Use>; ///< library, file, class

void add_use(Uses& uses, const Bound& bound, const KnownFunctions& known, const std::string& name) {
  const FunctionClass* const of = known.class_of(name);
  const bool is_new = of == nullptr && !known.has(name);
  if (!is_new && (of == nullptr || of->verdict != ClassVerdict::unverified))
    return;
  Use& use = uses[{bound.library, bound.by, is_new ? std::string_view() : of->name}];
  add_once(use.functions, name);
  use.of = of;
}

void add_uses(const Uses& uses, Finding open, Finding unknown, Findings& findings) {
  for (const auto& [key, use] : uses) {
    const auto& [library, file, name] = key;
    findings.add({.finding = use.of == nullptr ? unknown : open,
                  .library = library,
                  .function = use.functions.front(),
                  .file = file,
                  .detail = std::string(use.of == nullptr ? known_functions(library)->version
                                                          : use.of->reason),
                  .names = use.functions});
  }
}

/// References that were bound at the start, in one reason: a program that calls none of them has
/// them too.
void add_bound(const Uses& uses, Findings& findings) {
  if (uses.empty())
    return;
  const auto& [library, file, name] = uses.begin()->first;
  VerdictReason reason{.finding = Finding::open_functions_bound,
                       .library = library,
                       .function = uses.begin()->second.functions.front(),
                       .file = file};
  for (const auto& [key, use] : uses) {
    add_once(reason.names, std::get<1>(key));
    add_once(reason.others, std::get<0>(key));
    reason.count += use.functions.size();
  }
  findings.add(std::move(reason));
}

// ---- Coverage and versions ----

using Said = std::set<std::pair<std::string, std::string>>;

void add_coverage(const Coverage& coverage, Said& said, Findings& findings) {
  if (coverage.files.empty())
    return;
  if (coverage.hooks == 0 && said.insert({coverage.library, coverage.files.front()}).second)
    findings.add({.finding = Finding::none_of_the_hooks,
                  .library = coverage.library,
                  .file = coverage.files.front()});
  std::map<std::string, std::string> by_name;
  for (const std::string& file : coverage.files) {
    const auto [first, is_new] = by_name.try_emplace(base_name(file), file);
    if (!is_new && said.insert({first->second, file}).second)
      findings.add({.finding = Finding::two_copies,
                    .library = coverage.library,
                    .file = file,
                    .detail = first->second});
  }
}

/// Libraries of a process that answered calls, or were loaded, and of which no coverage record says
/// more.
void add_uncovered(const Process& process, Said& uncovered) {
  for (std::size_t i = 0; i < process.libraries.size(); ++i) {
    const Library& library = process.libraries[i];
    const bool is_named = std::ranges::any_of(process.coverage, [&](const Coverage& coverage) {
      return coverage.library == library.name && contains(coverage.files, library.file);
    });
    // A process that did not end is a reason already.
    if (i < process.libraries_before_exec || (!is_named && process.came_to_its_end()))
      uncovered.insert({library.name, library.file});
  }
  for (const std::string& file : process.modules)
    if (const std::string library = cuda_library_of(file);
        !library.empty() && process.came_to_its_end() && may_have_used(process, library) &&
        !contains(process.coverage, library, &Coverage::library))
      uncovered.insert({library, file});
}

/// False if a later version exports what the list has and no more, or if what it has besides was
/// used, which is a reason of its own.
bool may_have_new_functions(const VerdictInputs& inputs, const Findings& findings,
                            const Library& library) {
  const bool is_said = std::ranges::any_of(findings.reasons, [&](const VerdictReason& reason) {
    return reason.library == library.name && (reason.finding == Finding::new_function_bound ||
                                              reason.finding == Finding::new_function_looked_up);
  });
  const auto symbols = std::ranges::find(inputs.code.cuda, library.file, &CudaSymbols::file);
  return !is_said && (symbols == inputs.code.cuda.end() || !symbols->unknown.empty());
}

void find_versions(const VerdictInputs& inputs, Findings& findings) {
  for (const Library& library : inputs.summary.libraries) {
    const KnownFunctions* const known = known_functions(library.name);
    if (known == nullptr)
      continue;
    const std::string version(known->version);
    if (library.version && (!is_later(*library.version, version) ||
                            !may_have_new_functions(inputs, findings, library)))
      continue;
    findings.add({.finding = library.version ? Finding::later_version : Finding::unknown_version,
                  .library = library.name,
                  .file = library.file,
                  .detail = library.version.value_or(""),
                  .names = {version}});
  }
}

} // namespace

/// cuRAND has generators that draw without a GPU.
bool may_have_used(const Process& process, const std::string& library) {
  return library == "curand" || may_have_had_gpu(process) ||
         contains(process.libraries, library, &Library::name);
}

bool has_algorithms(const std::string& library) { return known_functions(library) != nullptr; }

void find_kernels(const VerdictInputs& inputs, Findings& findings) {
  find_copies(inputs, findings);
  std::vector<std::string> with_kernels = files_with_kernels(inputs);
  const LoadedOfNvidia loaded(inputs.log);
  const auto is_spoken_for = [&](const std::string& file) {
    return !cuda_library_of(file).empty() || find_nvidia_library(base_name(file)) != nullptr ||
           is_answered_for(inputs.log, file);
  };
  if (!judge_launched_kernels(inputs, with_kernels, is_spoken_for, findings)) {
    if (!loaded.compilers.empty())
      findings.add({.finding = Finding::kernel_compiler, .file = *loaded.compilers.begin()});
    findings.add_named(Finding::own_kernels, with_kernels,
                       with_kernels.empty() ? "" : with_kernels.front());
  }
  findings.own_kernels = std::move(with_kernels);
  for (const std::string& file : loaded.open)
    findings.add({.finding = Finding::open_library, .file = file});
}

void find_unhooked_functions(const VerdictInputs& inputs, Findings& findings) {
  // The loader binds a program's references when they are first called: one that is bound was
  // called then. What was opened later may have been bound at once (RTLD_NOW), as Python does it.
  const auto binds_when_called = [&](const std::string& file) {
    return !inputs.code.binds_now.contains(file) &&
           std::ranges::any_of(inputs.log.processes, [&](const Process& process) {
             return contains(process.starts, file, &Start::program);
           });
  };
  Uses called, looked_up, bound;
  for (const Process& process : inputs.log.processes)
    for (const Bound& use : process.bound) {
      const KnownFunctions* const known = known_functions(use.library);
      if (known == nullptr || !may_have_used(process, use.library))
        continue;
      Uses& uses = use.is_lookup ? looked_up : binds_when_called(use.by) ? called : bound;
      for (const std::string& name : use.functions)
        add_use(uses, use, *known, name);
    }
  add_uses(called, Finding::open_function_called, Finding::new_function_bound, findings);
  add_uses(looked_up, Finding::open_function_looked_up, Finding::new_function_looked_up, findings);
  add_bound(bound, findings);
}

void find_libraries(const VerdictInputs& inputs, Findings& findings) {
  Said uncovered, said;
  for (const Process& process : inputs.log.processes) {
    add_uncovered(process, uncovered);
    for (const Coverage& coverage : process.coverage)
      if (may_have_used(process, coverage.library))
        add_coverage(coverage, said, findings);
  }
  for (const auto& [library, file] : uncovered)
    findings.add({.finding = Finding::no_coverage, .library = library, .file = file});
  find_versions(inputs, findings);
}

void count_idle_libraries(const VerdictInputs& inputs, Findings& findings) {
  std::set<std::string> files;
  for (const Process& process : inputs.log.processes) {
    for (const std::string& file : process.modules)
      if (!cuda_library_of(file).empty() || compiles_kernels(base_name(file)))
        files.insert(file);
    if (may_have_had_gpu(process))
      return;
  }
  findings.idle_cuda_libraries = files.size();
}

} // namespace detshim
