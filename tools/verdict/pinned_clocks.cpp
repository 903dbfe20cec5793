// Decides of a clock that was read shortly before a seed was replaced whether its value can have
// gone anywhere else. It reads the machine code between the two calls, as it stands now, so a file
// that has changed since the run answers no. Of code that it does not understand the answer is no
// too.
#include "verdict/pinned_clocks.h"

#include "scanner/elf_file.h"
#include "scanner/machine_code.h"

#include <cstdlib>

namespace detshim {
namespace {

/// Of "/home/me/train+0x12a4".
std::uint64_t address_in(const std::string& at) {
  const std::size_t plus = at.rfind("+0x");
  return plus == std::string::npos ? 0 : std::strtoull(at.c_str() + plus + 3, nullptr, 16);
}

} // namespace

PinnedClocks::PinnedClocks(const VerdictInputs& inputs) : changed_(inputs.code.changed) {
  for (const SymbolSummary& symbol : inputs.summary.symbols)
    if (symbol.action == Action::pin && has_reason(symbol, {Reason::clock_seed, Reason::id_seed}))
      for (const CallPlace& place : symbol.places)
        seeds_[file_of_place(place.at)].insert(address_in(place.at));
}

bool PinnedClocks::contain(const std::string& at) const {
  constexpr std::uint64_t farthest = 64; // bytes: a few instructions that have to do with neither
  const auto seeds = seeds_.find(file_of_place(at));
  if (seeds == seeds_.end() || changed_.contains(seeds->first))
    return false;
  const std::uint64_t from = address_in(at);
  const auto to = seeds->second.upper_bound(from);
  if (to == seeds->second.end() || *to - from > farthest)
    return false;
  try {
    const ElfFile file(seeds->first);
    const bool begins_with_address = file.function_name(from) != "main";
    return std::ranges::any_of(file.code(), [&](const CodeRange& code) {
      return is_result_passed_on(file.machine(), code, file.function_start(from), from, *to,
                                 begins_with_address);
    });
  } catch (const ElfError&) {
    return false;
  }
}

} // namespace detshim
