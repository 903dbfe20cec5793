// libFuzzer's target for the scanner: bytes as a program or a shared library. Whatever they hold,
// the scan ends, in an ElfError or in places that lie in code of the file.
#include "scanner/elf_file.h"
#include "scanner/scan.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

namespace {

using namespace detshim;

/// A file in memory, the same for all inputs, by a name that can be opened.
struct MemoryFile {
  int descriptor = ::memfd_create("fuzz", MFD_CLOEXEC);
  std::string name = "/proc/self/fd/" + std::to_string(descriptor);
};

void scan(const ElfFile& file) {
  const FileScan found = scan_file(file);
  const std::vector<CodeRange> code = file.code();
  for (const FoundPlace& place : found.places) {
    bool is_in_code = false;
    for (const CodeRange& range : code)
      is_in_code |=
          place.offset >= range.address && place.offset - range.address < range.bytes.size();
    if (!is_in_code)
      std::abort();
  }
  std::size_t functions = 0;
  file.each_function([&functions](std::string_view name, bool, bool) {
    functions += name.size();
  });
  static const char* const names[] = {"main", "rand"};
  (void)file.exports_one_of(names);
  (void)file.has_section(".nv_fatbin");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const MemoryFile file;
  if (::ftruncate(file.descriptor, 0) != 0 ||
      ::pwrite(file.descriptor, data, size, 0) != static_cast<ssize_t>(size))
    std::abort();
  try {
    scan(ElfFile(file.name));
  } catch (const ElfError&) {}
  return 0;
}
