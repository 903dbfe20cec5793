// detshim scan: what in programs and libraries no preload can intercept, found by decoding their code.
//
// The document of `detshim scan --json`, pure ASCII:
//
// {
//   "format": 1,                    version of this document
//   "uncovered": true or false,     what the exit status says
//   "files": [{                     the files asked for, each with the libraries that it needs behind it
//     "file",
//     "not_covered": text or null,  why no preload reaches the program at all
//     "left_alone": text or null,   why what was found is no gap
//     "places": [{"at", "function": text or null, "kind"}],
//     "undecoded": number           places where decoding lost its way
//   }],
//   "missing": [{"library", "needed_by", "why"}]
// }
#include "log_reader/printable.h"
#include "scanner/scan.h"
#include "support/wording.h"
#include "verbs/verbs.h"

#include <nlohmann/json.hpp>

#include <iostream>
#include <map>

namespace detshim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t few = 5;

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json file_object(const FileScan& scan) {
  Json object = {{"file", scan.file},
                 {"not_covered", text_or_null(scan.not_covered)},
                 {"left_alone", text_or_null(scan.left_alone)},
                 {"places", Json::array()},
                 {"undecoded", scan.undecoded}};
  for (const FoundPlace& place : scan.places)
    object["places"].push_back({{"at", place_text(scan, place)},
                                {"function", text_or_null(place.function)},
                                {"kind", draw_name(place.kind)}});
  return object;
}

void print_json(const Scan& scan) {
  Json document = {{"format", 1},
                   {"uncovered", scan.is_uncovered()},
                   {"files", Json::array()},
                   {"missing", Json::array()}};
  for (const FileScan& file : scan.files) document["files"].push_back(file_object(file));
  for (const MissingLibrary& library : scan.missing)
    document["missing"].push_back(
        {{"library", library.name}, {"needed_by", library.asked_by}, {"why", library.why}});
  std::cout << document.dump(2, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) << '\n';
}

/// One line a place; of each kind only the first few, unless `all`.
void print_places(const FileScan& scan, bool all) {
  std::map<DrawKind, std::size_t> printed, folded;
  for (const FoundPlace& place : scan.places) {
    if (!all && printed[place.kind] >= few) {
      ++folded[place.kind];
      continue;
    }
    ++printed[place.kind];
    std::cout << printable(place_text(scan, place)) << ' '
              << (place.function.empty() ? "?" : printable(place.function)) << ": " << draw_name(place.kind)
              << '\n';
  }
  for (const auto& [kind, count] : folded)
    std::cout << printable(scan.file) << ": and " << count << " more of " << draw_name(kind) << " (--all)\n";
}

void print_text(const Scan& scan, bool all) {
  bool has_places = false;
  for (const FileScan& file : scan.files) {
    if (!file.not_covered.empty())
      std::cout << printable(file.file) << ": " << file.not_covered << '\n';
    else if (file.is_uncovered())
      print_places(file, all), has_places = true;
  }
  if (has_places) std::cout << "remedy: " << draw_remedy << '\n';
  for (const FileScan& file : scan.files) {
    if (file.left_alone.empty()) continue;
    std::cout << "left alone on purpose: " << counted(file.places.size(), "place") << " in "
              << printable(file.file) << " (" << file.left_alone << ")\n";
    if (all) print_places(file, all);
  }
  for (const MissingLibrary& library : scan.missing)
    std::cout << "not looked at: " << printable(library.name) << ", which " << printable(library.asked_by)
              << " needs, " << library.why << '\n';
  if (const std::size_t undecoded = scan.undecoded(); undecoded > 0)
    std::cout << counted(undecoded, "place") << " could not be decoded\n";
  std::cout << counted(scan.files.size(), "file") << " looked at: "
            << (scan.is_uncovered() ? "the above is past any preload"
                                    : "no instruction that draws past a preload was found")
            << '\n';
}

} // namespace

int scan(const ScanOptions& options) {
  if (options.files.empty())
    throw UsageError("no file to look at: detshim scan [options] FILE..., programs or shared libraries");
  const Scan scan = scan_files({options.files.begin(), options.files.end()}, options.alone);
  if (options.json)
    print_json(scan);
  else
    print_text(scan, options.all);
  return scan.is_uncovered() ? check_failed : done;
}

} // namespace detshim
