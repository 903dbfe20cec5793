// What a pickle says, as lines of text: a line begins at each text and has the numbers behind it,
// so that {"loss": 0.25, "time": 1.5} is `loss 0.25` and `time 1.5`. All else that the pickle says
// stands there too, by letters of its opcodes: two pickles of one listing hold the same, but for
// how their bytes are divided into frames. CPython's Lib/pickletools.py has the opcodes.
//
// Nothing is executed. A pickle with an opcode that is not known here, as protocols 0 and 1 have
// them, has no listing.
#include "artifact_formats/artifact_formats.h"
#include "support/byte_reader.h"
#include "support/hash.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <iterator>

namespace detshim {
namespace {

/// What follows an opcode.
enum class Operand : std::uint8_t {
  unknown,
  none,
  index,    ///< of the memo; or of an extension
  integer,  ///< with a sign, if it has four bytes
  large,    ///< an integer of any size: its size, its bytes
  real,     ///< a double, the most significant byte first
  text,     ///< its size, its bytes
  bytes,    ///< the same
  name,     ///< two lines: a module, a name
  protocol, ///< one byte
  frame,    ///< the size of what follows
};

struct Opcode {
  Operand operand = Operand::unknown;
  std::uint8_t size = 0; ///< of the operand, or of the number that is its size
};

constexpr std::array<Opcode, 256> opcodes = [] {
  std::array<Opcode, 256> all = {};
  constexpr unsigned char without[] = {'.',  '(',  '0',  '1',  '2',  'N',  ')',  ']',  '}',
                                       't',  'l',  'd',  'a',  'e',  's',  'u',  'b',  'R',
                                       'o',  'Q',  0x81, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8F,
                                       0x90, 0x91, 0x92, 0x93, 0x94, 0x97, 0x98};
  for (const unsigned char code : without)
    all[code] = {Operand::none, 0};
  constexpr struct {
    unsigned char code;
    Opcode opcode;
  } rows[] = {
      {0x80, {Operand::protocol, 1}}, {0x95, {Operand::frame, 8}},  {'K', {Operand::integer, 1}},
      {'M', {Operand::integer, 2}},   {'J', {Operand::integer, 4}}, {0x8A, {Operand::large, 1}},
      {0x8B, {Operand::large, 4}},    {'G', {Operand::real, 8}},    {'X', {Operand::text, 4}},
      {0x8C, {Operand::text, 1}},     {0x8D, {Operand::text, 8}},   {'U', {Operand::text, 1}},
      {'T', {Operand::text, 4}},      {'B', {Operand::bytes, 4}},   {'C', {Operand::bytes, 1}},
      {0x8E, {Operand::bytes, 8}},    {0x96, {Operand::bytes, 8}},  {'q', {Operand::index, 1}},
      {'r', {Operand::index, 4}},     {'h', {Operand::index, 1}},   {'j', {Operand::index, 4}},
      {0x82, {Operand::index, 1}},    {0x83, {Operand::index, 2}},  {0x84, {Operand::index, 4}},
      {'c', {Operand::name, 0}},      {'i', {Operand::name, 0}},
  };
  for (const auto& row : rows)
    all[row.code] = row.opcode;
  return all;
}();

std::string_view line_of(ByteReader& reader) {
  const std::size_t end = std::min(reader.rest().find('\n'), reader.left());
  const std::string_view line = reader.take(end);
  reader.take(1);
  return line;
}

class Listing {
public:
  explicit Listing(std::string_view pickle) : reader_(pickle) {}

  std::optional<std::string> write() {
    while (reader_.left() > 0) {
      const auto code = static_cast<unsigned char>(reader_.number(1));
      if (!add(code, opcodes[code]) || !reader_.is_good())
        return {};
      if (code == '.')
        return reader_.left() == 0 ? std::optional(text_ + '\n') : std::nullopt;
    }
    return {};
  }

private:
  bool add(unsigned char code, const Opcode& opcode) {
    switch (opcode.operand) {
    case Operand::unknown:
      return false;
    case Operand::frame:
      reader_.take(opcode.size);
      return true;
    case Operand::text:
      begin_line(reader_.take(reader_.number(opcode.size)));
      return true;
    case Operand::name:
      begin_line(line_of(reader_));
      add_word(std::string(line_of(reader_)));
      break;
    case Operand::integer:
      add_integer(opcode.size);
      return true;
    case Operand::real:
      add_real(reader_.take(opcode.size));
      return true;
    case Operand::large:
    case Operand::bytes:
      add_bytes(reader_.take(reader_.number(opcode.size)));
      break;
    case Operand::none:
    case Operand::protocol:
    case Operand::index:
      break;
    }
    add_opcode(code, opcode);
    return true;
  }

  void begin_line(std::string_view text) {
    text_ += '\n';
    for (const char c : text)
      text_ += c == '\n' || c == '\r' ? ' ' : c;
    if (text.find_first_of("\n\r") != text.npos)
      add_bytes(text); // the blanks do not tell which they were
  }

  void add_word(const std::string& word) { text_ += ' ' + word; }

  void add_opcode(unsigned char code, const Opcode& opcode) {
    const bool is_letter = (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z');
    std::string word =
        is_letter ? std::string(1, static_cast<char>(code)) : "x" + detshim::hexadecimal(code);
    if (opcode.operand == Operand::index || opcode.operand == Operand::protocol)
      word += std::to_string(reader_.number(opcode.size));
    add_word(word);
  }

  void add_integer(std::size_t size) {
    const std::uint64_t value = reader_.number(size);
    add_word(size == 4 ? std::to_string(static_cast<std::int32_t>(value)) : std::to_string(value));
  }

  void add_real(std::string_view bytes) {
    std::string reversed(bytes.rbegin(), bytes.rend());
    const auto value = std::bit_cast<double>(ByteReader(reversed).number(sizeof(double)));
    char digits[32];
    const char* const end = std::to_chars(std::begin(digits), std::end(digits), value).ptr;
    add_word({static_cast<const char*>(digits), end});
  }

  void add_bytes(std::string_view bytes) {
    add_word("b" + std::to_string(bytes.size()) + "x" + hash_digits(hash_of(bytes)));
  }

  ByteReader reader_;
  std::string text_;
};

} // namespace

std::optional<std::string> pickle_listing(std::string_view pickle) {
  return Listing(pickle).write();
}

std::optional<std::string> checkpoint_listing(std::string_view archive) {
  const std::optional<Contents> contents = read_archive(archive);
  if (!contents)
    return {};
  std::optional<std::string> listing;
  std::string others;
  for (const Part& part : contents->parts) {
    if (part.name == "data.pkl")
      listing = pickle_listing(part.bytes);
    else if (!part.is_hash)
      others += part.name + ' ' + part.type.name + " x" + hash_digits(hash_of(part.bytes)) + '\n';
  }
  return listing ? std::optional(*listing + others) : std::nullopt;
}

} // namespace detshim
