#include "hooks/support/library_version.h"

namespace detshim {
namespace {

void ask_version(const Hook& hook, const VersionedLibrary& library, TextWriter& text) {
  using abi::libraryProperty;
  int number = 0;
  if (*library.getter == 0) return;
  if (!library.in_parts) {
    auto* const get = find_sibling<int(int*)>(hook, library.getter);
    if (get != nullptr && get(&number) == 0) text.add(static_cast<uint64_t>(number));
    return;
  }
  auto* const get = find_sibling<int(libraryProperty, int*)>(hook, library.getter);
  for (const auto property :
       {libraryProperty::major_version, libraryProperty::minor_version, libraryProperty::patch_level}) {
    if (get == nullptr || get(property, &number) != 0) return;
    if (property != libraryProperty::major_version) text.add('.');
    text.add(static_cast<uint64_t>(number));
  }
}

} // namespace

void add_version(const Hook& hook, VersionedLibrary& library, TextWriter& text) {
  const uint64_t epoch = uint64_t{draw_epoch()} + 1;
  if (__atomic_load_n(&library.known_in, __ATOMIC_ACQUIRE) != epoch) {
    Text<sizeof library.version> version;
    ask_version(hook, library, version);
    // Threads that come here together write the same.
    __builtin_memcpy(library.version, version.c_str(), version.length() + 1);
    __atomic_store_n(&library.known_in, epoch, __ATOMIC_RELEASE);
  }
  text.add(library.version);
}

void record_library(const Hook& hook, VersionedLibrary& library) {
  record_library_once(hook, library.recorded_in, [&](auto& text) { add_version(hook, library, text); });
}

} // namespace detshim
