#include "report/kernel_report.h"

#include "log_reader/source_lines.h"
#include "report/json.h"
#include "support/wording.h"
#include "verdict/cuda_findings.h"

#include <algorithm>
#include <iostream>
#include <iterator>

namespace detshim {
namespace {

constexpr std::size_t shown_kernels = 10, shown_causes = 3;

/// What a kernel does: a word for programs, and a text for people.
struct EffectTexts {
  GpuEffect effect;
  const char *word, *text;
};

const EffectTexts& texts_of(GpuEffect effect) {
  using enum GpuEffect;
  static constexpr EffectTexts all[] = {
      {order_free, "order_free", "an atomic whose order does not matter"},
      {adds_floats, "adds_floats",
       "adds floating-point numbers in the order in which threads come"},
      {tensor_sum, "tensor_sum", "adds by a tensor map, which may be of floating-point numbers"},
      {swaps_floats, "swaps_floats", "compares and swaps a computed floating-point number"},
      {swaps, "swaps", "compares and swaps: which thread is first may matter"},
      {exchanges, "exchanges", "exchanges: the value of the last thread stays"},
      {old_value_used, "old_value_used",
       "uses the old value of an atomic: which thread was first may matter"},
      {shared_read, "shared_read", "reads what other threads write meanwhile"},
      {switch_sum, "switch_sum", "adds floating-point numbers of several GPUs"},
      {clock, "clock", "reads a clock of the GPU"},
      {place, "place", "reads which processor of the GPU it runs on"},
      {unknown_call, "unknown_call", "calls a function whose code is not known"},
      {unread, "unread", "is code that detshim cannot read"},
  };
  static_assert(std::size(all) == static_cast<std::size_t>(unread) + 1,
                "each effect has its texts");
  return *std::ranges::find(all, effect, &EffectTexts::effect);
}

constexpr const char* answer_words[] = {"none", "may", "adds"};

/// "block_sum<float>", or "block_sum" without arguments of templates. A line has room for a name.
std::string short_name(const std::string& symbol, bool with_arguments = true) {
  const std::string name = kernel_name(symbol);
  std::string result;
  std::size_t depth = 0;
  for (const char c : name) {
    if (c == '<')
      ++depth;
    if (depth == 0 || with_arguments)
      result += c;
    if (c == '>' && depth > 0)
      --depth;
  }
  return result;
}

std::string described(const GpuNote& note, bool with_arguments) {
  std::string text = place_text(note.place);
  if (!note.place.function.empty())
    text += (text.empty() ? "" : " ") + short_name(note.place.function, with_arguments);
  text += std::string(": ") + texts_of(note.effect).text;
  return note.instruction.empty() ? text : text + " (" + short_name(note.instruction) + ")";
}

/// Kernels of one name, whatever a template's arguments.
struct Group {
  std::size_t kernels = 0;
  std::set<std::string> causes;
};

/// Each kernel by itself, with all its causes, if `all`.
void print_answer(const FileKernels& file, KernelAnswer answer, const char* heading, bool all) {
  std::map<std::string, Group> groups;
  for (const auto& [name, kernel] : file.scan.kernels) {
    if (kernel.answer != answer)
      continue;
    Group& group = groups[short_name(name, all)];
    ++group.kernels;
    for (const GpuNote& note : kernel.causes())
      group.causes.insert(described(note, all));
  }
  if (!groups.empty())
    std::cout << heading << ":\n";
  std::size_t shown = 0;
  for (const auto& [name, group] : groups) {
    if (!all && shown++ == shown_kernels)
      break;
    std::cout << "  " << printable(name);
    if (group.kernels > 1)
      std::cout << " (" << group.kernels << " of that name)";
    std::cout << '\n';
    std::size_t causes = 0;
    for (const std::string& cause : group.causes)
      if (all || ++causes <= shown_causes)
        std::cout << "    " << printable(cause) << '\n';
    if (causes > shown_causes)
      std::cout << "    and " << counted(causes - shown_causes, "more place") << '\n';
  }
  if (!all && groups.size() > shown_kernels)
    std::cout << "  and " << groups.size() - shown_kernels << " more names (--all)\n";
}

std::size_t count_of(const KernelScan& scan, KernelAnswer answer) {
  std::size_t count = 0;
  for (const auto& [name, kernel] : scan.kernels)
    count += kernel.answer == answer ? 1 : 0;
  return count;
}

Json note_json(const GpuNote& note) {
  return {{"kind", texts_of(note.effect).word},
          {"instruction", note.instruction},
          {"offset", note.offset},
          {"function", unless_empty(note.place.function)},
          {"at", unless_empty(place_text(note.place))}};
}

} // namespace

void print_kernels_text(const std::vector<FileKernels>& files, bool all) {
  for (const FileKernels& file : files) {
    const KernelScan& scan = file.scan;
    std::cout << printable(file.file) << ": " << counted(scan.kernels.size(), "kernel") << " for "
              << joined(scan.architectures) << ": " << count_of(scan, KernelAnswer::adds)
              << " add in a race, " << count_of(scan, KernelAnswer::may)
              << " may depend on the order of threads, " << count_of(scan, KernelAnswer::none)
              << " do neither\n";
    print_answer(file, KernelAnswer::adds, "add floating-point numbers in a race", all);
    print_answer(file, KernelAnswer::may, "may depend on the order of threads", all);
    for (const auto& [why, count] : scan.problems)
      std::cout << "not read: " << counted(count, "piece") << " of code: " << why << '\n';
  }
}

void print_kernels_json(const std::vector<FileKernels>& files, bool all) {
  Json kernels = Json::array(), unread = Json::array();
  for (const FileKernels& file : files) {
    for (const auto& [name, kernel] : file.scan.kernels)
      for (const auto& [architecture, notes] : kernel.notes) {
        KernelAnswer answer = KernelAnswer::none;
        Json evidence = Json::array();
        for (const GpuNote& note : notes) {
          answer = std::max(answer, answer_of(note.effect));
          if (all || answer_of(note.effect) != KernelAnswer::none)
            evidence.push_back(note_json(note));
        }
        kernels.push_back({{"file", file.file},
                           {"arch", architecture},
                           {"name", name},
                           {"demangled", demangled(name.c_str())},
                           {"answer", answer_words[static_cast<std::size_t>(answer)]},
                           {"evidence", std::move(evidence)}});
      }
    for (const auto& [why, count] : file.scan.problems)
      unread.push_back({{"file", file.file}, {"why", why}, {"count", count}});
  }
  print_json(
      std::cout,
      {{"schema_version", 1}, {"kernels", std::move(kernels)}, {"not_read", std::move(unread)}});
}

} // namespace detshim
