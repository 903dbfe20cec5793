// libFuzzer's target for documents that detshim has written itself and anybody may hand over: a
// byte that chooses what `report` reads and makes a page of (even) or what `env diff` and `env
// show` read (odd), then the document. Whatever it holds, reading ends; an environment is equal to
// itself, and is written as it was read.
#include "environment/environment_difference.h"
#include "environment/kept_environments.h"
#include "html_report/html_report.h"
#include "memory_folder.h"
#include "support/exit_status.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace detshim;

const MemoryFolder folder;

void check_printable(std::string_view text) {
  for (const char c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7F)
      std::abort();
}

/// A page has no text of the document's as a tag.
void read_as_verification() {
  const std::string page = html_report(folder.name() + "/verify.json", [](Log log) {
    return std::make_unique<const JudgedLog>(std::move(log), Decode::nothing,
                                             std::vector<std::string>{});
  });
  if (page.find("<planted") != std::string::npos)
    std::abort();
}

void read_as_environment() {
  const Environment environment = read_environment_file(folder.name() + "/environment.json");
  const EnvironmentComparison same = compare_environments(environment, environment);
  if (!same.differences.empty())
    std::abort();
  folder.write("environment.json", environment_json(environment));
  const EnvironmentComparison again =
      compare_environments(environment, read_environment_file(folder.name() + "/environment.json"));
  if (!again.differences.empty())
    std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0)
    return 0;
  const bool is_environment = data[0] % 2 != 0;
  folder.write(is_environment ? "environment.json" : "verify.json",
               {reinterpret_cast<const char*>(data + 1), size - 1});
  try {
    if (is_environment)
      read_as_environment();
    else
      read_as_verification();
  } catch (const UsageError& error) {
    check_printable(error.what());
  }
  return 0;
}
