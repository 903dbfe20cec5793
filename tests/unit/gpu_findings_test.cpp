// What the verdict makes of files with code for a GPU and of launched kernels, by logs that no
// machine without a GPU writes.
#include "files.h"
#include "support/hash.h"
#include "verdict/finders.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace detshim {

// How a test that fails prints a finding.
static void PrintTo(Finding finding, std::ostream* out) {
  constexpr const char* names[] = {
#define DETSHIM_TEST_NAME(finding, ...) #finding,
      DETSHIM_FINDINGS(DETSHIM_TEST_NAME)
#undef DETSHIM_TEST_NAME
  };
  *out << names[static_cast<std::size_t>(finding)];
}

namespace {

using FileNames = std::vector<std::string>;
using FindingList = std::vector<Finding>;

const std::string plugin_file = "/home/me/plugin.so";
const std::string driver_file = "/usr/lib/libcuda.so.1";

// ---- which files count ----

/// A process of a log; `files`: that were loaded at its end, empty where it was killed.
Process process_with(const FileNames& files, const FileNames& libraries = {}) {
  Process process;
  process.modules = SharedTexts(std::make_shared<const FileNames>(files));
  for (const std::string& library : libraries)
    process.libraries.push_back({.name = library, .file = "lib" + library + ".so", .version = {}});
  return process;
}

Process program_with(const std::string& program, const FileNames& files) {
  Process process = process_with(files);
  process.starts.emplace_back().program = program;
  return process;
}

Process beside(Process process, const std::string& library) {
  process.coverage.push_back(
      {.library = library, .files = {"lib" + library + ".so"}, .hooks = 1, .missing = {}});
  return process;
}

FindingList found_by(void (*find)(const VerdictInputs&, Findings&), const Log& log,
                     const Summary& summary = {}, const LoadedCode& code = {}) {
  Findings findings;
  find({log, summary, code}, findings);
  FindingList found;
  for (const VerdictReason& reason : findings.reasons)
    found.push_back(reason.finding);
  return found;
}

Log log_with(const std::vector<Process>& processes) {
  Log log;
  log.processes = processes;
  return log;
}

FindingList found_in(const std::vector<Process>& processes, const CudaSymbols& symbols) {
  Log log;
  log.processes = processes;
  LoadedCode code;
  code.cuda = {symbols};
  Findings findings;
  find_kernels({log, Summary(), code}, findings);
  FindingList found;
  for (const VerdictReason& reason : findings.reasons) {
    EXPECT_EQ(reason.file, plugin_file);
    found.push_back(reason.finding);
  }
  EXPECT_EQ(findings.own_kernels,
            found.empty() || !symbols.has_kernels ? FileNames() : FileNames{plugin_file});
  return found;
}

CudaSymbols with_copy(const std::string& library) {
  CudaSymbols symbols;
  symbols.file = plugin_file;
  symbols.copies = {{.library = library, .first = library + "Create", .functions = 3}};
  symbols.has_symbol_table = true;
  return symbols;
}

CudaSymbols with_kernels(bool has_symbol_table) {
  CudaSymbols symbols;
  symbols.file = plugin_file;
  symbols.has_kernels = true;
  symbols.has_symbol_table = has_symbol_table;
  return symbols;
}

/// A run, and what is found of a plugin with a copy of cuBLAS, a copy of cuRAND, or kernels.
struct UseCase {
  const char* name;
  std::vector<Process> processes;
  FindingList cublas, curand;
  bool has_used_kernels;
};

const FindingList nothing_found, is_copy = {Finding::linked_copy},
                                 may_be_copy = {Finding::copy_or_stub};

const std::vector<UseCase>& use_cases() {
  static const std::vector<UseCase> cases = {
      {"no process", {}, nothing_found, nothing_found, false},
      {"loaded, on a machine with a GPU",
       {process_with({plugin_file, driver_file})},
       is_copy,
       is_copy,
       true},
      {"another driver's file name",
       {process_with({plugin_file, "/usr/lib/libcudart.so.12"})},
       nothing_found,
       is_copy,
       false},
      // cuRAND has generators that draw without a GPU.
      {"loaded, without a GPU", {process_with({plugin_file})}, nothing_found, is_copy, false},
      {"not loaded", {process_with({driver_file})}, nothing_found, nothing_found, false},
      {"the program itself", {program_with(plugin_file, {driver_file})}, is_copy, is_copy, true},
      {"the program itself, without a GPU",
       {program_with(plugin_file, {"libc.so.6"})},
       nothing_found,
       is_copy,
       false},
      // A process that was killed may have had any file, and any GPU.
      {"killed", {process_with({})}, may_be_copy, may_be_copy, true},
      {"killed, of the program", {program_with(plugin_file, {})}, is_copy, is_copy, true},
      {"killed, beside one that ended",
       {process_with({driver_file}), process_with({})},
       may_be_copy,
       may_be_copy,
       true},
      // It has to be one process that had the file and a GPU.
      {"loaded by one, a GPU for another",
       {process_with({plugin_file}), process_with({driver_file})},
       nothing_found,
       is_copy,
       false},
      {"loaded by two, a GPU for one",
       {process_with({plugin_file}), process_with({plugin_file, driver_file})},
       is_copy,
       is_copy,
       true},
      // Calls that were answered say that there was one.
      {"the driver was called", {process_with({plugin_file}, {"cuda"})}, is_copy, is_copy, true},
      {"cuBLAS was called", {process_with({plugin_file}, {"cublas"})}, is_copy, is_copy, false},
      // Beside the library the copy may be a stub.
      {"loaded beside cuBLAS",
       {beside(process_with({plugin_file, driver_file}), "cublas")},
       may_be_copy,
       is_copy,
       true},
  };
  return cases;
}

TEST(GpuFiles, CountWhereAProcessMayHaveUsedThem) {
  for (const UseCase& of : use_cases()) {
    SCOPED_TRACE(of.name);
    EXPECT_EQ(found_in(of.processes, with_copy("cublas")), of.cublas);
    EXPECT_EQ(found_in(of.processes, with_copy("curand")), of.curand);
    EXPECT_EQ(found_in(of.processes, with_kernels(true)),
              of.has_used_kernels ? FindingList{Finding::own_kernels} : nothing_found);
  }
}

TEST(GpuFiles, WithoutSymbolsAreNamedWhereAProcessMayHaveUsedThem) {
  const FindingList both = {Finding::no_symbols, Finding::own_kernels};
  EXPECT_EQ(found_in({process_with({})}, with_kernels(false)), both);
  EXPECT_EQ(found_in({process_with({plugin_file, driver_file})}, with_kernels(false)), both);
  EXPECT_EQ(found_in({process_with({plugin_file})}, with_kernels(false)), nothing_found);
}

TEST(GpuFiles, WithoutSymbolsSayNothingBesideALibraryThatChooses) {
  const Process process = process_with({plugin_file, driver_file});
  EXPECT_EQ(found_in({beside(process, "cublas")}, with_kernels(false)),
            FindingList{Finding::own_kernels});
  EXPECT_EQ(found_in({beside(process, "cudart")}, with_kernels(false)),
            (FindingList{Finding::no_symbols, Finding::own_kernels}));
  CudaSymbols without_kernels = with_kernels(false);
  without_kernels.has_kernels = false;
  EXPECT_EQ(found_in({process}, without_kernels), nothing_found);
}

TEST(GpuFiles, WithACopyCountItsFurtherFunctions) {
  LoadedCode code;
  code.cuda = {with_copy("cublas")};
  Findings findings;
  find_kernels({log_with({process_with({plugin_file, driver_file})}), Summary(), code}, findings);
  ASSERT_EQ(findings.reasons.size(), 1U);
  EXPECT_EQ(findings.reasons[0].count, 2U);
}

/// PyTorch's kernels, in a process that has these files besides.
Process with_torch(FileNames files, const std::vector<bool>& are_deterministic) {
  files.insert(files.end(), {"/x/libtorch_cuda.so", driver_file});
  Process process = process_with(files);
  for (const bool is_deterministic : are_deterministic)
    process.frameworks.push_back({"torch", "", is_deterministic});
  return process;
}

// PyTorch answers for its own kernels in each process that may have had them.
TEST(GpuFiles, OfPyTorchAreAnsweredForWhereItIsDeterministic) {
  Process of_another = with_torch({}, {});
  of_another.frameworks.push_back({"tensorflow", "", true});
  Process beside_another = with_torch({}, {true});
  beside_another.frameworks.push_back({"tensorflow", "", false});
  const struct {
    std::vector<Process> processes;
    bool is_answered_for;
  } cases[] = {
      {{with_torch({}, {})}, false},
      {{with_torch({}, {true})}, true},
      {{with_torch({}, {false})}, false},
      {{with_torch({}, {true, false})}, false},
      {{of_another}, false},
      {{beside_another}, true},
      {{with_torch({}, {true}), with_torch({}, {})}, false},
      {{with_torch({}, {true}), process_with({driver_file})}, true},
      {{with_torch({}, {true}), process_with({})}, false}, // killed
      {{with_torch({"/x/cupy/core.so"}, {true})}, false},
      {{with_torch({"/x/libtriton.so"}, {true})}, false},
      {{with_torch({"/x/numpy/core.so"}, {true})}, true},
      {{with_torch({}, {true}), process_with({"/x/cupy/core.so", driver_file})}, true},
  };
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    LoadedCode code;
    code.cuda = {with_kernels(true)};
    code.cuda[0].file = "/x/libtorch_cuda.so";
    const FindingList found = found_by(find_kernels, log_with(cases[i].processes), {}, code);
    EXPECT_EQ(contains(found, Finding::own_kernels), !cases[i].is_answered_for) << i;
  }
}

