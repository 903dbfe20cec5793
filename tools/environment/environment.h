// What a run stood on, besides its program: captured, kept beside a log, compared with another's.
//
// An environment is flat: sections of subjects with one text each, so that everything is compared in one way.
// What could not be captured is written down with the reason, and never counts as equal.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace detshim {

/// The worst first: what changes results most often, and most directly.
enum class EnvironmentSection {
  libraries, ///< files that were mapped, by build
  driver,    ///< GPUs and their driver
  loader,    ///< what decides which libraries come up
  settings,  ///< variables that libraries and frameworks read
  versions,  ///< distributions of Python and conda as on disk
  code,      ///< program, arguments, git states
  caches,    ///< folders whose contents decide later runs
  machine,
  packages, ///< Debian's and rpm's, of the mapped files; modules loaded
  session,  ///< limits, locale, timezone
  others,   ///< all other variables, by hash
};
inline constexpr auto environment_section_names =
    std::to_array<std::string_view>({"libraries", "driver", "loader", "settings", "versions", "code",
                                     "caches", "machine", "packages", "session", "others"});
inline constexpr std::size_t environment_sections = environment_section_names.size();

/// A fact, or why it is none.
struct Known {
  std::string text, problem;
};

struct CapturedSection {
  std::map<std::string, std::string> facts;   ///< by subject; not safe to print
  std::map<std::string, std::string> unknown; ///< why, by subject; "" for the whole section

  void put(const std::string& subject, const Known& known) {
    (known.problem.empty() ? facts : unknown)[subject] = known.problem.empty() ? known.text : known.problem;
  }
};

struct Environment {
  std::string run;                           ///< of that run; empty: of none
  std::string host;                          ///< the machine's name; empty where it is not known
  std::int64_t began = 0;                    ///< nanoseconds since 1970 (UTC): what is captured is of then
  bool is_complete = false;                  ///< false: as `run` captures it, which is in haste
  std::map<std::string, std::string> places; ///< files and folders to look at later, which are not compared
  std::array<CapturedSection, environment_sections> sections;

  /// Empty where it is not known.
  std::string place(const std::string& what) const {
    const auto found = places.find(what);
    return found == places.end() ? "" : found->second;
  }

  CapturedSection& of(EnvironmentSection section) { return sections[static_cast<std::size_t>(section)]; }
  const CapturedSection& of(EnvironmentSection section) const {
    return sections[static_cast<std::size_t>(section)];
  }
};

/// Of a variable whose value is not kept, what stands before its hash: the lower 32 bits of FNV-1a of 64.
inline constexpr const char* hashed_value = "hash ";
std::string variable_hash(std::string_view value);

/// How subjects of the session begin that are limits of the process.
inline constexpr std::string_view limit_subject = "limit of ";

/// Of what may be a secret. Two that differ do not show, nor that they are equal.
inline constexpr const char* hidden_value = "set; it may be a secret, and its value is not kept";

/// Of what a run alone has, in an environment of none. On both sides it is nothing that could differ.
inline constexpr const char* of_no_run = "this is of no run";

/// The version of that document; a reader refuses others.
inline constexpr int environment_schema = 1;

/// One JSON document with a `schema_version`: docs/ENVIRONMENT.md.
std::string environment_json(const Environment& environment);

enum class Links { followed, refused };

/// Reads such a file. Throws UsageError for what is none.
Environment read_environment_file(const std::string& file, Links links = Links::followed);

} // namespace detshim
