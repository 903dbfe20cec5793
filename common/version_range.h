// Lists of names and ranges of versions, as settings_table.cpp writes them. The library asks by the
// files that it loads, the command by the distributions that lie on disk.
#pragma once

#include "common/text.h"

namespace detshim {

namespace detail {
inline char small_letter(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Whether the value is the entry of a list that lies there, or begins as one with a closing star.
inline bool is_entry(const char* value, const char* entry, const char* end, bool any_case) {
  for (; entry < end && *entry != '*'; ++entry, ++value) {
    const bool is_same = any_case ? small_letter(*value) == small_letter(*entry) : *value == *entry;
    if (!is_same)
      return false;
  }
  return entry < end || *value == 0;
}
} // namespace detail

/// True if the value is one of those separated by |. One with a closing star means all that begin
/// so.
inline bool is_one_of(const char* value, const char* list, bool any_case) {
  while (*list != 0) {
    const char* end = list;
    while (*end != '|' && *end != 0)
      ++end;
    if (detail::is_entry(value, list, end, any_case))
      return true;
    list = *end == '|' ? end + 1 : end;
  }
  return false;
}

/// Below zero, zero or above it, as `a` is lower, begins like `b` (or `b` like it), or is higher.
inline int compare_versions(const char* a, const char* b) {
  const auto is_digit = [](char c) {
    return c >= '0' && c <= '9';
  };
  while (is_digit(*a) && is_digit(*b)) {
    long here = 0, there = 0;
    for (; is_digit(*a); ++a)
      here = here * 10 + (*a - '0');
    for (; is_digit(*b); ++b)
      there = there * 10 + (*b - '0');
    if (here != there)
      return here < there ? -1 : 1;
    if (*a++ != '.' || *b++ != '.')
      break;
  }
  return 0;
}

/// True if a version lies in a range as "2.5..2.32", what begins like its ends included ("2.32.3").
/// True where one of the two is no number.
inline bool version_is_within(const char* version, const char* range) {
  const char* last = range;
  while (*last != 0 && !starts_with(last, ".."))
    ++last;
  return *last == 0 ||
         (compare_versions(version, range) >= 0 && compare_versions(version, last + 2) <= 0);
}

} // namespace detshim
