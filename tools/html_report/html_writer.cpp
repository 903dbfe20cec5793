#include "html_report/html_writer.h"

#include "verify/report.h"

#include <ostream>

namespace detshim {

void HtmlWriter::begin_tag(std::string_view tag, Attributes attributes) {
  out_ << '<' << tag;
  for (const auto& [name, value] : attributes)
    if (!value.empty()) out_ << ' ' << name << "=\"" << escaped(value) << '"';
  out_ << '>';
}

void HtmlWriter::open(std::string_view tag, Attributes attributes) {
  begin_tag(tag, attributes);
  open_.emplace_back(tag);
}

void HtmlWriter::close() {
  out_ << "</" << open_.back() << '>';
  // Not within a line of text, where a line end would show as a blank.
  if (open_.back() != "code" && open_.back() != "span" && open_.back() != "a" && open_.back() != "b")
    out_ << '\n';
  open_.pop_back();
}

void HtmlWriter::text(std::string_view text) { out_ << escaped(text); }

void HtmlWriter::end_line() { out_ << '\n'; }

void HtmlWriter::element(std::string_view tag, Attributes attributes, std::string_view content) {
  open(tag, attributes);
  text(content);
  close();
}

void HtmlWriter::empty(std::string_view tag, Attributes attributes) {
  begin_tag(tag, attributes);
  out_ << '\n';
}

void HtmlWriter::doctype() { out_ << "<!DOCTYPE html>\n"; }

void HtmlWriter::style_sheet(std::string_view css) {
  open("style");
  out_ << '\n' << css;
  close();
}

} // namespace detshim