TEST(GpuFiles, OfNvidiaAreOpenOrCompileKernels) {
  const std::pair<const char*, FindingList> files[] = {
      {"/x/libcusparseLt.so.0", {Finding::open_library}},
      {"/x/libcutensor.so.2", {Finding::open_library}},
      {"/x/libnvJitLink.so.12", {}},
      {"/x/libcusparse.so.12", {}},
      {"/x/libnvrtc.so.12", {Finding::kernel_compiler}},
      {"/x/libtriton.so", {Finding::kernel_compiler}},
      {"/x/libmine.so", {}}};
  for (const auto& [file, found] : files) {
    EXPECT_EQ(found_by(find_kernels, log_with({process_with({file, driver_file})})), found) << file;
    EXPECT_EQ(found_by(find_kernels, log_with({process_with({file})})), nothing_found) << file;
  }
}

TEST(GpuFiles, AreIdleWhereNoProcessHadAGpu) {
  const auto idle = [](const std::vector<Process>& processes) {
    Findings findings;
    count_idle_libraries({log_with(processes), Summary(), LoadedCode()}, findings);
    return findings.idle_cuda_libraries;
  };
  EXPECT_EQ(idle({process_with({"/x/libcublas.so.12", "/x/libnvrtc.so.12", "/x/libmine.so"})}), 2U);
  EXPECT_EQ(idle({process_with({"/x/libcublas.so.12"}), process_with({"/x/libcublas.so.12"})}), 1U);
  EXPECT_EQ(idle({process_with({"/x/libcublas.so.12"}), process_with({driver_file})}), 0U);
  EXPECT_EQ(idle({process_with({"/x/libcublas.so.12"}), process_with({})}), 0U);
}

