// What the doubles share: a line for each call, in the file named by DOUBLE_LOG or else on stderr,
// and the misbehaviour that DOUBLE_MISBEHAVE asks for.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__attribute__((format(printf, 1, 2))) inline void record(const char* format, ...) {
  const char* path = std::getenv("DOUBLE_LOG");
  FILE* file = path ? std::fopen(path, "a") : stderr;
  if (!file)
    return;
  va_list values;
  va_start(values, format);
  std::vfprintf(file, format, values);
  va_end(values);
  std::fputc('\n', file);
  if (path)
    std::fclose(file);
}

inline bool misbehaves(const char* how) {
  const char* asked = std::getenv("DOUBLE_MISBEHAVE");
  return asked && !std::strcmp(asked, how);
}
