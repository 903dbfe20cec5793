#include "report/json.h"
#include "report/scan_report.h"
#include "support/wording.h"

#include <iostream>

namespace detshim {

void print_scan_json(const Scan& scan) {
  const auto file_json = [](const FileScan& file) -> Json {
    const auto place_json = [&file](const FoundPlace& place) -> Json {
      return {{"at", place_text(file, place)},
              {"function", unless_empty(place.function)},
              {"kind", draw_name(place.kind)}};
    };
    return {{"file", file.file},
            {"not_covered", unless_empty(file.not_covered)},
            {"left_alone", unless_empty(file.left_alone)},
            {"places", json_list(file.places, place_json)},
            {"undecoded", file.undecoded}};
  };
  const auto missing_json = [](const MissingLibrary& library) -> Json {
    return {{"library", library.name}, {"needed_by", library.needed_by}, {"why", library.why}};
  };
  print_json(std::cout, {{"schema_version", 1},
                         {"uncovered", scan.is_uncovered()},
                         {"files", json_list(scan.files, file_json)},
                         {"missing", json_list(scan.missing, missing_json)}});
}

} // namespace detshim
