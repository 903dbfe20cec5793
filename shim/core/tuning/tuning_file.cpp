#include "core/tuning/tuning_file.h"

#include "common/sys.h"
#include "common/text.h"
#include "core/base/hash.h"

#include <initializer_list>

namespace detshim {
namespace {

constexpr const char* head = "{\"detshim_tuning\": ";
constexpr const char* head_end = ", \"choices\": [\n";
constexpr const char* tail = "], \"sum\": \"";
constexpr const char* tail_end = "\"}\n";
constexpr size_t file_limit = size_t{1} << 28;
constexpr const char* field_starts[] = {"{\"device\": \"",       "\", \"library\": \"", "\", \"version\": \"",
                                        "\", \"operation\": \"", "\", \"problem\": \"", "\", \"choice\": \""};
enum Field { device_field, library_field, version_field, operation_field, problem_field, choice_field };
constexpr const char* entry_end = "\"}";

constexpr int no_entry = -2, interrupted = -4, no_memory = -12, too_large = -27, no_space = -28,
              not_a_file = -22, name_too_long = -36;
constexpr int bad_file = -84; // EILSEQ: the file that is there now is not one of ours

struct Span {
  const char* data = nullptr;
  size_t length = 0;
};

/// Order of a line and a key by their bytes; 0 if the line begins with the key.
int compare(Span line, Span key) {
  for (size_t i = 0; i < key.length; ++i) {
    if (i == line.length) return -1;
    if (line.data[i] != key.data[i])
      return static_cast<unsigned char>(line.data[i]) < static_cast<unsigned char>(key.data[i]) ? -1 : 1;
  }
  return 0;
}

/// Length of the line at the start of a text, without its newline.
size_t line_length(const char* data, size_t left) {
  size_t length = 0;
  while (length < left && data[length] != '\n') ++length;
  return length;
}

/// A place in a text that is read strictly.
struct Reader {
  const char* at;
  const char* end;

