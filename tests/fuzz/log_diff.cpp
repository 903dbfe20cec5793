// libFuzzer's target for `log diff`: the records of one run, a zero byte, those of another, a zero
// byte, and the counts of both. Whatever they hold, comparing ends, nothing comes out that a
// terminal would obey, and no log differs from itself.
#include "log_diff/log_diff.h"
#include "log_diff/difference_report.h"
#include "memory_folder.h"
#include "report/json.h"
#include "support/exit_status.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string_view>

namespace {

using namespace detshim;

const MemoryFolder folder_of_a, folder_of_b;

std::string_view take_part(std::string_view& bytes) {
  const std::size_t end = bytes.find('\0');
  const std::string_view part = bytes.substr(0, end);
  bytes.remove_prefix(end == bytes.npos ? bytes.size() : end + 1);
  return part;
}

void check_printable(std::string_view text) {
  for (const char c : text)
    if ((static_cast<unsigned char>(c) < ' ' && c != '\n') || c == 0x7F)
      std::abort();
}

std::optional<LogDifference> compare(const MemoryFolder& a, const MemoryFolder& b) {
  try {
    return compare_logs(a.name(), b.name());
  } catch (const UsageError& error) {
    check_printable(error.what());
    return std::nullopt;
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  folder_of_a.write("0-0-1.jsonl", take_part(bytes));
  folder_of_b.write("0-0-2.jsonl", take_part(bytes));
  folder_of_a.write("0-0-1.counts", bytes);
  folder_of_b.write("0-0-2.counts", bytes);
  const std::optional<LogDifference> same = compare(folder_of_a, folder_of_a);
  if (same && same->result() == LogDifference::Result::different)
    std::abort();
  std::optional<LogDifference> difference = compare(folder_of_a, folder_of_b);
  if (!difference)
    return 0;
  add_suspects(*difference);
  std::ostringstream out;
  print_difference_text(out, *difference, {});
  print_json(out, difference_json(*difference));
  check_printable(out.str());
  return 0;
}
