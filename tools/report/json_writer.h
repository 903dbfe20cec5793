// Writes one JSON document, value by value, and fast: a run that begins waits for its environment to be
// written. Pure ASCII, and stray bytes (of a file's name, say) replaced: safe for a terminal and for any
// parser.
#pragma once

#include "support/wording.h"

#include <concepts>
#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

namespace detshim {

class JsonWriter {
public:
  explicit JsonWriter(std::ostream& out) : out_(out) {}

  void begin_object() { begin('{'); }
  void end_object() { end('}'); }
  void begin_array() { begin('['); }
  void end_array() { end(']'); }

  /// The name of the next value, within an object.
  void key(std::string_view name);

  void value(std::string_view text);
  void value(const std::string& text) { value(std::string_view(text)); }
  void value(const char* text) { value(std::string_view(text)); }
  void value(bool is_true) { write(is_true ? "true" : "false"); }
  void value(std::integral auto number) { write(std::to_string(number)); }
  void value(std::nullptr_t) { write("null"); }
  template <typename Value>
  void value(const std::optional<Value>& known) {
    known ? value(*known) : value(nullptr);
  }

  template <typename Value>
  void member(std::string_view name, const Value& its_value) {
    key(name);
    value(its_value);
  }

private:
  void begin(char bracket);
  void end(char bracket);
  void write(std::string_view text);
  void begin_value();
  void break_line();

  std::ostream& out_;
  std::size_t depth_ = 0;
  bool is_empty_ = true; ///< nothing is written yet in the innermost object or array
  bool has_key_ = false; ///< the next value is a member's: it stands behind its name
};

} // namespace detshim
