// HTML as values. A text becomes one by being escaped, and in no other way: a log, a program's
// output and a file's name may hold anything.
#pragma once

#include "verify/report.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace detshim {

class Html {
public:
  /// One without a value is left out.
  using Attributes = std::initializer_list<std::pair<std::string_view, std::string>>;

  Html() = default;
  explicit Html(std::string_view text) : html_(escaped(text)) {}

  /// What we have written ourselves: it is as it stands.
  static Html of_our_own(std::string_view html) {
    Html result;
    result.html_ = html;
    return result;
  }

  /// The tag that begins an element, or is all of one that never holds anything, such as <meta>.
  static Html tag(std::string_view name, Attributes attributes = {}) {
    Html result = of_our_own("<" + std::string(name));
    for (const auto& [attribute, value] : attributes)
      if (!value.empty())
        result.html_.append(" ").append(attribute) += "=\"" + escaped(value) + "\"";
    result.html_ += '>';
    return result;
  }

  Html& operator+=(const Html& behind) {
    html_ += behind.html_;
    return *this;
  }
  friend Html operator+(Html before, const Html& behind) { return before += behind; }

  const std::string& text() const { return html_; }

private:
  std::string html_;
};

inline Html element(std::string_view tag, Html::Attributes attributes, const Html& content) {
  // No line end within a line of text, where it would show as a blank.
  const bool is_in_line = tag == "code" || tag == "span";
  return Html::tag(tag, attributes) + content +
         Html::of_our_own("</" + std::string(tag) + (is_in_line ? ">" : ">\n"));
}
inline Html element(std::string_view tag, const Html& content) { return element(tag, {}, content); }
inline Html element(std::string_view tag, Html::Attributes attributes, std::string_view text) {
  return element(tag, attributes, Html(text));
}
inline Html element(std::string_view tag, std::string_view text) {
  return element(tag, {}, Html(text));
}

} // namespace detshim
