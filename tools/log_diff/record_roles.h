// What a call record says: which of its values went into the call, which came out of it, and what it is
// about.
#pragma once

#include "log_reader/record.h"

#include <string_view>

namespace detshim {

/// What differs, in the order in which a reader wants to hear of it.
enum class Section {
  settings,
  libraries,
  seeds,
  algorithms,
  tuning,
  collectives,
  ranks,
  draws,
  calls,
  processes,
};
inline constexpr int section_count = 10;
inline constexpr const char* section_names[] = {"settings", "libraries",   "seeds", "algorithms",
                                                "tuning",   "collectives", "ranks", "draws",
                                                "calls",    "processes"};

enum class Role { input, result };

/// Of a field of that record.
Role role_of(const Call& call, std::string_view field);

/// Some value of the record went into the call. Without one, an equal record says nothing.
bool has_inputs(const Call& call);

Section section_of(const Call& call);

/// The record stands for calls with values that were not written.
bool has_unknown_values(const Call& call);

} // namespace detshim
