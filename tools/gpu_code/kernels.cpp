#include "gpu_code/kernels.h"

#include "gpu_code/cubin.h"
#include "gpu_code/ptx.h"
#include "gpu_code/sass.h"
#include "support/wording.h"

#include <algorithm>
#include <tuple>

namespace detshim {
namespace {

/// Of one kernel more would say nothing more; and a damaged file may have many kernels that call
/// one function.
constexpr std::size_t most_notes = 4096, most_notes_of_code = 1 << 20, most_functions = 1 << 16;

/// Headers of the toolkit, in which functions stand that are inlined where the user calls them.
bool is_of_toolkit(std::string_view folder) {
  return folder.ends_with("/include") || folder.find("/include/") != std::string_view::npos;
}

/// The innermost line that is no header's of the toolkit, of what was inlined at an offset.
SourcePlace place_at(const GpuFunction& function, std::uint64_t offset) {
  SourcePlace place;
  place.function = function.function_at(offset);
  const std::vector<LineRow>& rows = function.lines;
  std::size_t at = rows.size();
  for (std::size_t i = 0; i < rows.size() && rows[i].offset <= offset; ++i)
    at = i;
  if (at == rows.size())
    return place;
  // Each step goes outwards, to an earlier row: a damaged table may name any.
  while (is_of_toolkit(rows[at].folder) && rows[at].inlined_into != 0 &&
         rows[at].inlined_into - 1 < at)
    at = rows[at].inlined_into - 1;
  place.file = rows[at].file;
  place.line = rows[at].line;
  if (rows[at].inlined_into != 0 && !rows[at].function.empty())
    place.function = rows[at].function;
  return place;
}

ArchitectureCode read_machine_code(std::string_view bytes) {
  const Cubin cubin = read_cubin(bytes);
  ArchitectureCode result;
  result.architecture = "sm_" + std::to_string(cubin.architecture);
  for (const GpuFunction& function : cubin.functions) {
    CodeFunction& read = result.functions.emplace_back();
    read.name = function.name;
    read.is_kernel = function.is_kernel;
    read.calls = function.calls;
    if (is_decoded(cubin.architecture))
      read.notes = read_sass(function.code, cubin.architecture);
    else
      read.notes.push_back({GpuEffect::unread, result.architecture, 0, {}});
    for (GpuNote& note : read.notes)
      if (note.effect != GpuEffect::order_free)
        note.place = place_at(function, note.offset);
    for (const std::string_view name : function.unknown)
      read.notes.push_back({GpuEffect::unknown_call, std::string(name), 0, place_at(function, 0)});
  }
  return result;
}

/// The notes of a function and of all that it calls.
std::vector<GpuNote> all_notes(const std::vector<CodeFunction>& functions, std::size_t from) {
  std::vector<bool> is_seen(functions.size());
  std::vector<std::size_t> open = {from};
  is_seen[from] = true;
  std::vector<GpuNote> notes;
  while (!open.empty()) {
    const CodeFunction& function = functions[open.back()];
    open.pop_back();
    for (const GpuNote& note : function.notes)
      if (notes.size() < most_notes)
        notes.push_back(note);
    for (const std::size_t called : function.calls)
      if (called < functions.size() && !is_seen[called]) {
        is_seen[called] = true;
        open.push_back(called);
      }
  }
  return notes;
}

void add_code(const ArchitectureCode& code, KernelScan& scan) {
  scan.architectures.insert(code.architecture);
  std::size_t left = code.functions.size() > most_functions ? 0 : most_notes_of_code;
  for (std::size_t i = 0; i < code.functions.size(); ++i) {
    if (!code.functions[i].is_kernel)
      continue;
    Kernel& kernel = scan.kernels[code.functions[i].name];
    kernel.name = code.functions[i].name;
    std::vector<GpuNote> notes;
    if (left > 0)
      notes = all_notes(code.functions, i);
    left -= std::min(left, notes.size());
    if (left == 0)
      notes.push_back({GpuEffect::unread, "more than a kernel has", 0, {}});
    std::vector<GpuNote>& known = kernel.notes[code.architecture];
    known.insert(known.end(), notes.begin(), notes.end());
  }
}

} // namespace

KernelAnswer answer_of(GpuEffect effect) {
  switch (effect) {
  case GpuEffect::order_free:
    return KernelAnswer::none;
  case GpuEffect::adds_floats:
    return KernelAnswer::adds;
  default:
    return KernelAnswer::may;
  }
}

void Kernel::judge() {
  const auto is_unread = [](const GpuNote& note) {
    return note.effect == GpuEffect::unread;
  };
  const bool is_read = std::ranges::any_of(notes, [&](const auto& of) {
    return std::ranges::none_of(of.second, is_unread);
  });
  answer = KernelAnswer::none;
  for (const auto& [architecture, all] : notes)
    for (const GpuNote& note : all)
      if (!is_read || !is_unread(note))
        answer = std::max(answer, answer_of(note.effect));
}

std::vector<GpuNote> Kernel::causes() const {
  std::vector<GpuNote> result;
  std::set<std::tuple<GpuEffect, std::string, unsigned, std::string>> seen;
  // Backwards: machine code ("sm_90") before the PTX ("compute_90") that it was made of.
  for (auto of = notes.rbegin();
       of != notes.rend() && (result.empty() || of->first.starts_with("sm_")); ++of)
    for (const GpuNote& note : of->second)
      if (answer_of(note.effect) == answer && answer != KernelAnswer::none &&
          seen.insert({note.effect, note.place.file, note.place.line, note.place.function}).second)
        result.push_back(note);
  return result;
}

bool scan_kernels(std::string_view file, const WantsArchitecture& wants, KernelScan& scan,
                  const std::function<void()>& progress) {
  const bool is_code = each_gpu_code(
      file, wants,
      [&scan](const GpuCode& code) {
        if (code.kind == GpuCodeKind::unread)
          ++scan.problems[code.problem];
        else
          add_code(code.kind == GpuCodeKind::ptx ? read_ptx(code.bytes)
                                                 : read_machine_code(code.bytes),
                   scan);
      },
      progress);
  for (auto& [name, kernel] : scan.kernels)
    kernel.judge();
  return is_code;
}

} // namespace detshim
