// A verification is shown by its document, member by member; logs, and what differs between two, by
// the text that `detshim log` and `detshim log diff` print.
#include "html_report/html_report.h"

#include "html_report/html.h"
#include "html_report/style_sheet.h"
#include "log_diff/difference_report.h"
#include "log_diff/log_diff.h"
#include "log_reader/open_file.h"
#include "log_reader/source_lines.h"
#include "report/json.h"
#include "report/log_report.h"
#include "support/exit_status.h"
#include "support/lists.h"
#include "support/wording.h"
#include "verify/report.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <system_error>

namespace detshim {
namespace {

constexpr int known_schema = 1;
constexpr std::uintmax_t largest_document = 256u << 20;
constexpr std::size_t most_entries = 500; // of one list

// ------------------------------------------------------------------ what a report is about

/// One log, or the logs of the runs of a verification.
struct Logs {
  std::unique_ptr<const JudgedLog> first; ///< of the first run; null where that has none
  std::string one, other; ///< names of the first run and of the first that differs from it
  std::optional<LogDifference> difference; ///< of their logs
  std::string problem;                     ///< why these could not be compared; not safe to print
};

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw UsageError(in_quotes(file) + " " + why);
}

Log read_named_log(const std::string& name) {
  const RunPlace place = find_run(name);
  return read_log(place.folder, place.run);
}

bool is_there(const Log& log) {
  return std::ranges::any_of(log.processes, &Process::holds_a_record);
}

bool is_folder(const std::string& name) {
  std::error_code error;
  return fs::is_directory(name, error);
}

Json read_document(const std::string& file) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  if (error)
    refuse(file, "cannot be read: " + error.message());
  if (size > largest_document)
    refuse(file, "is no document of `detshim verify --json`: it is too large");
  std::ifstream in(file, std::ios::binary);
  Json json = Json::parse(in, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("schema_version") || !json.contains("runs"))
    refuse(file, "is no document of `detshim verify --json`");
  if (json["schema_version"] != known_schema)
    refuse(file, "is of schema version " +
                     json["schema_version"].dump(-1, ' ', true, Json::error_handler_t::replace) +
                     ", this detshim reads " + std::to_string(known_schema));
  const auto is_list = [&json](const char* name) {
    return json.value(name, Json::array()).is_array() &&
           std::ranges::all_of(json.value(name, Json::array()), &Json::is_object);
  };
  if (!is_list("runs") || !is_list("differences") || !json.value("verdict", Json("")).is_string())
    refuse(file, "is no document of `detshim verify --json`: a member has another type");
  return json;
}

/// The log of a run: its folder may have been moved with the document, or copied from another
/// machine.
std::string log_of(const Json& run, const std::string& document) {
  const std::string folder = text_of(run, "folder");
  const fs::path sibling = fs::path(document).parent_path() / fs::path(folder).filename();
  return (is_folder(folder) ? folder : sibling.string()) + "/log";
}

Logs read_logs_of(const Json& json, const std::string& document, const Judge& judge) {
  Logs logs;
  const Json& runs = json["runs"];
  if (!runs.empty() && is_folder(log_of(runs.front(), document)))
    logs.first = judge(read_named_log(log_of(runs.front(), document)));
  if (logs.first && !is_there(logs.first->log))
    logs.first.reset();
  const Json cause = json.value("first_cause", Json()),
             differences = json.value("differences", Json::array());
  if (differences.empty())
    return logs;
  const Json& pair = cause.is_object() ? cause : differences.front();
  logs.one = text_of(pair, "one");
  logs.other = text_of(pair, "other");
  if (cause.is_object() && (text_of(cause, "log").empty() || text_of(cause, "other_log").empty()))
    return logs;
  const auto run_named = [&runs](const std::string& name) {
    return std::ranges::find_if(runs, [&](const Json& run) {
      return text_of(run, "name") == name;
    });
  };
  const auto first = run_named(logs.one), other = run_named(logs.other);
  if (first == runs.end() || other == runs.end()) {
    logs.problem = "the document does not say where their logs are";
    return logs;
  }
  try {
    logs.difference = compare_logs(log_of(*first, document), log_of(*other, document));
  } catch (const std::exception& error) {
    logs.problem = error.what();
  }
  return logs;
}

