// libFuzzer's target for what reads a program's outputs: a byte that chooses the name, then two
// files with 0xFF 0xFE between them. Whatever they hold, comparing ends; equal is what has the same
// bytes, or a format that says what may differ.
#include "artifact_formats/artifact_formats.h"
#include "artifact_formats/compare.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

using namespace detshim;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr const char* names[] = {
      "a.npy", "a.npz", "a.pt", "a.safetensors", "events.out.tfevents.1", "a.csv", "a.json"};
  if (size == 0)
    return 0;
  const std::string name = names[data[0] % std::size(names)];
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::size_t between = bytes.find("\xff\xfe");
  const std::string_view one = bytes.substr(0, between);
  const std::string_view other =
      between == std::string_view::npos ? one : bytes.substr(between + 2);
  const FileComparison there = compare_contents(name, one, other),
                       back = compare_contents(name, other, one);
  pickle_listing(one);
  checkpoint_listing(one);
  if (there.difference.has_value() != back.difference.has_value())
    std::abort();
  if (one == other && there.difference)
    std::abort();
  if (one != other && !there.difference && there.ignored.empty())
    std::abort();
  return 0;
}