// ---- functions without a hook ----

/// A function of cuBLAS of that class; of one that has a hook where it is nullptr.
std::string function_of(const ClassVerdict* verdict) {
  const KnownFunctions& known = *known_functions("cublas");
  for (const KnownFunction& function : known.functions) {
    const FunctionClass* const of = known.class_of(function.name);
    if (verdict == nullptr ? of == nullptr : of != nullptr && of->verdict == *verdict)
      return std::string(function.name);
  }
  ADD_FAILURE() << "no such function";
  return "";
}

TEST(UnhookedFunctions, AreFindingsByTheirClassAndHowTheyAreUsed) {
  constexpr ClassVerdict harmless = ClassVerdict::harmless, open = ClassVerdict::unverified;
  const std::string program = "/bin/train", plugin = "/x/plugin.so";
  const auto found = [&](const std::string& function, const std::string& by, bool is_lookup,
                         bool binds_now = false, const std::string& library = "cublas",
                         const std::string& driver = driver_file) {
    Process process = program_with(program, {driver});
    process.bound = {{library, by, is_lookup, {function}}};
    LoadedCode code;
    if (binds_now)
      code.binds_now = {program};
    return found_by(find_unhooked_functions, log_with({process}), {}, code);
  };
  using enum Finding;
  for (const std::string& function : {function_of(nullptr), function_of(&harmless)})
    for (const bool is_lookup : {false, true})
      EXPECT_EQ(found(function, program, is_lookup), nothing_found) << function;
  const std::string name = function_of(&open);
  EXPECT_EQ(found(name, program, false), FindingList{open_function_called});
  EXPECT_EQ(found(name, program, false, true), FindingList{open_functions_bound});
  EXPECT_EQ(found(name, plugin, false), FindingList{open_functions_bound});
  EXPECT_EQ(found(name, plugin, true), FindingList{open_function_looked_up});
  EXPECT_EQ(found("cublasNew", program, false), FindingList{new_function_bound});
  EXPECT_EQ(found("cublasNew", program, true), FindingList{new_function_looked_up});
  EXPECT_EQ(found(name, program, false, false, "cublas", "/x/libmine.so"), nothing_found)
      << "without a GPU";
  EXPECT_EQ(found(name, program, false, false, "cudart"), nothing_found) << "it has no list";
}

