// What a value of an environment is about: a kind, and a name of that kind.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace detshim {

enum class SubjectKind {
  plain, ///< what the name says by itself: "kernel", or a library's name
  variable,
  limit, ///< of the process
  git,   ///< of the repository that the run begins in
  file,  ///< that the run used; with a slash behind its name, the names in a folder
  files_in_folder,
  link,
  attributes, ///< extended ones, of a file
  source,     ///< the folder of an editable distribution
  python,     ///< a distribution
  conda,
  debian,
  start_file, ///< what Python's site module runs
  gpu,
};

/// By kind: the word in a document, which stands in front of the name where a reader sees it, but
/// for `plain`.
inline constexpr auto subject_kind_words = std::to_array<std::string_view>(
    {"plain", "variable", "limit of", "git", "file", "files in", "link", "attributes of",
     "source of", "python", "conda", "debian", "start file", "GPU"});

constexpr std::string_view word_of(SubjectKind kind) {
  return subject_kind_words[static_cast<std::size_t>(kind)];
}

struct Subject {
  SubjectKind kind = SubjectKind::plain;
  std::string name; ///< empty: all of that kind; of `plain`, the whole section

  Subject() = default;
  Subject(SubjectKind of_kind, std::string of_name) : kind(of_kind), name(std::move(of_name)) {}
  Subject(const char* plain_name) : name(plain_name) {}
  Subject(std::string plain_name) : name(std::move(plain_name)) {}

  auto operator<=>(const Subject&) const = default;
};

inline const Subject whole_section;

/// As a reader sees it: "file train.py", "kernel", "python *" for all distributions; empty for the
/// whole section. Not safe to print.
std::string subject_text(const Subject& subject);

} // namespace detshim
