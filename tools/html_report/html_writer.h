// Writes HTML element by element. Whatever is given as a text or as an attribute's value comes out as text: a
// log, a program's output and a file's name may hold anything.
#pragma once

#include <initializer_list>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace detshim {

class HtmlWriter {
public:
  /// One without a value is left out.
  using Attributes = std::initializer_list<std::pair<std::string_view, std::string>>;

  explicit HtmlWriter(std::ostream& out) : out_(out) {}

  void open(std::string_view tag, Attributes attributes = {});
  void close(); ///< the innermost element that is open

  void text(std::string_view text);
  void end_line(); ///< of preformatted text

  /// An element with nothing but a text in it.
  void element(std::string_view tag, Attributes attributes, std::string_view text);
  void element(std::string_view tag, std::string_view text) { element(tag, {}, text); }

  /// An element that never holds anything, such as <meta>.
  void empty(std::string_view tag, Attributes attributes = {});

  void doctype();
  void style_sheet(std::string_view css); ///< ours: it is written as it is

private:
  void begin_tag(std::string_view tag, Attributes attributes);

  std::ostream& out_;
  std::vector<std::string> open_;
};

/// An element that is closed with its scope.
class Element {
public:
  Element(HtmlWriter& html, std::string_view tag, HtmlWriter::Attributes attributes = {}) : html_(html) {
    html_.open(tag, attributes);
  }
  ~Element() { html_.close(); }
  Element(const Element&) = delete;
  Element& operator=(const Element&) = delete;

private:
  HtmlWriter& html_;
};

} // namespace detshim