  bool take(const char* text) {
    const char* p = at;
    for (; *text != 0; ++text, ++p)
      if (p == end || *p != *text) return false;
    at = p;
    return true;
  }
  static bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }
  /// The inside of a JSON string as TextWriter::add_json() writes it.
  Span string() {
    const char* const start = at;
    for (; at != end && *at != '"'; ++at) {
      const auto c = static_cast<unsigned char>(*at);
      if (c < 0x20 || c == 0x7f) break;
      if (c != '\\') continue;
      if (end - at >= 2 && (at[1] == '"' || at[1] == '\\')) {
        ++at;
        continue;
      }
      if (end - at < 6 || at[1] != 'u' || !is_hex(at[2]) || !is_hex(at[3]) || !is_hex(at[4]) ||
          !is_hex(at[5]))
        break;
      at += 5;
    }
    return {start, static_cast<size_t>(at - start)};
  }
};

bool is_of_choice(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == ' ' || c == ':' ||
         c == '=' || c == '.' || c == ',' || c == '_' || c == '-';
}

/// One entry's texts.
struct Entry {
  Span fields[choice_field + 1];
  size_t key_length; // what comes before the choice
};

bool read_entry(Reader& reader, Entry& entry) {
  const char* const start = reader.at;
  for (int field = device_field; field <= choice_field; ++field) {
    if (!reader.take(field_starts[field])) return false;
    if (field == choice_field) entry.key_length = static_cast<size_t>(reader.at - start);
    entry.fields[field] = reader.string();
  }
  const Span& choice = entry.fields[choice_field];
  for (size_t i = 0; i < choice.length; ++i)
    if (!is_of_choice(choice.data[i])) return false;
  return choice.length != 0 && choice.length < tuning_choice_size && reader.take(entry_end);
}

/// A problem as the beginning of its entry.
class Key : public Text<2400> {
public:
  explicit Key(const TuningProblem& problem) {
    const char* const values[] = {problem.device, problem.library, problem.version, problem.operation,
                                  problem.problem};
    size_t given = 0;
    for (int field = device_field; field < choice_field; ++field) {
      add(field_starts[field]).add_json(values[field], 2400);
      given += text_length(values[field]);
    }
    add(field_starts[choice_field]);
    // Past that, add_json() would shorten, and two problems could have one key.
    fits = !cut() && given <= 2000 && length() < 2300;
  }
  Span span() { return {c_str(), length()}; }
  bool fits;
};

/// The first line that is not before the key: its place, and whether it is the key's own.
size_t place_of(const TextPages& lines, Span key, bool& found, Span& line) {
  found = false;
  size_t at = 0;
  while (at < lines.length()) {
    line = {lines.data() + at, line_length(lines.data() + at, lines.length() - at)};
    const int order = compare(line, key);
    found = order == 0;
    if (order >= 0) return at;
    at += line.length + 1;
  }
  line = {};
  return at;
}

Span choice_of(Span line, size_t key_length) {
  return {line.data + key_length, line.length - key_length - text_length(entry_end)};
}

bool copy(Span from, char* to, size_t size) {
  if (from.length >= size) return false;
  for (size_t i = 0; i < from.length; ++i) to[i] = from.data[i];
  to[from.length] = 0;
  return true;
}

/// Puts a line into others in its place, instead of one with the same key.
bool merge(TextPages& lines, Span line, size_t key_length) {
  bool found;
  Span old;
  const size_t at = place_of(lines, {line.data, key_length}, found, old);
  if (found) lines.remove(at, old.length + 1);
  return lines.insert(at, line.data, line.length) && lines.insert(at + line.length, "\n", 1);
}

/// `path` with an ending, until the next call; nullptr if it is too long. Not on the stack, which may be
/// small.
const char* ended(const char* path, const char* ending) {
  static constinit char room[4200] = {};
  TextWriter text(room, sizeof room);
  text.add(path).add(ending).c_str();
  return text.cut() ? nullptr : room;
}

int write_all(int fd, const char* data, size_t length) {
  while (length != 0) {
    const long written = sys::write(fd, data, length);
    if (written == interrupted) continue;
    if (sys::failed(written)) return static_cast<int>(written);
    if (written == 0) return no_space;
    data += written;
    length -= static_cast<size_t>(written);
  }
  return 0;
}

/// The right to write the file, among the processes that share it; given back by the kernel when its owner is
/// killed, and not inherited by its children, as a flock() would be.
class FileLock {
public:
  explicit FileLock(const char* path, int tries = 1000) {
    const char* const name = ended(path, ".lock");
    fd_ = name == nullptr
              ? name_too_long
              : sys::openat(AT_FDCWD, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    error = fd_ < 0 ? fd_ : 0;
    if (error != 0) return;
    // A holder that was stopped must not stop the others for good.
    for (; tries > 0; --tries) {
      struct flock whole = {};
      whole.l_type = F_WRLCK;
      error = sys::fcntl(fd_, F_SETLK, sys::address(&whole));
      if (error != TuningStore::busy) return;
      const struct { int64_t seconds, nanoseconds; } pause = {0, 5'000'000};
      sys::call(SYS_nanosleep, sys::address(&pause), 0);
    }
  }
  ~FileLock() {
    if (fd_ >= 0) sys::close(fd_); // which unlocks
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  int error;

private:
  int fd_;
};

/// Reads a file's entries into `lines`, which is left as it is unless all is fine. `line` counts the lines
/// that were read, `format` is what the file says.
TuningStore::State read_text(Span text, TextPages& lines, uint64_t& line, uint64_t& format) {
  using State = TuningStore::State;
  Reader reader{text.data, text.data + text.length};
  line = 1;
  format = 0;
  if (!reader.take(head)) return State::damaged;
  int digits = 0;
  for (; reader.at != reader.end && *reader.at >= '0' && *reader.at <= '9' && digits < 18; ++digits)
    format = format * 10 + static_cast<uint64_t>(*reader.at++ - '0');
  if (digits == 0) return State::damaged;
  if (format != TuningStore::own_format || digits != 1)
    return format == TuningStore::own_format ? State::damaged : State::other_format;
  if (!reader.take(head_end)) return State::damaged;

  TextPages fresh;
  if (!fresh.reserve(text.length + 1)) return State::unreadable;
  const auto damaged = [&] {
    fresh.clear();
    return State::damaged;
  };
  Span before; // the key of the entry before
  bool more = true;
  for (++line; more && !reader.take(tail); ++line) {
    const char* const start = reader.at;
    Entry entry;
    if (!read_entry(reader, entry)) return damaged();
    const Span key{start, entry.key_length};
    if (before.length != 0 && compare(before, key) >= 0) return damaged();
    before = {start, static_cast<size_t>(reader.at - start)};
    if (!fresh.add(start, before.length) || !fresh.add("\n", 1)) return damaged();
    more = reader.take(",");
    if (!reader.take("\n")) return damaged();
    if (more) continue;
    ++line;
    if (!reader.take(tail)) return damaged();
  }
  const char* const sum_start = reader.at;
  Text<24> sum;
  sum.add_hex(fnv1a(text.data, static_cast<size_t>(sum_start - text.data) - text_length(tail)), 16);
  if (!reader.take(sum.c_str()) || !reader.take(tail_end) || reader.at != reader.end) return damaged();
  lines.swap(fresh);
  fresh.clear();
  return State::fine;
}

/// Reads a whole file; 0 or a negated errno.
int read_file(const char* path, TextPages& text) {
  const int fd = sys::openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return fd;
  struct stat state;
  int error = sys::fstat(fd, state);
  if (error == 0 && !S_ISREG(state.st_mode)) error = not_a_file;
  if (error == 0 && state.st_size > static_cast<long>(file_limit)) error = too_large;
  const auto size = error == 0 ? static_cast<size_t>(state.st_size) : 0;
  if (error == 0 && !text.reserve(size + 1)) error = no_memory;
  size_t length = 0;
  while (error == 0 && length < size) {
    const long got = sys::read(fd, text.data() + length, size - length);
    if (got == interrupted) continue;
    if (sys::failed(got)) error = static_cast<int>(got);
    if (got <= 0) break;
    length += static_cast<size_t>(got);
  }
  text.set_length(length);
  sys::close(fd);
  return error;
}

/// Adds the entries of `lines` to `merged`; false without memory.
bool merge_all(TextPages& merged, const TextPages& lines) {
  for (Reader reader{lines.data(), lines.data() + lines.length()}; reader.at != reader.end;) {
    const char* const start = reader.at;
    Entry entry;
    if (!read_entry(reader, entry) ||
        !merge(merged, {start, static_cast<size_t>(reader.at - start)}, entry.key_length) ||
        !reader.take("\n"))
      return false;
  }
  return true;
}

/// Writes the file's whole text into `text`; false without memory.
bool compose(const TextPages& lines, TextPages& text) {
  Text<64> start;
  start.add(head).add(TuningStore::own_format).add(head_end);
  bool fits = text.add(start.c_str(), start.length());
  for (size_t at = 0; fits && at < lines.length();) {
    const size_t length = line_length(lines.data() + at, lines.length() - at);
    fits = text.add(lines.data() + at, length);
    at += length + 1;
    if (at != lines.length()) fits = fits && text.add(",", 1);
    fits = fits && text.add("\n", 1);
  }
  Text<64> end;
  end.add(tail).add_hex(fits ? fnv1a(text.data(), text.length()) : 0, 16).add(tail_end);
  return fits && text.add(end.c_str(), end.length());
}

/// Puts the text in the file's place. 0, or a negated errno; then the file is as it was. The lock must be
/// held: a file of the new name that is there already is a killed process's. (That name is shorter than the
/// lock's.)
int replace_file(const char* path, const TextPages& text) {
  if (!sys::may_grow_to(text.length())) return too_large;
  const char* const name = ended(path, ".new");
  const int fd = sys::openat(AT_FDCWD, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (fd < 0) return fd;
  int error = write_all(fd, text.data(), text.length());
  if (error == 0) error = static_cast<int>(sys::call(SYS_fsync, fd));
  sys::close(fd);
  if (error == 0)
    error =
        static_cast<int>(sys::call(SYS_renameat, AT_FDCWD, sys::address(name), AT_FDCWD, sys::address(path)));
  if (error != 0) sys::call(SYS_unlinkat, AT_FDCWD, sys::address(name), 0);
  return error;
}

} // namespace

TuningStore::State TuningStore::read(const char* path) {
  TextPages text;
  const int error = read_file(path, text);
  line_ = static_cast<uint64_t>(-error);
  State state = error == no_entry ? State::missing : State::unreadable;
  if (error == 0) state = read_text({text.data(), text.length()}, known_, line_, format_);
  text.clear();
  if (state == State::missing) known_.clear();
  return state;
}

TuningStore::Differs TuningStore::differs(const TuningProblem& problem, char* there, size_t size) const {
  // Escaped as in the file.
  Text<700> device, version;
  device.add_json(problem.device, 640);
  version.add_json(problem.version, 640);
  const auto is = [](Span span, const char* text) {
    const size_t length = text_length(text);
    return span.length == length && compare(span, {text, length}) == 0;
  };
  Differs result = Differs::no;
  for (Reader reader{known_.data(), known_.data() + known_.length()}; reader.at != reader.end;) {
    Entry entry;
    if (!read_entry(reader, entry) || !reader.take("\n")) break; // cannot be: it was read so
    if (!is(entry.fields[library_field], problem.library)) continue;
    const bool other_device = !is(entry.fields[device_field], device.c_str());
    if (!other_device && is(entry.fields[version_field], version.c_str())) return Differs::no;
    if (result != Differs::no) continue;
    Span said = entry.fields[other_device ? device_field : version_field];
    if (said.length >= size) said.length = size - 1;
    copy(said, there, size);
    result = other_device ? Differs::device : Differs::version;
  }
  return result;
}

bool TuningStore::find(const TuningProblem& problem, char* choice, size_t size) const {
  Key key(problem);
  if (!key.fits) return false;
  for (const TextPages* lines : {&unwritten_, &known_}) {
    bool found;
    Span line;
    place_of(*lines, key.span(), found, line);
    if (found) return copy(choice_of(line, key.length()), choice, size);
  }
  return false;
}

bool TuningStore::keep(const TuningProblem& problem, const char* choice) {
  const size_t length = text_length(choice);
  if (length == 0 || length >= tuning_choice_size) return false;
  for (const char* c = choice; *c != 0; ++c)
    if (!is_of_choice(*c)) return false;
  Key key(problem);
  if (!key.fits) return false;
  char kept[tuning_choice_size];
  if (find(problem, kept, sizeof kept) && same_text(kept, choice)) return true;
  Text<2400 + tuning_choice_size> line;
  line.add(key.c_str()).add(choice).add(entry_end);
  return merge(unwritten_, {line.c_str(), line.length()}, key.length());
}

int TuningStore::write(const char* path) {
  if (!has_unwritten()) return 0;
  const FileLock lock(path);
  if (lock.error != 0) return lock.error;
  // Others may have written since: their choices stay.
  const State state = read(path);
  if (state == State::unreadable) return -static_cast<int>(line_);
  if (state != State::fine && state != State::missing) return bad_file;
  TextPages merged, text;
  const bool fits =
      merged.add(known_.data(), known_.length()) && merge_all(merged, unwritten_) && compose(merged, text);
  const int error = fits ? replace_file(path, text) : no_memory;
  if (error == 0) {
    known_.swap(merged);
    unwritten_.clear();
  }
  text.clear();
  merged.clear();
  return error;
}

int TuningStore::probe(const char* path) { return FileLock(path, 1).error; }

void TuningStore::clear() {
  known_.clear();
  unwritten_.clear();
}

} // namespace detshim
