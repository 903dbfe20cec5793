#include "core/log/variables.h"

#include "common/secrets.h"
#include "core/base/hash.h"
#include "core/log/line.h"
#include "core/log/log_file.h"

#include <initializer_list>

#include <unistd.h>

namespace detshim {
namespace {

/// Not the program's: ours, and what shells and `detshim run` change from one command to the next.
bool is_passed_over(const char* entry) {
  if (starts_with(entry, "DETSHIM_")) return true;
  for (const char* name : {"_=", "LD_PRELOAD=", "SHLVL=", "OLDPWD="})
    if (starts_with(entry, name)) return true;
  return false;
}

/// A hash of a short secret can be searched for: of these none is written down.
bool is_secret(const char* name, size_t length, const char* value) {
  if (speaks_of_a_secret(name, length) || ends_in_key(name, length)) return !is_too_plain_for_a_secret(value);
  return holds_a_login(value);
}

} // namespace

void write_variables() {
  constexpr size_t longest_name = 128;
  constexpr size_t line_is_full = 3400;
  Line line(log_file::line_room, sizeof log_file::line_room);
  const auto finish = [&] {
    if (line.length() == 0) return;
    line.add("}}");
    log_file::write(line);
    line.shorten(0);
  };
  for (char* const* entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const char* value = *entry;
    while (*value != 0 && *value != '=') ++value;
    const auto length = static_cast<size_t>(value - *entry);
    if (*value == 0 || length == 0 || length > longest_name || is_passed_over(*entry)) continue;
    char name[longest_name + 1];
    for (size_t i = 0; i < length; ++i) name[i] = (*entry)[i];
    name[length] = 0;
    if (line.length() == 0)
      RecordWriter<RecordType::variables>(line).begin("hashes").add("{\"");
    else
      line.add(",\"");
    line.add_json(name).add("\":\"");
    if (!is_secret(name, length, value + 1)) line.add_hex(fnv1a_text(value + 1) & 0xFFFFFFFF, 8);
    line.add('"');
    if (line.length() > line_is_full) finish();
  }
  finish();
}

} // namespace detshim