TEST(UnhookedFunctions, HaveAClassWhereTheListSaysIt) {
  const KnownFunctions& known = *known_functions("cublas");
  EXPECT_EQ(known.class_of("cublasNew"), nullptr);
  EXPECT_EQ(known.class_of("zzz"), nullptr);
  EXPECT_EQ(known.class_of(""), nullptr);
  for (const KnownFunction& function : {known.functions.front(), known.functions.back()}) {
    EXPECT_TRUE(known.has(function.name));
    EXPECT_FALSE(known.has(std::string(function.name) + "0"));
  }
  EXPECT_FALSE(known.has(""));
  EXPECT_EQ(known_functions("cudart"), nullptr);
}

// ---- coverage and versions ----

TEST(GpuLibraries, WithoutACoverageRecordAreNamed) {
  const std::string file = "/x/libcublas.so.12";
  const auto ended = [](Process process) {
    process.end.emplace();
    return beside(process, "cuda"); // the driver
  };
  const auto answered = [&](Process process) {
    process.libraries.push_back({"cublas", file, {}});
    return process;
  };
  const auto covered = [&](Process process, const std::string& library, const std::string& of) {
    process.coverage = {{.library = library, .files = {of}, .hooks = 1, .missing = {}}};
    return process;
  };
  const FindingList named = {Finding::no_coverage};
  Process before_exec = answered(process_with({driver_file}));
  before_exec.libraries_before_exec = 1;
  const Process with_gpu = process_with({file, driver_file});
  const std::pair<Process, FindingList> cases[] = {
      {answered(process_with({driver_file})), {}}, // that it has no end is a reason already
      {ended(answered(process_with({driver_file}))), named},
      {ended(covered(answered(process_with({driver_file})), "cublas", file)), {}},
      {ended(covered(answered(process_with({driver_file})), "cublas", "/y/libcublas.so.12")),
       named},
      {ended(covered(answered(process_with({driver_file})), "curand", file)), named},
      {before_exec, named},
      {with_gpu, {}},
      {ended(with_gpu), named},
      {ended(covered(with_gpu, "cublas", "/y/libcublas.so.12")), {}},
      {ended(covered(with_gpu, "curand", file)), named},
      {ended(process_with({file})), {}}, // without a GPU
      {ended(process_with({"/x/libmine.so", driver_file})), {}},
  };
  for (std::size_t i = 0; i < std::size(cases); ++i)
    EXPECT_EQ(found_by(find_libraries, log_with({cases[i].first})), cases[i].second) << i;
}

TEST(GpuLibraries, AreNamedByTheirHooksAndCopies) {
  const auto found = [](std::uint64_t hooks, const FileNames& files, const FileNames& loaded) {
    Process process = process_with(loaded);
    process.coverage = {{.library = "cublas", .files = files, .hooks = hooks, .missing = {}}};
    return found_by(find_libraries, log_with({process, process}));
  };
  const std::string file = "/x/libcublas.so.12", another = "/y/libcublas.so.12";
  EXPECT_EQ(found(1, {file}, {driver_file}), nothing_found);
  EXPECT_EQ(found(0, {file}, {driver_file}), FindingList{Finding::none_of_the_hooks});
  EXPECT_EQ(found(0, {file}, {file}), nothing_found) << "without a GPU";
  EXPECT_EQ(found(0, {}, {driver_file}), nothing_found);
  EXPECT_EQ(found(1, {file, another}, {driver_file}), FindingList{Finding::two_copies});
  EXPECT_EQ(found(1, {file, "/y/libcublas.so.13"}, {driver_file}), nothing_found);
}

