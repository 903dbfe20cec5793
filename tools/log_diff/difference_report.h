// The forms in which a difference of two logs is printed.
#pragma once

#include "log_diff/difference.h"
#include "report/style.h"

#include <nlohmann/json_fwd.hpp>

#include <iosfwd>
#include <string>

namespace detshim {

/// All of it, for people: what was first, then section by section.
void print_difference_text(std::ostream& out, const LogDifference& difference, Style style);

/// The most telling cause alone, in five lines at most; nothing where nothing differs.
void print_leading_cause(std::ostream& out, const LogDifference& difference, Style style);

/// That cause in a few words: "srand, train.cpp:6 main", "setting seed"; safe to print.
std::string name_of(const Cause& cause);
std::string name_of(const RecordDifference& record);

/// Of docs/schemas/log-diff.schema.json a cause, the suspects, and the whole document.
nlohmann::ordered_json cause_json(const Cause& cause);
nlohmann::ordered_json suspects_json(const std::vector<Suspect>& suspects);
nlohmann::ordered_json difference_json(const LogDifference& difference);

} // namespace detshim
