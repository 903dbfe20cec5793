#include "html_report/html_writer.h"

#include "log_reader/printable.h"

#include <ostream>

namespace detshim {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    case '\'':
      result += "&#39;";
      break;
    default:
      result += c;
    }
  return result;
}

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

std::string HtmlWriter::unique_id(const std::string& name) {
  const int used = ids_[name]++;
  return used == 0 ? name : name + "-" + std::to_string(used + 1);
}

} // namespace detshim