Logs read_log_alone(const std::string& name, const Judge& judge) {
  Logs logs;
  logs.first = judge(read_named_log(name));
  if (is_there(logs.first->log))
    return logs;
  if (const Log& log = logs.first->log; !log.other_format_files.empty())
    throw UsageError("the log in " + in_quotes(name) + " " + log.other_format_files.front().text());
  refuse(name, "holds neither a log nor what `detshim verify` keeps");
}

// ------------------------------------------------------------------ JSON for people

/// In one line; empty for what says nothing.
std::string as_text(const Json& value) {
  if (value.is_null() || (value.is_structured() && value.empty()))
    return {};
  if (value.is_string())
    return value.get<std::string>();
  if (value.is_number_float())
    return fmt::format("{:.3g}", value.get<double>());
  if (!value.is_structured())
    return value.dump();
  std::string text;
  for (const auto& [key, entry] : value.items()) {
    const std::string entry_text = as_text(entry);
    if (!entry_text.empty() && value.is_object())
      text += (text.empty() ? "" : ", ") + key + " " + entry_text;
    if (!entry_text.empty() && value.is_array())
      text += (text.empty() ? "" : " ") + entry_text;
  }
  return text;
}

/// "max absolute" of "max_absolute".
std::string as_heading(std::string key) {
  std::ranges::replace(key, '_', ' ');
  return key;
}

/// An entry that has a text is that, behind what it is of: "metric 'loss': run 1 and run 2: ...".
std::string line_of(const Json& entry) {
  if (!entry.is_object())
    return as_text(entry);
  const std::string text = text_of(entry, "text"), subject = text_of(entry, "subject");
  if (text.empty())
    return {};
  for (const char* const name : {"kind", "perturbation"})
    if (const std::string kind = text_of(entry, name); !kind.empty())
      return kind + (subject.empty() ? "" : " '" + subject + "'") + ": " + text;
  return text;
}

Html lines_of(const Json& entries) {
  Html items;
  for (std::size_t i = 0; i < std::min(entries.size(), most_entries); ++i)
    items += element("li", line_of(entries[i]));
  return element("ul", items);
}

/// Columns are the members of the entries that say something in one of them.
Html table_of(const std::string& caption, const Json& entries) {
  std::vector<std::string> columns;
  const std::size_t count = std::min(entries.size(), most_entries);
  for (std::size_t i = 0; i < count; ++i)
    for (const auto& [key, value] : entries[i].items())
      if (!as_text(value).empty())
        add_once(columns, key);
  Html heads, rows;
  for (const std::string& column : columns)
    heads += element("th", {{"scope", "col"}}, as_heading(column));
  for (std::size_t i = 0; i < count; ++i) {
    Html cells;
    for (const std::string& column : columns)
      cells += element("td", as_text(entries[i].value(column, Json())));
    rows += element("tr", cells);
  }
  return element(
      "div", {{"class", "scrolls"}, {"tabindex", "0"}},
      element("table", element("caption", as_heading(caption)) + element("tr", heads) + rows));
}

Html list_of(const std::string& name, const Json& entries) {
  const bool are_lines = std::ranges::none_of(entries, [](const Json& entry) {
    return line_of(entry).empty();
  });
  const bool are_objects = std::ranges::all_of(entries, &Json::is_object);
  Html list = element("h2", as_heading(name)) +
              (are_objects && !are_lines ? table_of(name, entries) : lines_of(entries));
  if (entries.size() > most_entries)
    list += element("p", "and " + std::to_string(entries.size() - most_entries) + " more");
  return list;
}

// ------------------------------------------------------------------ lines of source

constexpr std::size_t lines_around = 2;
constexpr std::size_t longest_line = 200;
constexpr std::uintmax_t largest_file = 8u << 20;
constexpr std::string_view endings[] = {".py",  ".pyx", ".c",  ".cc", ".cpp", ".cxx",
                                        ".cu",  ".cuh", ".h",  ".hh", ".hpp", ".hxx",
                                        ".f90", ".jl",  ".rs", ".go"};