TEST(GpuLibraries, OfALaterVersionMayHaveNewFunctions) {
  const std::string file = "/x/libcublas.so.99";
  const auto found = [&](const std::string& library, const std::optional<std::string>& version,
                         const std::vector<std::string>* unknown = nullptr,
                         std::optional<Finding> said = {}, const std::string& said_of = "cublas") {
    Summary summary;
    summary.libraries = {{library, file, version}};
    LoadedCode code;
    if (unknown != nullptr) {
      code.cuda.resize(1);
      code.cuda[0].file = file;
      code.cuda[0].unknown = *unknown;
    }
    Findings findings;
    if (said)
      findings.add({.finding = *said, .library = said_of});
    find_libraries({Log(), summary, code}, findings);
    return findings.reasons.size() == (said ? 2U : 1U)
               ? std::optional(findings.reasons.back().finding)
               : std::nullopt;
  };
  using enum Finding;
  const std::string last(known_functions("cublas")->version);
  const std::vector<std::string> none, one = {"cublasNew"};
  EXPECT_EQ(found("cublas", std::nullopt), unknown_version);
  EXPECT_EQ(found("cudart", std::nullopt), std::nullopt) << "it has no list";
  EXPECT_EQ(found("cublas", last), std::nullopt);
  EXPECT_EQ(found("cublas", "1.0"), std::nullopt);
  EXPECT_EQ(found("cublas", "99.0"), later_version);
  EXPECT_EQ(found("cublas", "99.0", &one), later_version);
  EXPECT_EQ(found("cublas", "99.0", &none), std::nullopt) << "it exports what the list has";
  EXPECT_EQ(found("cublas", "99.0", &one, new_function_bound), std::nullopt);
  EXPECT_EQ(found("cublas", "99.0", &one, new_function_looked_up), std::nullopt);
  EXPECT_EQ(found("cublas", "99.0", &one, new_function_bound, "curand"), later_version);
  EXPECT_EQ(found("cublas", "99.0", &one, open_function_called), later_version);
}

TEST(GpuLibraries, HaveVersionsThatAreNumbers) {
  const struct {
    const char *version, *than;
    bool is_later;
  } versions[] = {{"1.2", "1.2", false}, {"1.3", "1.2", true},   {"1.2", "1.3", false},
                  {"1.10", "1.9", true}, {"1.2.0", "1.2", true}, {"1.x", "1.2", true},
                  {"1.2", "1.x", true},  {"", "1.2", true}};
  for (const auto& [version, than, later] : versions)
    EXPECT_EQ(is_later(version, than), later) << version << " " << than;
}

// ---- launched kernels ----

/// Launches of a captured graph, whose kernels were counted before: nothing is looked up of them.
SymbolSummary graph_launched() {
  SymbolSummary symbol;
  symbol.action = Action::observe;
  symbol.library = "cudart";
  symbol.function = "cudaGraphLaunch";
  symbol.reasons = {"launched"};
  symbol.examples = {{.fields = {{"kernel", "a graph"}}, .count = {.calls = 1}}};
  return symbol;
}

std::size_t unknown_kernels_of(const std::vector<SymbolSummary>& symbols) {
  Summary summary;
  summary.symbols = symbols;
  Findings findings;
  find_kernels({Log(), summary, LoadedCode()}, findings);
  for (const VerdictReason& reason : findings.reasons)
    EXPECT_EQ(reason.finding, Finding::unknown_kernels);
  return findings.reasons.size();
}

// Which of the symbols it is must not matter: each is looked at.
TEST(LaunchedKernels, AreUnknownWhereALogCouldNotKeepTheNamesOfOneSymbol) {
  const SymbolSummary whole = graph_launched();
  SymbolSummary left_out = whole, not_written = whole, further = whole;
  left_out.examples_left_out = 1;
  not_written.reasons.emplace_back("values_not_written");
  further.reasons.emplace_back("further_files");
  EXPECT_EQ(unknown_kernels_of({whole, whole}), 0U);
  for (const SymbolSummary& in_part : {left_out, not_written, further}) {
    EXPECT_EQ(unknown_kernels_of({in_part}), 1U);
    EXPECT_EQ(unknown_kernels_of({in_part, whole}), 1U);
    EXPECT_EQ(unknown_kernels_of({whole, in_part}), 1U);
  }
}

