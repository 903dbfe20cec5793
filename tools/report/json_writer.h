// Writes one JSON document, value by value: a log may hold more than memory does. Pure ASCII, and stray bytes
// (of a file's name, say) replaced: safe for a terminal and for any parser.
#pragma once

#include <concepts>
#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace detshim {

class JsonWriter {
public:
  explicit JsonWriter(std::ostream& out) : out_(out) {}

  void begin_object() { begin('{'); }
  void end_object() { end('}'); }
  void begin_array() { begin('['); }
  void end_array() { end(']'); }

  /// An object: `write_members` writes what is in it.
  template <typename Write>
  void object(Write write_members) {
    begin_object();
    write_members();
    end_object();
  }
  template <typename Write>
  void object(std::string_view name, Write write_members) {
    key(name);
    object(write_members);
  }

  /// A member that is an array of objects: `write_members` writes what is in the one for an entry.
  template <typename List, typename Write>
  void objects(std::string_view name, const List& list, Write write_members) {
    key(name);
    begin_array();
    for (const auto& entry : list) object([&] { write_members(entry); });
    end_array();
  }

  /// The name of the next value, within an object.
  void key(std::string_view name);

  void value(std::string_view text);
  void value(const std::string& text) { value(std::string_view(text)); }
  void value(const char* text) { value(std::string_view(text)); }
  void value(bool is_true) { write(is_true ? "true" : "false"); }
  void value(std::integral auto number) { write(std::to_string(number)); }
  void value(double number); ///< null where it is no finite number
  void value(std::nullptr_t) { write("null"); }
  template <typename Value>
  void value(const std::optional<Value>& known) {
    known ? value(*known) : value(nullptr);
  }
  void value(const std::vector<std::string>& texts);

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

/// Null for an empty text.
inline std::optional<std::string> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

} // namespace detshim
