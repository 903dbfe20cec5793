#include "core/policy/setting_versions.h"

#include "common/sys.h"
#include "common/version_range.h"
#include "core/base/folder_entries.h"

#include <fcntl.h>

namespace detshim {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_of_word(char c) {
  return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// What stands behind the word with which a text begins, if it is one of those names; else nullptr.
const char* after_name(const char* text, const char* names) {
  Text<64> word;
  for (; is_of_word(*text); ++text)
    word.add(*text);
  return is_one_of(word.c_str(), names, false) ? text : nullptr;
}

/// What stands behind the last `part` of a text; nullptr if it has none.
const char* after_last(const char* text, const char* part) {
  const char* behind = nullptr;
  for (; *text != 0; ++text)
    if (starts_with(text, part))
      behind = text + text_length(part);
  return behind;
}

void add_numbers(TextWriter& to, const char* text) {
  for (; is_digit(*text) || (*text == '.' && is_digit(text[1])); ++text)
    to.add(*text);
}

void add_wheel_version(const char* packages, const char* names, TextWriter& version) {
  const int fd = sys::openat(AT_FDCWD, packages, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  each_entry(fd, [&](const char* entry) {
    const char* const rest = after_name(entry, names);
    if (rest == nullptr || *rest != '-' || !ends_with(entry, "-info"))
      return false;
    add_numbers(version, rest + 1);
    return true;
  });
  sys::close(fd);
}

} // namespace

void library_version(const char* path, const char* names, TextWriter& version) {
  const char* const inside = after_last(path, "-packages/");
  if (after_name(file_name(path), names) == nullptr &&
      (inside == nullptr || after_name(inside, names) == nullptr))
    return;
  if (inside != nullptr) {
    Text<600> packages;
    add_wheel_version(packages.add(path, static_cast<size_t>(inside - path)).c_str(), names,
                      version);
    if (version.length() != 0)
      return;
  }
  char target[300];
  const bool is_link = sys::readlink(path, target, sizeof target) > 0;
  if (const char* numbers = after_last(is_link ? target : path, ".so."))
    add_numbers(version, numbers);
}

} // namespace detshim
