// Kernels that were launched.
//
// Decides by the machine code or PTX of each launched kernel, which is looked up by the hash of its
// name in the files that hold code for a GPU: whether it adds floating-point numbers in a race, may
// depend on the order of threads, or has code that was not found. It cannot know what a kernel is
// given, nor see races without atomics: docs/KERNELS.md.
#include "verdict/cuda_findings.h"

#include "log_reader/source_lines.h"
#include "scanner/elf_file.h"
#include "support/hash.h"
#include "support/mapped_file.h"
#include "support/wording.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

namespace detshim {
namespace {

struct Launched {
  std::string kernel; ///< the name's beginning
  std::string by;     ///< the file that launched it; empty: the program
  std::uint64_t name_hash = 0, launches = 0;
};

/// What a runtime or a driver says that cannot name its kernels.
constexpr const char* no_name = "?";
/// Kernels of a graph are counted while it is captured. Nodes that are added or changed later have
/// names for which no code is known.
constexpr const char* graph = "a graph";

/// `is_whole`: false where the log could not keep all names.
std::vector<Launched> launches_of(const Summary& summary, bool& is_whole) {
  std::vector<Launched> all;
  for (const SymbolSummary& symbol : summary.symbols) {
    if (symbol.action != Action::observe || !has_reason(symbol, {Reason::launched}))
      continue;
    is_whole &= symbol.examples_left_out == 0 &&
                !has_reason(symbol, {Reason::values_not_written, Reason::further_files});
    for (const Example& example : symbol.examples) {
      const auto value = [&](const char* name) {
        const std::string* const field = find_field(example.fields, name);
        return field == nullptr ? std::string() : *field;
      };
      if (value("kernel").empty())
        continue; // code that was loaded
      all.push_back({value("kernel"), value("by"),
                     number_in<std::uint64_t>(value("name_hash")).value_or(0),
                     example.count.calls});
    }
  }
  return all;
}

/// The kernels of files, by the hashes of their names. A file is read once: `verify` judges several
/// logs.
class KernelCode {
public:
  void add_file(const std::string& file) {
    static std::map<std::string, KernelScan> known;
    const auto [entry, is_new] = known.try_emplace(file);
    if (is_new)
      scan_file(file, entry->second);
    for (const auto& [name, kernel] : entry->second.kernels)
      by_hash_[hash_of(name)].push_back(&kernel);
  }

  void add_folder(const std::string& folder) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
      if (entry.is_regular_file(error))
        add_file(entry.path());
  }

  /// The worst kernel of that name; nullptr where no kernel has it.
  const Kernel* find(std::uint64_t name_hash) const {
    const auto named_so = by_hash_.find(name_hash);
    if (named_so == by_hash_.end())
      return nullptr;
    return *std::ranges::max_element(named_so->second, {}, [](const Kernel* kernel) {
      return kernel->answer;
    });
  }

private:
  static void scan_file(const std::string& file, KernelScan& scan) {
    try {
      const MappedFile mapped(std::filesystem::canonical(file));
      scan_kernels(
          mapped.bytes(),
          [](unsigned) {
            return true;
          },
          scan,
          [&] {
            mapped.forget();
          });
    } catch (const std::system_error&) {
      return; // gone: its kernels are unknown
    }
  }

  std::map<std::uint64_t, std::vector<const Kernel*>> by_hash_;
};

/// PyTorch's reductions over several GPUs' memory, of which its documentation does not speak: who
/// adds first is a matter of when each GPU comes.
bool is_of_symmetric_memory(const std::string& kernel) {
  return std::ranges::any_of(std::array{"multimem_", "one_shot_all_reduce", "two_shot_all_reduce"},
                             [&](const char* part) {
                               return kernel.find(part) != kernel.npos;
                             });
}

/// True for a launch of which no kernel is to be looked up.
bool is_answered(const Launched& launch,
                 const std::function<bool(const std::string& file)>& is_spoken_for) {
  return launch.kernel == graph ||
         (!launch.by.empty() && is_spoken_for(launch.by) && !is_of_symmetric_memory(launch.kernel));
}

/// "block_sum<float> (reduce.cu:41, ATOMG.ADD)"
std::string described(const Launched& launch, const Kernel& kernel) {
  const std::vector<GpuNote> causes = kernel.causes();
  if (causes.empty())
    return kernel_name(launch.kernel);
  const std::string place = place_text(causes.front().place);
  return kernel_name(kernel.name) + " (" + place + (place.empty() ? "" : ", ") +
         causes.front().instruction + ")";
}

} // namespace

std::string kernel_name(const std::string& symbol) {
  const std::string name = without_parameters(symbol);
  return name.starts_with("void ") ? name.substr(5) : name;
}

std::string place_text(const SourcePlace& place) {
  return place.file.empty() ? "" : place.file + ":" + std::to_string(place.line);
}

bool judge_launched_kernels(const VerdictInputs& inputs, const std::vector<std::string>& files,
                            const std::function<bool(const std::string& file)>& is_spoken_for,
                            Findings& findings) {
  bool is_whole = true;
  std::vector<Launched> launches = launches_of(inputs.summary, is_whole);
  if (launches.empty())
    return false;
  std::set<std::string> open, unknown;
  std::erase_if(launches, [&](const Launched& launch) {
    return is_answered(launch, is_spoken_for);
  });
  if (!is_whole)
    unknown.insert("(more than the log has room for)");
  KernelCode code;
  if (!launches.empty()) {
    for (const std::string& file : files)
      if (!inputs.code.changed.contains(file))
        code.add_file(file);
    code.add_folder(inputs.log.folder + "/kernels");
  }
  std::map<const Kernel*, std::uint64_t> racing;
  for (const Launched& launch : launches) {
    const Kernel* const kernel = launch.kernel == no_name ? nullptr : code.find(launch.name_hash);
    if (kernel == nullptr)
      unknown.insert(launch.kernel == no_name ? "some that the driver cannot name"
                                              : kernel_name(launch.kernel));
    else if (kernel->answer == KernelAnswer::adds)
      racing[kernel] += launch.launches;
    else if (kernel->answer == KernelAnswer::may)
      open.insert(described(launch, *kernel));
  }
  for (const auto& [kernel, count] : racing)
    findings.add({.finding = Finding::racing_kernel,
                  .function = kernel_name(kernel->name),
                  .place = place_text(kernel->causes().front().place),
                  .count = count});
  findings.add_named(Finding::open_kernels, open);
  findings.add_named(Finding::unknown_kernels, unknown);
  return true;
}

} // namespace detshim
