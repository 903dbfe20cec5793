#include "common/secrets.h"

#include "common/record_schema.h"

namespace detshim {
namespace {

constexpr size_t most_shown = 400; // of an argument

/// True for the path of a file here. Package managers name folders by hashes, and the verdict looks
/// for the script there.
bool is_local_path(const char* text) {
  return starts_with(text, "/") || starts_with(text, "./") || starts_with(text, "../");
}

/// Writes one argument into a line, as much of it as is shown.
class ArgumentWriter {
public:
  ArgumentWriter(TextWriter& line, DrawnParts drawn) : line_(line), drawn_(drawn) {}

  /// Adds what is no secret by its place; `text` is closed with a zero.
  void add_shown(char* text) {
    size_t length = 0;
    while (left_ > 0 && *text != 0) {
      const bool looks_for_drawn = drawn_ == DrawnParts::hidden && !is_local_path_;
      const size_t begin = looks_for_drawn ? drawn_part(text, length) : 0;
      if (length == 0 || begin >= left_) {
        is_hidden_ |= length != 0; // behind what is shown
        add_text(text);
        return;
      }
      const char kept = text[begin];
      text[begin] = 0;
      add_text(text);
      text[begin] = kept;
      add_hidden(length);
      text += begin + length;
    }
  }

  void add_hidden(size_t length) {
    is_hidden_ = true;
    line_.add(hidden_argument);
    take(length);
  }

  void begin(const char* text) { is_local_path_ = is_local_path(text); }
  bool is_hidden() const { return is_hidden_; }

private:
  void add_text(const char* text) {
    line_.add_json(text, left_);
    take(text_length(text));
  }
  void take(size_t length) { left_ -= length < left_ ? length : left_; }

  TextWriter& line_;
  DrawnParts drawn_;
  size_t left_ = most_shown;
  bool is_hidden_ = false;
  bool is_local_path_ = false;
};

/// Adds the argument without those parts; true if something is hidden.
bool add_argument(TextWriter& line, char* text, size_t length, const HiddenParts& hidden,
                  DrawnParts drawn) {
  ArgumentWriter writer(line, drawn);
  writer.begin(text);
  char* at = text;
  for (int i = 0; i < hidden.count(); ++i) {
    char* const begin = text + (hidden[i].begin - text);
    const char kept = *begin;
    *begin = 0;
    writer.add_shown(at);
    *begin = kept;
    writer.add_hidden(hidden[i].size());
    at = text + (hidden[i].end - text);
  }
  if (at < text + length)
    writer.add_shown(at);
  return writer.is_hidden();
}

} // namespace

bool is_secret_variable(const char* name, size_t length, const char* value) {
  const TextPart text = text_part(value);
  if (speaks_of_a_secret(name, length) || ends_in_key(name, length))
    return !is_too_plain_for_a_secret(text);
  HiddenParts hidden;
  CommandLine().read(text, hidden);
  return hidden.count() != 0;
}

Unshown add_arguments(TextWriter& line, char* text, size_t size, DrawnParts drawn,
                      CommandLine& command) {
  constexpr size_t line_is_full = 2600;
  Unshown unshown;
  text[size] = 0;
  add_key(line, "args").add('[');
  for (char* at = text; at < text + size;) {
    const size_t length = text_length(at);
    HiddenParts hidden;
    command.read({at, at + length}, hidden);
    if (line.length() > line_is_full) {
      unshown.is_cut = true;
      unshown.is_hidden |= hidden.count() != 0; // what is not shown counts too, in a hash of all
    } else {
      line.add(at == text ? "\"" : ",\"");
      unshown.is_hidden |= add_argument(line, at, length, hidden, drawn);
      unshown.is_cut |= length > most_shown;
      line.add('"');
    }
    at += length + 1;
  }
  line.add(']');
  return unshown;
}

Unshown add_arguments(TextWriter& line, char* text, size_t size, DrawnParts drawn) {
  CommandLine command;
  return add_arguments(line, text, size, drawn, command);
}

} // namespace detshim
