#include "core/tuning/tuning_file.h"

#include "common/sys.h"
#include "common/text.h"
#include "core/base/hash.h"

#include <cerrno>

namespace detshim {
namespace {

constexpr const char* line_start = "{\"detshim_tuning\": ";
constexpr const char* field_starts[] = {", \"device\": \"",    "\", \"library\": \"",
                                        "\", \"version\": \"", "\", \"operation\": \"",
                                        "\", \"problem\": \"", "\", \"choice\": \""};
enum Field {
  device_field,
  library_field,
  version_field,
  operation_field,
  problem_field,
  choice_field
};
constexpr const char* sum_start = "\", \"sum\": \"";
constexpr const char* line_end = "\"}\n";
constexpr size_t longest_line = 2400 + tuning_choice_size;

struct Span {
  const char* data = nullptr;
  size_t length = 0;

  bool is(const char* text) const {
    return text_length(text) == length && __builtin_memcmp(data, text, length) == 0;
  }
  bool copy_to(char* to, size_t size) const {
    if (length >= size)
      return false;
    __builtin_memcpy(to, data, length);
    to[length] = 0;
    return true;
  }
};

/// A place in a text that is read strictly.
struct Reader {
  const char* at;
  const char* end;

  bool take(const char* text) {
    const size_t length = text_length(text);
    if (static_cast<size_t>(end - at) < length || __builtin_memcmp(at, text, length) != 0)
      return false;
    at += length;
    return true;
  }
  uint64_t number() {
    uint64_t value = 0;
    for (; at != end && *at >= '0' && *at <= '9' && value < 1'000'000'000; ++at)
      value = value * 10 + static_cast<uint64_t>(*at - '0');
    return value;
  }
  /// The inside of a JSON string, up to its quote. Which escapes it has, the line's sum vouches
  /// for.
  Span string() {
    const char* const start = at;
    for (; at != end && *at != '"' && *at != '\n'; ++at)
      if (*at == '\\' && end - at >= 2)
        ++at;
    return {start, static_cast<size_t>(at - start)};
  }
};

bool is_of_choice(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == ' ' ||
         c == ':' || c == '=' || c == '.' || c == ',' || c == '_' || c == '-';
}

/// One line's texts.
struct Entry {
  uint64_t format = 0;
  Span key; ///< what comes before the choice
  Span fields[choice_field + 1];
};

/// Reads a line and its end. An entry of another format has that alone.
bool read_entry(Reader& reader, Entry& entry) {
  const char* const start = reader.at;
  if (!reader.take(line_start))
    return false;
  entry.format = reader.number();
  if (entry.format != TuningStore::own_format)
    return false;
  for (int field = device_field; field <= choice_field; ++field) {
    if (!reader.take(field_starts[field]))
      return false;
    if (field == choice_field)
      entry.key = {start, static_cast<size_t>(reader.at - start)};
    entry.fields[field] = reader.string();
  }
  Text<24> sum;
  sum.add_hex(fnv1a(start, static_cast<size_t>(reader.at - start)), 16);
  return reader.take(sum_start) && reader.take(sum.c_str()) && reader.take(line_end);
}

/// A problem as the beginning of its line.
class Key : public Text<longest_line> {
public:
  explicit Key(const TuningProblem& problem) {
    const char* const values[] = {problem.device, problem.library, problem.version,
                                  problem.operation, problem.problem};
    size_t used = 0;
    add(line_start).add(TuningStore::own_format);
    for (int field = device_field; field < choice_field; ++field) {
      add(field_starts[field]).add_json(values[field], 2400);
      used += text_length(values[field]);
    }
    add(field_starts[choice_field]);
    // Past that, add_json() would shorten, and two problems could have one key.
    fits = used <= 2000 && length() < 2300;
  }
  bool fits;
};

int open_to_append(const char* path) {
  return sys::openat(AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
}

/// Appends a line in one system call, so that the processes that share the file cannot mix theirs.
/// What does not fit is taken back.
int append(const char* path, const char* line, size_t length) {
  const int fd = open_to_append(path);
  if (fd < 0)
    return fd;
  struct stat state;
  int error = sys::fstat(fd, state);
  const auto size = static_cast<uint64_t>(state.st_size);
  if (error == 0 && !sys::may_grow_to(size + length))
    error = -EFBIG;
  if (error == 0) {
    const long written = sys::write(fd, line, length);
    if (written != static_cast<long>(length))
      error = written < 0 ? static_cast<int>(written) : -ENOSPC;
    if (written > 0 && error != 0)
      sys::call(SYS_ftruncate, fd, static_cast<long>(size));
  }
  sys::close(fd);
  return error;
}

} // namespace

TuningStore::State TuningStore::read(const char* path, bool is_shared) {
  lines_.clear();
  line_ = format_ = 0;
  struct stat info;
  const int error = read_file(path, lines_, info);
  State state = State::fine;
  Reader reader{lines_.data(), lines_.data() + lines_.length()};
  if (error != 0) {
    line_ = static_cast<uint64_t>(-error);
    state = error == -ENOENT ? State::missing : State::unreadable;
  }
  while (is_shared && reader.end != reader.at && reader.end[-1] != '\n')
    --reader.end;
  lines_.set_length(static_cast<size_t>(reader.end - reader.at));
  while (state == State::fine && reader.at != reader.end) {
    ++line_;
    Entry entry;
    if (read_entry(reader, entry))
      continue;
    format_ = entry.format;
    state = format_ != own_format && format_ != 0 ? State::other_format : State::damaged;
  }
  if (state != State::fine)
    lines_.clear();
  return state;
}

TuningStore::Differs TuningStore::differs(const TuningProblem& problem, char* there,
                                          size_t size) const {
  // Escaped as in the file.
  Text<700> device, version;
  device.add_json(problem.device, 640);
  version.add_json(problem.version, 640);
  Differs result = Differs::no;
  for (Reader reader{lines_.data(), lines_.data() + lines_.length()}; reader.at != reader.end;) {
    Entry entry;
    if (!read_entry(reader, entry))
      break; // cannot be: it was read so
    if (!entry.fields[library_field].is(problem.library))
      continue;
    const bool other_device = !entry.fields[device_field].is(device.c_str());
    if (!other_device && entry.fields[version_field].is(version.c_str()))
      return Differs::no;
    if (result != Differs::no)
      continue;
    Span said = entry.fields[other_device ? device_field : version_field];
    if (said.length >= size)
      said.length = size - 1;
    said.copy_to(there, size);
    result = other_device ? Differs::device : Differs::version;
  }
  return result;
}

bool TuningStore::find(const TuningProblem& problem, char* choice, size_t size) const {
  Key key(problem);
  bool is_found = false;
  if (!key.fits)
    return false;
  for (Reader reader{lines_.data(), lines_.data() + lines_.length()}; reader.at != reader.end;) {
    if (reader.take(key.c_str()))
      is_found = reader.string().copy_to(choice, size);
    while (*reader.at++ != '\n')
      continue;
  }
  return is_found;
}

int TuningStore::keep(const TuningProblem& problem, const char* choice, const char* path) {
  const size_t length = text_length(choice);
  if (length == 0 || length >= tuning_choice_size)
    return is_no_choice;
  for (const char* c = choice; *c != 0; ++c)
    if (!is_of_choice(*c))
      return is_no_choice;
  Key line(problem);
  if (!line.fits)
    return is_no_choice;
  char kept[tuning_choice_size];
  if (find(problem, kept, sizeof kept) && same_text(kept, choice))
    return 0;
  line.add(choice);
  const uint64_t sum = fnv1a(line.c_str(), line.length());
  line.add(sum_start).add_hex(sum, 16).add(line_end);
  const int error = append(path, line.c_str(), line.length());
  if (error != 0)
    return error;
  return lines_.add(line.c_str(), line.length()) ? 0 : -ENOMEM;
}

int TuningStore::probe(const char* path) {
  const int fd = open_to_append(path);
  if (fd < 0)
    return fd;
  sys::close(fd);
  return 0;
}

} // namespace detshim
