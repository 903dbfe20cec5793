// Writes HTML element by element. Whatever is given as a text or as an attribute's value comes out as text: a
// log, a program's output and a file's name may hold anything.
#pragma once

#include <initializer_list>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace detshim {

/// `text` as it stands in HTML, in an element or between double quotes; control characters and stray bytes as
/// printable() has them.
std::string escaped(std::string_view text);

class HtmlWriter {
public:
  /// One without a value is left out.
  using Attributes = std::initializer_list<std::pair<std::string_view, std::string>>;

  explicit HtmlWriter(std::ostream& out) : out_(out) {}

  void open(std::string_view tag, Attributes attributes = {});
  void close(); ///< the innermost element that is open

  void text(std::string_view text);

  /// An element with nothing but a text in it.
  void element(std::string_view tag, Attributes attributes, std::string_view text);
  void element(std::string_view tag, std::string_view text) { element(tag, {}, text); }

  /// An element that never holds anything, such as <meta>.
  void empty(std::string_view tag, Attributes attributes = {});

  void doctype();
  void style_sheet(std::string_view css); ///< ours: it is written as it is

  /// An id that no other element of the page has, beginning with `name`.
  std::string unique_id(const std::string& name);

private:
  void begin_tag(std::string_view tag, Attributes attributes);

  std::ostream& out_;
  std::vector<std::string> open_;
  std::map<std::string, int> ids_;
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
