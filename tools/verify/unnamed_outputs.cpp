// Decides whether the files that two runs wrote hold the same, for those that the user did not
// name.
//
// What a file holds is known by its hash, taken when its run had ended. A small text is kept as
// well, so that its lines can be compared as the standard streams' are: but for the moments and
// durations of its run. Files are paired by their names, in which the moment of the run counts as
// one word: `runs/20261130-065616` of one run is `runs/20261130-065622` of the next.
//
// What the first run alone wrote is a cache, and no difference. It cannot know which of the files
// hold results.
#include "verify/unnamed_outputs.h"

#include "support/files.h"
#include "support/mapped_file.h"
#include "verify/report.h"

#include <algorithm>
#include <map>

#include <fnmatch.h>

namespace detshim {
namespace {

namespace fs = std::filesystem;

// Bytes; in memory, for each run.
constexpr std::size_t longest_text = 1 << 20;
constexpr std::size_t all_texts = 16 << 20;

/// True for one that text tools would read.
bool is_text(std::string_view contents) { return contents.find('\0') == contents.npos; }

bool is_ignored(const std::string& path, const ComparisonRules& rules) {
  return std::ranges::any_of(rules.ignored_files, [&](const std::string& glob) {
    return ::fnmatch(glob.c_str(), path.c_str(), 0) == 0;
  });
}

struct WrittenFile {
  std::string path, contents;
  const std::string* text = nullptr;
};

/// By their names, without the moment of their run.
std::map<std::string, WrittenFile> files_by_name(const Run& run, const VolatileText& volatile_text,
                                                 const ComparisonRules& rules) {
  std::map<std::string, WrittenFile> files;
  for (const auto& [path, contents] : run.unnamed_outputs.contents) {
    if (is_ignored(path, rules))
      continue;
    const auto text = run.unnamed_texts.find(path);
    files[volatile_text.masked(path, facts_of(run))] = {
        path, volatile_text.masked(contents, facts_of(run)),
        text == run.unnamed_texts.end() ? nullptr : &text->second};
  }
  return files;
}

/// How they differ; empty where they do not, but for times.
std::string difference_of(const WrittenFile& one, const Run& run, const WrittenFile& other,
                          const Run& other_run, const VolatileText& volatile_text) {
  if (one.contents == other.contents)
    return {};
  if (one.text == nullptr || other.text == nullptr)
    return "other bytes";
  static const std::vector<Pattern> none;
  const LineComparison lines = compare_lines(*one.text, facts_of(run), *other.text,
                                             facts_of(other_run), {volatile_text, none});
  return lines.different == 0 ? "" : describe_difference(content_difference(lines));
}

/// A name that the other run has not.
const WrittenFile* unshared(const std::map<std::string, WrittenFile>& files,
                            const std::map<std::string, WrittenFile>& others) {
  const auto alone = std::ranges::find_if(files, [&](const auto& file) {
    return !others.contains(file.first);
  });
  return alone == files.end() ? nullptr : &alone->second;
}

} // namespace

void keep_unnamed_texts(Run& run) {
  std::size_t kept = 0;
  for (const auto& [path, contents] : run.unnamed_outputs.contents) {
    std::error_code error;
    const bool is_small = fs::is_regular_file(fs::symlink_status(path, error)) &&
                          fs::file_size(path, error) <= longest_text && !error;
    if (!is_small || kept + longest_text > all_texts)
      continue;
    std::string text = read_file(path, longest_text);
    kept += text.size();
    if (is_text(text))
      run.unnamed_texts.emplace(path, std::move(text));
  }
}

std::vector<DifferingFile> differing_unnamed_outputs(const Run& one, const Run& other,
                                                     const ComparisonRules& rules) {
  const VolatileText volatile_text = volatile_text_of(one, rules);
  const std::map<std::string, WrittenFile> before = files_by_name(one, volatile_text, rules),
                                           now = files_by_name(other, volatile_text, rules);
  std::vector<DifferingFile> differing;
  for (const auto& [name, file] : now)
    if (const auto same = before.find(name); same != before.end())
      if (const std::string how = difference_of(same->second, one, file, other, volatile_text);
          !how.empty())
        differing.push_back({file.path, how});
  // Where each has one that the other has not, their names differ.
  const WrittenFile* const new_one = unshared(now, before);
  if (new_one != nullptr && unshared(before, now) != nullptr)
    differing.push_back({new_one->path, "another name"});
  return differing;
}

} // namespace detshim
