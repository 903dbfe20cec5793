#include "support/sha256.h"

#include "support/ask.h"
#include "support/wording.h"

#include <algorithm>

namespace detshim {

std::vector<std::string> sha256_of(const std::vector<std::string>& files) {
  constexpr std::size_t together = 256, digits = 64;
  std::vector<std::string> sums;
  for (std::size_t i = 0; i < files.size();) {
    std::vector<std::string> command = {"sha256sum", "--"};
    while (i < files.size() && command.size() < together) command.push_back(files[i++]);
    const Reply reply = ask(command, {.time = std::chrono::hours(24)});
    for (std::string line : split(reply.text.value_or(""), '\n')) {
      if (line.starts_with('\\')) line.erase(0, 1); // of a name that it writes in another way
      sums.push_back(line.substr(0, digits));
    }
  }
  const auto is_sum = [](const std::string& sum) {
    return sum.size() == digits && sum.find_first_not_of("0123456789abcdef") == std::string::npos;
  };
  const bool has_all = sums.size() == files.size() && std::ranges::all_of(sums, is_sum);
  return has_all ? sums : std::vector<std::string>(files.size());
}

} // namespace detshim