struct SourcePosition {
  std::string file;
  std::size_t number = 0;
};

/// Of "train.py:12 main".
std::optional<SourcePosition> line_of_frame(const std::string& frame) {
  const std::string line = frame.substr(0, frame.rfind(' '));
  const std::size_t colon = std::min(line.rfind(':'), line.size());
  const auto number =
      number_in<std::size_t>(std::string_view(line).substr(std::min(colon + 1, line.size())));
  return number ? std::optional(SourcePosition{line.substr(0, colon), *number}) : std::nullopt;
}

std::optional<SourcePosition> user_line(const Call& call, SourceLines& source_lines) {
  if (!call.python.empty())
    return line_of_frame(
        call.python.frames[std::min(call.python.user.value_or(0), call.python.frames.size() - 1)]);
  const std::optional<UserLine> user = source_lines.find_user(call.at, call.frames);
  if (!user || user->line.file.empty() || user->line.line <= 0)
    return std::nullopt;
  return SourcePosition{user->line.file, static_cast<std::size_t>(user->line.line)};
}

bool may_be_shown(const std::string& file, std::int64_t log_written) {
  std::error_code error;
  return std::ranges::find(endings, fs::path(file).extension().string()) != std::end(endings) &&
         fs::is_regular_file(file, error) && fs::file_size(file, error) <= largest_file &&
         (log_written == 0 || last_written(file) <= log_written);
}

/// The lines of source around a place, as they stand on disk.
struct SourceExcerpt {
  std::string file;
  std::size_t line = 0;  ///< the one that is meant, from 1
  std::size_t first = 0; ///< the number of lines.front()
  std::vector<std::string> lines;
};

/// Around the user's line of a call. Nothing where the file is not there, was written after the
/// log, or is no file of source by its name: a log may name any file, and a report is handed on.
std::optional<SourceExcerpt> source_excerpt(const Call& call, SourceLines& source_lines,
                                            std::int64_t log_written) {
  const std::optional<SourcePosition> line = user_line(call, source_lines);
  if (!line || line->number == 0 || !may_be_shown(line->file, log_written))
    return std::nullopt;
  SourceExcerpt excerpt{
      line->file, line->number, line->number - std::min(line->number - 1, lines_around), {}};
  std::ifstream in(line->file);
  std::string text;
  for (std::size_t number = 1; number <= line->number + lines_around && std::getline(in, text);
       ++number)
    if (number >= excerpt.first)
      excerpt.lines.push_back(text.substr(0, longest_line));
  if (excerpt.lines.size() <= line->number - excerpt.first)
    return std::nullopt; // the file is shorter
  return excerpt;
}

// ------------------------------------------------------------------ the page

Html word_of(const std::string& word, const std::string& text) {
  return element("h1", element("span", {{"class", "hidden"}}, "Verdict: ") +
                           element("span", {{"class", "word " + word}}, word)) +
         element("p", {{"class", "lead"}}, text);
}

Html heading_of(const Json& json) {
  const std::string word = text_of(json, "verdict"), text = text_of(json, "text");
  Html facts;
  for (const auto& [name, value] : json.items()) {
    const bool is_fact = !value.is_structured() || name == "command";
    const bool is_shown_above = name == "verdict" || name == "text" || name == "schema_version";
    if (!is_fact || is_shown_above || as_text(value).empty())
      continue;
    facts += element("dt", as_heading(name)) + element("dd", as_text(value));
  }
  return word_of(word, text.starts_with(word + " - ") ? text.substr(word.size() + 3) : text) +
         element("dl", {{"class", "facts"}}, facts);
}

Html lists_of(const Json& json) {
  Html lists;
  for (const auto& [name, value] : json.items())
    if (value.is_array() && !value.empty() && name != "command")
      lists += list_of(name, value);
  return lists;
}

/// Text as a terminal shows it.
Html preformatted(const std::string& text) {
  Html content;
  for (const std::string& line : split(text, '\n'))
    content += Html(line) + Html::of_our_own("\n");
  return element("pre", {{"tabindex", "0"}}, content);
}

