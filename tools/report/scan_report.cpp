#include "report/scan_report.h"

#include "report/json.h"
#include "support/wording.h"

#include <iostream>
#include <map>

namespace detshim {
namespace {

constexpr std::size_t shown_of_kind = 5;

/// One line a place; of each kind only the first few, unless `all`.
void print_places(const FileScan& scan, bool all) {
  std::map<DrawKind, std::size_t> printed, folded;
  for (const FoundPlace& place : scan.places) {
    if (!all && printed[place.kind] >= shown_of_kind) {
      ++folded[place.kind];
      continue;
    }
    ++printed[place.kind];
    std::cout << printable(place_text(scan, place)) << ' '
              << (place.function.empty() ? "?" : printable(place.function)) << ": "
              << draw_name(place.kind) << '\n';
  }
  for (const auto& [kind, count] : folded)
    std::cout << printable(scan.file) << ": and " << count << " more of " << draw_name(kind)
              << " (--all)\n";
}

} // namespace

void print_scan_text(const Scan& scan, bool all) {
  bool has_places = false;
  for (const FileScan& file : scan.files) {
    if (!file.not_reached.empty())
      std::cout << printable(file.file) << ": " << file.not_reached << '\n';
    else if (file.is_uncovered())
      print_places(file, all), has_places = true;
  }
  if (has_places)
    std::cout << "remedy: " << draw_remedy << '\n';
  for (const FileScan& file : scan.files) {
    if (file.left_alone.empty())
      continue;
    std::cout << "left alone on purpose: " << counted(file.places.size(), "place") << " in "
              << printable(file.file) << " (" << file.left_alone << ")\n";
    if (all)
      print_places(file, all);
  }
  for (const MissingLibrary& library : scan.missing)
    std::cout << "not looked at: " << printable(library.name) << ", which "
              << printable(library.needed_by) << " needs, " << library.why << '\n';
  if (const std::size_t undecoded = scan.undecoded(); undecoded > 0)
    std::cout << counted(undecoded, "place") << " could not be decoded\n";
  std::cout << counted(scan.files.size(), "file") << " looked at: "
            << (scan.is_uncovered() ? "the above is past any preload"
                                    : "no instruction that draws past a preload was found")
            << '\n';
}

void print_scan_json(const Scan& scan) {
  const auto file_json = [](const FileScan& file) -> Json {
    const auto place_json = [&file](const FoundPlace& place) -> Json {
      return {{"at", place_text(file, place)},
              {"function", unless_empty(place.function)},
              {"kind", draw_name(place.kind)}};
    };
    return {{"file", file.file},
            {"not_covered", unless_empty(file.not_reached)},
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
