#include "html_report/section_parts.h"

#include "log_reader/printable.h"

#include <utility>

namespace detshim {

ReportSection::ReportSection(HtmlWriter& html, const std::string& id, const std::string& title)
    : section_(html, "section", {{"aria-labelledby", id}}) {
  html.element("h2", {{"id", html.unique_id(id)}}, title);
}

Table::Table(HtmlWriter& html, const std::string& caption, std::vector<Column> columns, Width width)
    : html_(html), columns_(std::move(columns)) {
  const auto open = [this](const char* tag, HtmlWriter::Attributes attributes = {}) {
    html_.open(tag, attributes);
    ++elements_;
  };
  if (width == Width::scrolls)
    open("div", {{"class", "scrolls"}, {"role", "region"}, {"tabindex", "0"}, {"aria-label", caption}});
  open("table");
  html_.element("caption", caption);
  html_.open("thead");
  html_.open("tr");
  for (const Column& column : columns_)
    if (column.kind == Column::Kind::number)
      html_.element("th", {{"scope", "col"}, {"class", "number"}}, column.title);
    else
      html_.element("th", {{"scope", "col"}}, column.title);
  html_.close();
  html_.close();
  open("tbody");
}

Table::~Table() {
  for (; elements_ > 0; --elements_) html_.close();
}

void Table::row(const std::vector<std::string>& cells, const std::string& mark) {
  html_.open("tr");
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Column::Kind kind = columns_[i].kind;
    const char* const look = kind == Column::Kind::number ? "number"
                             : kind == Column::Kind::code ? "code"
                                                          : "";
    const std::string classes = mark.empty() ? look : *look == 0 ? mark : mark + " " + look;
    const char* const tag = i == 0 ? "th" : "td";
    if (i == 0)
      html_.open(tag, {{"scope", "row"}, {"class", classes}});
    else if (!classes.empty())
      html_.open(tag, {{"class", classes}});
    else
      html_.open(tag);
    html_.text(cells[i]);
    html_.close();
  }
  html_.close();
}

void write_fact(HtmlWriter& html, const char* name, const std::string& text) {
  if (text.empty()) return;
  html.element("dt", name);
  html.element("dd", text);
}

void write_note(HtmlWriter& html, const std::string& text) { html.element("p", {{"class", "note"}}, text); }

std::string command_line(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + printable(word);
  return text;
}

} // namespace detshim
