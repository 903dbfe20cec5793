// What a call record says: which of its values went into the call, which came out of it, and what
// it is about.
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
  digests, ///< of outputs
};
inline constexpr int section_count = 11;
inline constexpr const char* section_names[] = {"settings", "libraries",   "seeds",  "algorithms",
                                                "tuning",   "collectives", "ranks",  "draws",
                                                "calls",    "processes",   "digests"};

enum class Role {
  input,
  result,
  context, ///< what ran meanwhile: not compared
};

/// Of a field of that record, as the hook says it (log_diff/hook_table.h). A field of which nobody
/// says it is an input: then a difference in it is shown, and no call is called the culprit for it.
Role role_of(const Call& call, std::string_view field);

/// Some value of the record went into the call. Without one, an equal record says nothing.
bool has_inputs(const Call& call);

Section section_of(const Call& call);

/// An output digest of what a program of the host made: printed, written or sent. Not what a copy
/// brought from a GPU.
bool is_of_host(const Call& call);

/// The record represents calls with values that were not written, or for contents that were not
/// read.
bool has_unknown_values(const Call& call);

} // namespace detshim
