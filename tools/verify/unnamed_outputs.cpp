// Decides whether the files that two runs wrote hold the same, for those that the user did not
// name.
//
// What a file holds is known by its hash, taken when its run had ended. A small text is kept as
// well, so that its lines can be compared as the standard streams' are: but for the moments and
// durations of its run. Files are paired by their names, in which the moment of the run counts as
// one word: `runs/20261130-065616` of one run is `runs/20261130-065622` of the next.
//
// A pickle, also that of a checkpoint, is a text too, by what it says
// (artifact_formats/listing.cpp). A table's columns have the names that stand above them: `elapsed`
// of a row is one as it is in a line of its own.
//
// What the first run of all alone wrote, and what is there still, is a cache and no difference. Any
// other file that one run has and the next has not is one. It cannot know which of the files hold
// results.
#include "verify/unnamed_outputs.h"

#include "artifact_formats/artifact_formats.h"
#include "support/files.h"
#include "support/mapped_file.h"
#include "support/wording.h"
#include "verify/difference_text.h"
#include "verify/found_results.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include <fnmatch.h>

namespace detshim {
namespace {

namespace fs = std::filesystem;

// Bytes; in memory, for each run.
constexpr std::size_t longest_text = 1 << 20;
constexpr std::size_t longest_checkpoint = 256 << 20;
constexpr std::size_t all_texts = 16 << 20;

/// Files that are no text, by their endings, and what makes lines of them.
using List = std::optional<std::string>(std::string_view bytes);
constexpr std::pair<std::string_view, List*> listings[] = {
    {".pt", checkpoint_listing}, {".pth", checkpoint_listing}, {".ckpt", checkpoint_listing},
    {".pkl", pickle_listing},    {".pickle", pickle_listing},
};

/// True for lines of text. Of lines that a terminal would overwrite (\r) a file keeps all states.
bool is_text(std::string_view contents) {
  for (std::size_t at = 0; (at = contents.find('\r', at)) != contents.npos; ++at)
    if (contents.substr(at, 2) != "\r\n")
      return false;
  return contents.find('\0') == contents.npos;
}

std::vector<std::string_view> fields_of(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  for (std::size_t end = 0; end != line.npos; line.remove_prefix(end + 1)) { // npos + 1 is 0
    end = line.find(separator);
    fields.push_back(line.substr(0, end));
  }
  return fields;
}

/// A name that nothing has to be quoted for.
bool is_plain_name(std::string_view text) {
  return !text.empty() && text.find_first_of("\"'=: \t") == text.npos &&
         std::isdigit(static_cast<unsigned char>(text.front())) == 0;
}

/// Of a table each row as `name=value, name=value`, by the names in its first line. Rows of another
/// width, or with quotes, are as they are.
std::string with_names_of_columns(std::string_view text, char separator) {
  std::string result;
  std::vector<std::string_view> names;
  each_line(text, [&](std::string_view line, std::uint64_t number) {
    const std::vector<std::string_view> fields = fields_of(line, separator);
    const bool is_head = number == 1;
    if (is_head && std::ranges::all_of(fields, is_plain_name))
      names = fields;
    const bool is_row =
        !is_head && fields.size() == names.size() && line.find_first_of("\"'") == line.npos;
    for (std::size_t i = 0; is_row && i < fields.size(); ++i)
      result.append(i == 0 ? "" : ", ").append(names[i]).append("=").append(fields[i]);
    if (!is_row)
      result += line;
    result += '\n';
  });
  return result;
}

/// What a text holds, for a comparison by lines.
std::string comparable(const std::string& path, std::string text) {
  const std::string extension = fs::path(path).extension();
  if (extension == ".csv")
    return with_names_of_columns(text, ',');
  return extension == ".tsv" ? with_names_of_columns(text, '\t') : std::move(text);
}

/// What a small text holds, or a pickle, for a comparison by lines.
std::optional<std::string> text_of_file(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = fs::is_regular_file(fs::symlink_status(path, error))
                                  ? fs::file_size(path, error)
                                  : longest_checkpoint + 1;
  if (error || size > longest_checkpoint)
    return {};
  const std::string extension = fs::path(path).extension();
  const auto* const listing =
      std::ranges::find(listings, extension, &std::pair<std::string_view, List*>::first);
  std::optional<std::string> text;
  try {
    if (listing != std::end(listings))
      text = listing->second(MappedFile(path).bytes());
    else if (size <= longest_text)
      text = comparable(path, read_file(path, longest_text));
  } catch (const std::system_error&) {
    return {}; // gone, or not to be read: its hash tells
  }
  return text && text->size() <= longest_text && is_text(*text) ? std::move(text) : std::nullopt;
}

bool is_ignored(const std::string& path, const ComparisonRules& rules) {
  return std::ranges::any_of(rules.ignored_files, [&](const std::string& glob) {
    return ::fnmatch(glob.c_str(), path.c_str(), 0) == 0;
  });
}

struct WrittenFile {
  std::string path, contents;
  const std::string* text = nullptr;
};

/// By their names, without the moment of their run: the second one of a name has a number too.
std::map<std::string, WrittenFile> files_by_name(const Run& run, const VolatileText& volatile_text,
                                                 const ComparisonRules& rules) {
  std::map<std::string, WrittenFile> files;
  const RunFacts facts = facts_of(run);
  for (const auto& [path, contents] : run.unnamed_outputs.contents) {
    if (is_ignored(path, rules))
      continue;
    const std::string name = volatile_text.masked(path, facts);
    std::string key = name;
    for (int number = 2; files.contains(key); ++number)
      key = name + '\0' + std::to_string(number);
    const auto text = run.unnamed_texts.find(path);
    const bool is_link = run.unnamed_outputs.links.contains(path);
    files[key] = {path, is_link ? volatile_text.masked(contents, facts) : contents,
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

/// Of the first file that the other run has not written; `may_be_cache`: it may be there for it.
const WrittenFile* unshared(const std::map<std::string, WrittenFile>& files,
                            const std::map<std::string, WrittenFile>& others, bool may_be_cache) {
  const auto alone = std::ranges::find_if(files, [&](const auto& file) {
    std::error_code error;
    const bool is_there = fs::exists(fs::symlink_status(file.second.path, error));
    return !others.contains(file.first) && !(may_be_cache && is_there);
  });
  return alone == files.end() ? nullptr : &alone->second;
}

/// "runs/log.csv", as seen from the working folder, if it lies below.
std::string shown_path(const std::string& path) {
  std::error_code error;
  const std::string relative = fs::path(path).lexically_relative(fs::current_path(error));
  return relative.empty() || relative.starts_with("..") ? path : relative;
}

} // namespace

void keep_unnamed_texts(Run& run) {
  std::size_t kept = 0;
  for (const auto& [path, contents] : run.unnamed_outputs.contents) {
    if (kept + longest_text > all_texts)
      return;
    std::optional<std::string> text = text_of_file(path);
    if (!text)
      continue;
    kept += text->size();
    run.unnamed_texts.emplace(path, std::move(*text));
  }
}

std::vector<WrittenResult> equal_written_results(const Run& one, const Run& other,
                                                 const ComparisonRules& rules) {
  static const std::vector<Pattern> none;
  const VolatileText volatile_text = volatile_text_of(one, rules);
  const std::map<std::string, WrittenFile> before = files_by_name(one, volatile_text, rules),
                                           now = files_by_name(other, volatile_text, rules);
  std::vector<WrittenResult> equal;
  for (const auto& [name, file] : now) {
    const auto same = before.find(name);
    if (same == before.end() || file.text == nullptr || same->second.text == nullptr)
      continue;
    FoundResults results;
    compare_lines(*same->second.text, facts_of(one), *file.text, facts_of(other),
                  {volatile_text, none, nullptr, results.visit()});
    for (const FoundResults::Pair& pair : results.pairs())
      if (!compare_series(pair.one, pair.other, {}))
        equal.push_back({pair.name, shown_path(file.path), pair.one.size()});
  }
  return equal;
}

UnnamedDifferences compare_unnamed_outputs(const Run& one, const Run& other, bool is_first_pair,
                                           const ComparisonRules& rules) {
  const VolatileText volatile_text = volatile_text_of(one, rules);
  const std::map<std::string, WrittenFile> before = files_by_name(one, volatile_text, rules),
                                           now = files_by_name(other, volatile_text, rules);
  UnnamedDifferences differences;
  for (const auto& [name, file] : now) {
    const auto same = before.find(name);
    if (same == before.end() || same->second.contents == file.contents)
      continue;
    if (const std::string how = difference_of(same->second, one, file, other, volatile_text);
        how.empty())
      differences.of_times.push_back(shown_path(file.path));
    else
      differences.files.push_back({file.path, how});
  }
  const WrittenFile* const new_one = unshared(now, before, false);
  const WrittenFile* const old_one = unshared(before, now, is_first_pair && new_one == nullptr);
  if (new_one != nullptr && old_one != nullptr)
    differences.files.push_back({new_one->path, "another name"});
  else if (const WrittenFile* const only = new_one != nullptr ? new_one : old_one; only != nullptr)
    differences.files.push_back({only->path, "of one run alone"});
  return differences;
}

} // namespace detshim
