// How both doubles copy: at once, or, in a stream, when somebody waits for it. Until then the
// memory holds what it held: who reads it too early reads that.
#pragma once

#include "copies.h"
#include "record.h"

#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <vector>

/// One copy, by rows.
struct Rows {
  char* to;
  const char* from;
  size_t width, height = 1, to_pitch = 0, from_pitch = 0;

  void copy() const {
    for (size_t y = 0; y < height; ++y)
      std::memcpy(to + y * to_pitch, from + y * from_pitch, width);
  }
};

inline char* bytes_at(const void* memory, size_t offset = 0) {
  return const_cast<char*>(static_cast<const char*>(memory)) + offset;
}
inline char* bytes_at(DevicePointer memory, size_t offset = 0) {
  return reinterpret_cast<char*>(static_cast<uintptr_t>(memory)) + offset;
}

struct Work {
  std::function<void()> run;
  bool is_done = false;
};
inline std::map<Opaque, std::vector<Work>> streams;
inline std::map<Opaque, std::pair<Opaque, size_t>>
    events; ///< what a stream had when they were recorded

inline int fails() { return misbehaves("copies fail") ? 1 : 0; }

inline int at_once(const char* name, const Rows& rows) {
  record("%s", name);
  if (!fails())
    rows.copy();
  return fails();
}

inline int later(const char* name, const Rows& rows, Opaque stream) {
  record("%s", name);
  if (!fails())
    streams[stream].push_back({[rows] {
      rows.copy();
    }});
  return fails();
}

inline void finish(Opaque stream, size_t count) {
  for (size_t i = 0; i < count && i < streams[stream].size(); ++i)
    if (!streams[stream][i].is_done) {
      streams[stream][i].is_done = true;
      streams[stream][i].run();
    }
}

inline int wait_for_stream(const char* name, Opaque stream) {
  record("%s", name);
  if (misbehaves("not ready"))
    return 600;
  finish(stream, streams[stream].size());
  return 0;
}

inline int wait_for_event(const char* name, Opaque event) {
  record("%s", name);
  finish(events[event].first, events[event].second);
  return 0;
}

inline int wait_for_all(const char* name) {
  record("%s", name);
  for (auto& [stream, works] : streams)
    finish(stream, works.size());
  return 0;
}

inline int record_event(const char* name, Opaque event, Opaque stream) {
  record("%s", name);
  events[event] = {stream, streams[stream].size()};
  return 0;
}

inline int let_wait(const char* name, Opaque stream, Opaque event) {
  record("%s", name);
  const auto [other, count] = events[event];
  streams[stream].push_back({[other, count] {
    finish(other, count);
  }});
  return 0;
}

/// What is computed: its last byte is another one where the test asks for it.
inline void compute(void* memory, size_t size) {
  auto* bytes = static_cast<char*>(memory);
  for (size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<char>(i);
  if (misbehaves("a race"))
    bytes[size - 1] = 'x';
}
