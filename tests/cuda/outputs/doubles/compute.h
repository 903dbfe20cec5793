// What a double of a library computes: numbers that follow from its first input, put into the
// call's stream of the driver's double. Gaps between rows get noise, which differs in every
// process.
#pragma once

#include "gpu.h"
#include "record.h"

#include <cstdlib>
#include <functional>
#include <string>
#include <unistd.h>

/// Where a result goes: rows of `width` bytes.
struct Result {
  void* start;
  size_t width, rows = 1, pitch = 0;
};

inline unsigned char noise() {
  static unsigned state = static_cast<unsigned>(getpid());
  return static_cast<unsigned char>((state = state * 1103515245 + 12345) >> 16);
}

inline void put_into(Opaque stream, std::function<void()> work) {
  cuLaunchHostFunc(
      stream,
      [](void* data) {
        (*static_cast<std::function<void()>*>(data))();
      }, // a graph may run it again
      new std::function<void()>(std::move(work)));
}

/// Where DOUBLE_MISBEHAVE asks for "a race in NAME", its last byte is another one.
inline int compute(const char* name, Opaque stream, const void* input, const Result& result,
                   std::function<bool(size_t row, size_t byte)> is_written = nullptr) {
  record("%s", name);
  if (misbehaves("calls fail"))
    return 1;
  const bool races = misbehaves(("a race in " + std::string(name)).c_str());
  put_into(stream, [=] {
    const unsigned char seed = input != nullptr ? *static_cast<const unsigned char*>(input) : 0;
    auto* const bytes = static_cast<unsigned char*>(result.start);
    unsigned char* last = bytes;
    for (size_t row = 0; row < result.rows; ++row)
      for (size_t i = 0; i < (result.pitch != 0 ? result.pitch : result.width); ++i) {
        if (row + 1 == result.rows && i >= result.width)
          break; // nothing lies behind the last
        unsigned char& byte = bytes[row * result.pitch + i];
        const bool is_inside = i < result.width && (!is_written || is_written(row, i));
        byte = is_inside ? static_cast<unsigned char>(seed + row * 31 + i * 7) : noise();
        if (is_inside)
          last = &byte;
      }
    if (races)
      *last ^= 1;
  });
  return 0;
}
