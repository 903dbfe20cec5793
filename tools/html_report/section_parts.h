// What several sections are made of: headings, tables, facts.
#pragma once

#include "html_report/html_writer.h"

#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

namespace detshim {

/// <section> with its <h2>, which is found under #id.
class ReportSection {
public:
  ReportSection(HtmlWriter& html, const std::string& id, const std::string& title);

private:
  Element section_;
};

struct Column {
  enum class Kind { text, number, code };
  const char* title;
  Kind kind = Kind::text;
};

/// A table with a caption; the first cell of a row is its heading.
class Table {
public:
  enum class Width { wraps, scrolls }; ///< scrolls: within its own frame, where many columns need it

  Table(HtmlWriter& html, const std::string& caption, std::initializer_list<Column> columns,
        Width width = Width::wraps)
      : Table(html, caption, std::vector<Column>(columns), width) {}
  Table(HtmlWriter& html, const std::string& caption, std::vector<Column> columns, Width width);
  ~Table();
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  /// `mark`: a class of the style sheet; empty: none.
  void row(const std::vector<std::string>& cells, const std::string& mark = "");

private:
  HtmlWriter& html_;
  std::vector<Column> columns_;
  std::size_t elements_ = 0;
};

/// A line of a <dl>; nothing for an empty text.
void write_fact(HtmlWriter& html, const char* name, const std::string& text);

/// <p class="note">.
void write_note(HtmlWriter& html, const std::string& text);

/// The command in one line.
std::string command_line(const std::vector<std::string>& words);

} // namespace detshim