Html excerpt_of(const SourceExcerpt& excerpt) {
  Html items;
  for (std::size_t i = 0; i < excerpt.lines.size(); ++i) {
    std::string line = excerpt.lines[i];
    std::ranges::replace(line, '\t', ' '); // it would come out as an escape
    items += element("li", {{"class", excerpt.first + i == excerpt.line ? "meant" : "around"}},
                     element("code", line));
  }
  return element("figure", {{"class", "source"}},
                 element("figcaption", excerpt.file + ", line " + std::to_string(excerpt.line)) +
                     element("ol", {{"start", std::to_string(excerpt.first)}}, items));
}

Html first_cause_of(const Json& json, const Logs& logs) {
  if (logs.one.empty())
    return {};
  Html html = element("h2", "First cause") +
              element("p", "A is " + logs.one + ", B is " + logs.other + ".");
  const Json cause = json.value("first_cause", Json());
  if (cause.is_object() && !text_of(cause, "text").empty())
    html += element("p", text_of(cause, "text"));
  if (cause.is_object() && cause.value("suspects", Json()).is_array())
    html += lines_of(cause["suspects"]);
  if (!logs.difference && logs.problem.empty())
    return html;
  if (!logs.difference)
    return html + element("p", "The logs of " + logs.one + " and " + logs.other +
                                   " could not be compared: " + logs.problem);
  const Cause* const first = logs.difference->first_cause();
  if (first == nullptr)
    html += element("p", "Their logs agree: what made the runs differ left no record.");
  if (first != nullptr && first->record && logs.first) {
    SourceLines source_lines(logs.first->code.changed);
    if (const auto excerpt =
            source_excerpt(first->record->call(), source_lines, logs.first->log.written))
      html += excerpt_of(*excerpt);
  }
  std::ostringstream text;
  print_difference_text(text, *logs.difference, Style{});
  return html + preformatted(text.str());
}

/// What `detshim log` prints of it.
Html text_of_log(const JudgedLog& judged) {
  std::ostringstream text;
  print_log_text(text, judged, /*all=*/false, Style{});
  return preformatted(text.str());
}

Html head_of(const std::string& title) {
  // No script, no picture, no request: what slipped through the escapes could still do nothing.
  constexpr const char* policy =
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
  return element(
      "head",
      Html::tag("meta", {{"charset", "utf-8"}}) +
          Html::tag("meta", {{"http-equiv", "Content-Security-Policy"}, {"content", policy}}) +
          Html::tag("meta",
                    {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}}) +
          Html::tag("meta", {{"name", "color-scheme"}, {"content", "light dark"}}) +
          Html::tag("meta", {{"name", "referrer"}, {"content", "no-referrer"}}) +
          element("title", title + " - detshim report") +
          element("style", Html::of_our_own(style_sheet)));
}

} // namespace

std::string html_report(const std::string& name, const Judge& judge) {
  std::error_code error;
  const std::string kept = name + "/" + verify_document_file;
  const bool is_verification = fs::is_regular_file(name, error) || fs::is_regular_file(kept, error);
  const std::string document = is_folder(name) ? kept : name;
  const Json json = is_verification ? read_document(document) : Json();
  const Logs logs =
      is_verification ? read_logs_of(json, document, judge) : read_log_alone(name, judge);

  const std::string level = logs.first ? level_name(logs.first->verdict.level) : "";
  constexpr std::size_t longest = 80;
  const std::string title =
      is_verification
          ? text_of(json, "verdict") + ": " + cut(as_text(json.value("command", Json())), longest)
          : level + ": " + name;
  Html content = is_verification ? heading_of(json) + first_cause_of(json, logs) + lists_of(json)
                                 : word_of(level, meaning_of(logs.first->verdict));
  if (logs.first)
    content += element("h2", is_verification ? "The log of the first run: " + level
                                             : "The log in " + name) +
               text_of_log(*logs.first);
  return "<!DOCTYPE html>\n" + element("html", {{"lang", "en"}},
                                       head_of(title) + element("body", element("main", content)))
                                   .text();
}

} // namespace detshim
