#include "report/json_writer.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <ostream>

namespace detshim {
namespace {

/// True if the text stands in JSON as it is, but for quotation marks and backslashes. Most do, and cost no
/// further look: a run that begins waits for its environment to be written.
bool is_printable_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F; });
}

void put_quoted(std::ostream& out, std::string_view text) {
  out << '"';
  for (std::size_t end; (end = text.find_first_of("\"\\")) != std::string_view::npos;) {
    out << text.substr(0, end) << '\\' << text[end];
    text.remove_prefix(end + 1);
  }
  out << text << '"';
}

void put_text(std::ostream& out, std::string_view text) {
  if (is_printable_ascii(text))
    put_quoted(out, text);
  else
    out << nlohmann::json(text).dump(-1, ' ', /*ensure_ascii=*/true,
                                     nlohmann::json::error_handler_t::replace);
}

} // namespace

void JsonWriter::break_line() {
  out_ << '\n';
  for (std::size_t i = 0; i < depth_; ++i) out_ << "  ";
}

void JsonWriter::begin_value() {
  if (!has_key_ && depth_ > 0) {
    if (!is_empty_) out_ << ',';
    break_line();
  }
  has_key_ = is_empty_ = false;
}

void JsonWriter::key(std::string_view name) {
  begin_value();
  put_text(out_, name);
  out_ << ": ";
  has_key_ = true;
}

void JsonWriter::write(std::string_view text) {
  begin_value();
  out_ << text;
}

void JsonWriter::begin(char bracket) {
  begin_value();
  out_ << bracket;
  ++depth_;
  is_empty_ = true;
}

void JsonWriter::end(char bracket) {
  --depth_;
  if (!is_empty_) break_line();
  out_ << bracket;
  is_empty_ = false;
}

void JsonWriter::value(std::string_view text) {
  begin_value();
  put_text(out_, text);
}

} // namespace detshim
