#include "hooks/support/library_version.h"

namespace detshim {

void add_version(const Hook& hook, const VersionedLibrary& library, TextWriter& text) {
  using abi::libraryProperty;
  int number = 0;
  if (*library.getter == 0) return;
  if (!library.in_parts) {
    auto* const get = find_beside<int(int*)>(hook, library.getter);
    if (get != nullptr && get(&number) == 0) text.add(static_cast<uint64_t>(number));
    return;
  }
  auto* const get = find_beside<int(libraryProperty, int*)>(hook, library.getter);
  for (const auto property :
       {libraryProperty::major_version, libraryProperty::minor_version, libraryProperty::patch_level}) {
    if (get == nullptr || get(property, &number) != 0) return;
    if (property != libraryProperty::major_version) text.add('.');
    text.add(static_cast<uint64_t>(number));
  }
}

void record_library(const Hook& hook, VersionedLibrary& library) {
  record_library_once(hook, library.recorded_in, [&](auto& text) { add_version(hook, library, text); });
}

} // namespace detshim
