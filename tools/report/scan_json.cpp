// The document of `detshim scan --json`, pure ASCII:
//
// {
//   "schema_version": 1,            version of this document
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
#include "report/json_writer.h"
#include "report/scan_report.h"

#include <iostream>

namespace detshim {
namespace {

void write_place(JsonWriter& out, const FileScan& file, const FoundPlace& place) {
  out.begin_object();
  out.member("at", place_text(file, place));
  out.member("function", unless_empty(place.function));
  out.member("kind", draw_name(place.kind));
  out.end_object();
}

void write_file(JsonWriter& out, const FileScan& file) {
  out.begin_object();
  out.member("file", file.file);
  out.member("not_covered", unless_empty(file.not_covered));
  out.member("left_alone", unless_empty(file.left_alone));
  out.key("places");
  out.begin_array();
  for (const FoundPlace& place : file.places) write_place(out, file, place);
  out.end_array();
  out.member("undecoded", file.undecoded);
  out.end_object();
}

void write_missing(JsonWriter& out, const MissingLibrary& library) {
  out.begin_object();
  out.member("library", library.name);
  out.member("needed_by", library.needed_by);
  out.member("why", library.why);
  out.end_object();
}

} // namespace

void print_scan_json(const Scan& scan) {
  JsonWriter out(std::cout);
  out.begin_object();
  out.member("schema_version", 1);
  out.member("uncovered", scan.is_uncovered());
  out.key("files");
  out.begin_array();
  for (const FileScan& file : scan.files) write_file(out, file);
  out.end_array();
  out.key("missing");
  out.begin_array();
  for (const MissingLibrary& library : scan.missing) write_missing(out, library);
  out.end_array();
  out.end_object();
  std::cout << '\n';
}

} // namespace detshim
