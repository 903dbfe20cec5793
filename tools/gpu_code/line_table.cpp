// DWARF Debugging Information Format 2.0.0, 6.2; of version 3, which has the same header, and of 4,
// whose header has one byte more, the same sections.
#include "gpu_code/line_table.h"

#include "support/byte_reader.h"

#include <cstddef>

namespace detshim {
namespace {

enum Standard : std::uint64_t {
  copy = 1,
  advance_address = 2,
  advance_line = 3,
  set_file = 4,
  set_column = 5,
  add_constant_address = 8,
  fixed_advance_address = 9,
};
enum Extended : std::uint64_t { end_sequence = 1, set_address = 2, inlined_call = 0x90 };

struct FileName {
  std::string_view name, folder;
};

/// One line program, and its header.
class Program {
public:
  Program(std::string_view bytes, std::string_view all, std::string_view texts)
      : reader_(bytes), all_(all), texts_(texts) {}

  void run(std::vector<LineSequence>& result) {
    if (!read_header())
      return;
    LineSequence sequence;
    begin_row();
    while (reader_.left() > 0 && reader_.is_good()) {
      const std::uint64_t opcode = reader_.number(1);
      if (opcode >= opcode_base_)
        special(opcode, sequence);
      else if (opcode == 0)
        extended(sequence, result);
      else
        standard(opcode, sequence);
    }
  }

private:
  void begin_row() {
    row_ = {};
    row_.line = 1;
    choose_file(1);
  }

  bool read_header() {
    const std::uint64_t version = reader_.number(2);
    ByteReader header(reader_.take(reader_.number(4)));
    if (!reader_.is_good() || version < 2 || version > 4)
      return false;
    unit_ = header.number(1);
    if (version == 4)
      header.take(1); // operations of an instruction
    header.take(1);   // whether a row is a statement's
    line_base_ = static_cast<std::int8_t>(header.number(1));
    line_range_ = header.number(1);
    opcode_base_ = header.number(1);
    for (std::uint64_t i = 1; i < opcode_base_; ++i)
      operands_.push_back(header.number(1));
    std::vector<std::string_view> folders = {{}};
    while (header.left() > 0 && !header.rest().starts_with('\0'))
      folders.push_back(header.text());
    header.take(1);
    files_.emplace_back();
    while (header.left() > 0 && !header.rest().starts_with('\0')) {
      FileName& file = files_.emplace_back();
      file.name = header.text();
      if (const std::uint64_t folder = header.varint(); folder < folders.size())
        file.folder = folders[folder];
      header.varint(); // when it was written
      header.varint(); // its size
    }
    return line_range_ != 0 && opcode_base_ > 0;
  }

  void choose_file(std::uint64_t number) {
    const FileName file = number < files_.size() ? files_[number] : FileName();
    row_.file = file.name;
    row_.folder = file.folder;
  }

  void add_line(std::int64_t lines) { row_.line += static_cast<unsigned>(lines); }

  void special(std::uint64_t opcode, LineSequence& sequence) {
    const std::uint64_t adjusted = opcode - opcode_base_;
    row_.offset += adjusted / line_range_ * unit_;
    add_line(line_base_ + static_cast<std::int64_t>(adjusted % line_range_));
    sequence.rows.push_back(row_);
  }

  void extended(LineSequence& sequence, std::vector<LineSequence>& result) {
    const std::uint64_t size = reader_.varint();
    const auto at = static_cast<std::uint64_t>(reader_.rest().data() - all_.data());
    ByteReader body(reader_.take(size));
    const std::uint64_t opcode = body.number(1);
    if (opcode == end_sequence) {
      if (!sequence.rows.empty())
        result.push_back(std::move(sequence));
      sequence = {};
      begin_row();
    } else if (opcode == set_address) {
      // Where it stands is what its relocation names; what stands there is an offset.
      if (sequence.rows.empty())
        sequence.address_at = at + 1;
      row_.offset = body.number(8);
    } else if (opcode == inlined_call) {
      row_.inlined_into = body.varint();
      const std::uint64_t name = body.varint();
      row_.function = {};
      if (row_.inlined_into != 0 && name < texts_.size())
        row_.function = texts_.substr(name, texts_.find('\0', name) - name);
    }
  }

  void standard(std::uint64_t opcode, LineSequence& sequence) {
    switch (opcode) {
    case copy:
      sequence.rows.push_back(row_);
      break;
    case advance_address:
      row_.offset += reader_.varint() * unit_;
      break;
    case advance_line:
      add_line(reader_.signed_varint());
      break;
    case set_file:
      choose_file(reader_.varint());
      break;
    case add_constant_address:
      row_.offset += (255 - opcode_base_) / line_range_ * unit_;
      break;
    case fixed_advance_address:
      row_.offset += reader_.number(2);
      break;
    default:
      for (std::uint64_t i = 0; i < operands_[opcode - 1]; ++i)
        reader_.varint();
    }
  }

  ByteReader reader_;
  std::string_view all_, texts_;
  std::uint64_t unit_ = 1, line_range_ = 1, opcode_base_ = 1;
  std::int64_t line_base_ = 0;
  std::vector<std::uint64_t> operands_;
  std::vector<FileName> files_;
  LineRow row_;
};

} // namespace

std::vector<LineSequence> read_line_table(std::string_view bytes, std::string_view texts) {
  std::vector<LineSequence> result;
  for (ByteReader reader(bytes); reader.left() > 4 && reader.is_good();) {
    const std::uint64_t size = reader.number(4);
    Program(reader.take(size), bytes, texts).run(result);
  }
  return result;
}

} // namespace detshim
