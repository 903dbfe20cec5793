// The forms in which a difference of two logs is printed.
#pragma once

#include "log_diff/difference.h"
#include "report/json_writer.h"
#include "report/style.h"

#include <functional>
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

/// The members of one cause, and the member "suspects", as they stand in that object.
void write_cause_json(JsonWriter& out, const Cause& cause);
void write_suspects_json(JsonWriter& out, const std::vector<Suspect>& suspects);

/// One object, which begins with its "schema_version"; its shape: difference_json.cpp. `add_more`: members at
/// its end.
void write_difference_json(JsonWriter& out, const LogDifference& difference,
                           const std::function<void(JsonWriter&)>& add_more = {});

} // namespace detshim
