// What the verdict makes of files with code for a GPU and of launched kernels, by logs that no
// machine without a GPU writes.
#include "verdict/finders.h"

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
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

// Other calls of the library, and functions that are not launches, say nothing of names.
TEST(LaunchedKernels, AreThoseOfLaunchesAlone) {
  SymbolSummary other = graph_launched();
  other.reasons = {"further_files"};
  other.examples_left_out = 1;
  EXPECT_EQ(unknown_kernels_of({graph_launched(), other}), 0U);
}

} // namespace
} // namespace detshim