// What a library launches that is spoken for is none of the program's own.
TEST(LaunchedKernels, OfNvidiasLibrariesAreNone) {
  const auto unknown = [](const std::string& by, const std::string& kernel) {
    SymbolSummary launched = graph_launched();
    launched.examples = {{.fields = {{"kernel", kernel}, {"by", by}}, .count = {.calls = 1}}};
    return unknown_kernels_of({launched});
  };
  EXPECT_EQ(unknown("", "mine"), 1U);
  EXPECT_EQ(unknown(plugin_file, "mine"), 1U);
  EXPECT_EQ(unknown("/x/libcublas.so.12", "gemm"), 0U);
  EXPECT_EQ(unknown("/x/libcutensor.so.2", "gemm"), 0U);
  EXPECT_EQ(unknown("/x/libtorch_cuda.so", "sum"), 0U) << "no process had it";
  for (const char* kernel : {"_Z26multimem_all_reduce_kernelv", "one_shot_all_reduce_kernel<float>",
                             "two_shot_all_reduce_kernel<float>"})
    EXPECT_EQ(unknown("/x/libtorch_cuda.so", kernel), 1U) << kernel;
  EXPECT_EQ(unknown("", "?"), 1U);
  EXPECT_EQ(unknown("", ""), 0U) << "code that was loaded";
  SymbolSummary refused = graph_launched();
  refused.action = Action::refuse;
  refused.examples_left_out = 1;
  EXPECT_EQ(unknown_kernels_of({refused}), 0U);
}

/// A kernel in PTX with that instruction.
std::string kernel_of(const std::string& name, const std::string& instruction) {
  return ".visible .entry " + name +
         "(.param .u64 p)\n{\n.reg .f32 %f<3>;\n.reg .b32 %r<3>;\n"
         ".reg .b64 %rd<3>;\nld.param.u64 %rd1, [p];\n" +
         instruction + "\nret;\n}\n";
}

/// By their code, of which the log's folder and the files of the run hold some.
TEST(LaunchedKernels, AreFindingsByTheirCode) {
  const TemporaryFolder folder;
  const std::string head = ".version 7.0\n.target sm_60\n.address_size 64\n";
  std::filesystem::create_directory(folder.path() / "kernels");
  std::ofstream(folder.path() / "kernels/a.ptx")
      << head << kernel_of("adds", "atom.global.add.f32 %f1, [%rd1], %f2;")
      << kernel_of("counts", "atom.global.add.u32 %r1, [%rd1], %r2;")
      << kernel_of("swaps", "atom.global.exch.b32 %r1, [%rd1], %r2;")
      << kernel_of("plain", "st.global.f32 [%rd1], %f1;");
  const std::string file = (folder.path() / "b.so").string();
  std::ofstream(file) << head << kernel_of("in_file", "atom.global.add.f32 %f1, [%rd1], %f2;");
  const auto found = [&](const std::string& kernel, bool has_changed = false) {
    SymbolSummary launched = graph_launched();
    launched.examples = {
        {.fields = {{"kernel", kernel}, {"name_hash", std::to_string(hash_of(kernel))}},
         .count = {.calls = 3}}};
    Summary summary;
    summary.symbols = {launched};
    Log log = log_with({process_with({file, driver_file})});
    log.folder = folder.path().string();
    LoadedCode code;
    code.cuda = {with_kernels(true)};
    code.cuda[0].file = file;
    if (has_changed)
      code.changed = {file};
    return found_by(find_kernels, log, summary, code);
  };
  EXPECT_EQ(found("adds"), FindingList{Finding::racing_kernel});
  EXPECT_EQ(found("swaps"), FindingList{Finding::open_kernels});
  EXPECT_EQ(found("plain"), nothing_found);
  EXPECT_EQ(found("counts"), nothing_found) << "no order changes a sum of integers";
  EXPECT_EQ(found("gone"), FindingList{Finding::unknown_kernels});
  EXPECT_EQ(found("in_file"), FindingList{Finding::racing_kernel});
  EXPECT_EQ(found("in_file", true), FindingList{Finding::unknown_kernels}) << "another file ran";
  EXPECT_EQ(found("a graph"), nothing_found) << "its kernels were counted before";
}

// Other calls of the library, and functions that are not launches, say nothing of names.
TEST(LaunchedKernels, AreThoseOfLaunchesAlone) {
  SymbolSummary other = graph_launched();
  other.reasons = {"further_files"};
  other.examples_left_out = 1;
  EXPECT_EQ(unknown_kernels_of({graph_launched(), other}), 0U);
}

} // namespace
} // namespace detshim
