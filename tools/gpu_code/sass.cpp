// NVIDIA does not publish this encoding. The opcodes and fields below are what nvdisasm 13 shows
// for each value of the field in question, in words made for that, on sm_75, 80, 90, 100 and 120;
// and tests/kernels/against_nvdisasm holds the result to it over the code of real libraries.
#include "gpu_code/sass.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstring>

namespace detshim {
namespace {

constexpr std::size_t instruction_size = 16;
constexpr unsigned no_register = 255; ///< RZ

/// An instruction: the low nine bits are its opcode, the next three say what its operands are.
class Instruction {
public:
  explicit Instruction(const char* bytes) {
    std::memcpy(&low_, bytes, sizeof low_);
    std::memcpy(&high_, bytes + sizeof low_, sizeof high_);
  }

  unsigned opcode() const { return field(0, 9); }
  unsigned target() const { return field(16, 8); }
  std::array<unsigned, 3> sources() const { return {field(24, 8), field(32, 8), field(64, 8)}; }
  unsigned field(unsigned from, unsigned width) const {
    const std::uint64_t word = from < 64 ? low_ >> from : high_ >> (from - 64);
    return static_cast<unsigned>(word & ((1U << width) - 1));
  }

private:
  std::uint64_t low_, high_;
};

enum Opcode : unsigned {
  // Atomics: ATOM by a generic address, ATOMG in global memory, ATOMS in shared; RED gives no old
  // value.
  op_ATOM = 0x18a,
  op_ATOM_CAS = 0x18b,
  op_ATOMS = 0x18c,
  op_ATOMS_CAS = 0x18d,
  op_RED = 0x18e,
  op_ATOM_float = 0x1a2, // sm_90 on, as the next, and RED
  op_ATOMG_float = 0x1a3,
  op_RED_float = 0x1a6,
  op_ATOMG = 0x1a8,
  op_ATOMG_CAS = 0x1a9,
  // In surfaces.
  op_SUATOM_indexed = 0x193,
  op_SUATOM = 0x194,
  op_SUATOM_CAS_indexed = 0x195,
  op_SUATOM_CAS = 0x196,
  op_SURED_indexed = 0x19f,
  op_SURED = 0x1a0,
  // Of memory that several GPUs share, through the switch between them.
  op_LDGMC_float = 0x1a5,
  // Loads; of 256 bits, from sm_100 on.
  op_LD = 0x180,
  op_LDG = 0x181,
  op_LDG_256 = 0x17e,
  // Many bytes at once.
  op_UTMAREDG = 0x1b6,
  op_UBLKRED = 0x1bb,
  // Reads of special registers.
  op_CS2R = 0x005,
  op_S2R = 0x119,
  op_S2UR = 0x1c3,
  op_CS2UR = 0x0cb, // from sm_120 on
};

/// An atomic's operation. Not every instruction has every one.
constexpr std::array<const char*, 10> operations = {"ADD", "MIN", "MAX", "INC",  "DEC",
                                                    "AND", "OR",  "XOR", "EXCH", "SAFEADD"};
constexpr unsigned operation_add = 0, operation_increment = 3, operation_exchange = 8;

// SassTypes, by the field's value. An empty name is U32.
constexpr std::array<const char*, 8> types_before_90 = {"",      "S32", "64",  "F32",
                                                        "F16x2", "S64", "F64", "?"};
constexpr std::array<const char*, 8> integer_types = {"", "S32", "64", "S64", "128", "?", "?", "?"};
constexpr std::array<const char*, 16> float_types = {
    "F16x2", "F16x4", "F16x8", "BF16x2", "BF16x4", "BF16x8", "?",     "?",
    "?",     "F32",   "F32x2", "F32x4",  "F32",    "F32x2",  "F32x4", "F64"};
constexpr std::array<const char*, 16> bulk_types = {
    "", "S32", "U64", "S64", "F16", "F32", "F32", "F64", "BF16", "?", "?", "?", "?", "?", "?", "?"};
constexpr std::array<const char*, 8> surface_types = {"",      "S32", "U64",  "F32",
                                                      "F16x2", "S64", "SD32", "SD64"};

bool is_float(std::string_view type) {
  return type.starts_with('F') || type.starts_with("BF") || type == "?";
}

std::string mnemonic(const char* name, const char* operation, std::string_view type) {
  std::string text = std::string(name) + "." + operation;
  if (!type.empty())
    text += "." + std::string(type);
  return text;
}

GpuNote atomic_note(const char* name, unsigned operation, const char* type, bool is_old_used) {
  GpuNote note;
  const bool is_known = operation < operations.size();
  note.instruction = mnemonic(name, is_known ? operations[operation] : "?", type);
  // A minimum of floats is the same in every order, and so is what is left of it.
  if (operation == operation_add && is_float(type))
    note.effect = GpuEffect::adds_floats;
  else if (operation == operation_exchange)
    note.effect = GpuEffect::exchanges;
  else if (is_old_used || !is_known)
    note.effect = GpuEffect::old_value_used;
  return note;
}

/// What an instruction is to this reader.
enum class SassForm {
  atomic,
  shared_atomic, ///< its operations are others'
  swap,          ///< compares, and exchanges if equal
  swap_or_spin,  ///< which also has CAST.SPIN
  tensor_sum,
  switch_sum,
  load,
  special_register,
};

/// Where an atomic has its operation.
struct OperationField {
  unsigned from, width;
};
constexpr OperationField no_operation = {0, 0};
constexpr OperationField atom_operation = {87, 4}, red_operation = {87, 3},
                         float_operation = {88, 2};

/// Which table has the type of an atomic, and where its field is.
enum class SassTypes { none, integers, integers_of_version, floats, surfaces, bulk };

constexpr unsigned any_architecture = 0;

/// An opcode. Before its first architecture it is another instruction, or none.
struct OpcodeRow {
  unsigned opcode;
  SassForm form;
  const char* name;
  OperationField operation = no_operation;
  SassTypes types = SassTypes::none;
  bool gives_old_value = false;
  unsigned first_architecture = any_architecture;
};

constexpr OpcodeRow opcode_rows[] = {
    {op_ATOM, SassForm::atomic, "ATOM", atom_operation, SassTypes::integers_of_version, true},
    {op_ATOMG, SassForm::atomic, "ATOMG", atom_operation, SassTypes::integers_of_version, true},
    {op_ATOMS, SassForm::shared_atomic, "ATOMS", atom_operation, SassTypes::integers, true},
    {op_RED, SassForm::atomic, "RED", red_operation, SassTypes::integers_of_version},
    {op_ATOM_float, SassForm::atomic, "ATOM", float_operation, SassTypes::floats, true},
    {op_ATOMG_float, SassForm::atomic, "ATOMG", float_operation, SassTypes::floats, true},
    {op_RED_float, SassForm::atomic, "RED", float_operation, SassTypes::floats},
    {op_SUATOM, SassForm::atomic, "SUATOM", atom_operation, SassTypes::surfaces, true},
    {op_SUATOM_indexed, SassForm::atomic, "SUATOM", atom_operation, SassTypes::surfaces, true},
    {op_SURED, SassForm::atomic, "SURED", red_operation, SassTypes::surfaces},
    {op_SURED_indexed, SassForm::atomic, "SURED", red_operation, SassTypes::surfaces},
    {op_ATOM_CAS, SassForm::swap_or_spin, "ATOM"},
    {op_ATOMS_CAS, SassForm::swap_or_spin, "ATOMS"},
    {op_ATOMG_CAS, SassForm::swap, "ATOMG"},
    {op_SUATOM_CAS, SassForm::swap, "SUATOM"},
    {op_SUATOM_CAS_indexed, SassForm::swap, "SUATOM"},
    {op_UBLKRED, SassForm::atomic, "UBLKRED", red_operation, SassTypes::bulk, false, 90},
    {op_UTMAREDG, SassForm::tensor_sum, "UTMAREDG", red_operation, SassTypes::none, false, 90},
    {op_LDGMC_float, SassForm::switch_sum, "LDGMC", float_operation, SassTypes::none, false, 90},
    {op_LD, SassForm::load, "LD.STRONG"},
    {op_LDG, SassForm::load, "LDG.STRONG"},
    {op_LDG_256, SassForm::load, "LDG.STRONG", no_operation, SassTypes::none, false, 100},
    {op_CS2R, SassForm::special_register, ""},
    {op_S2R, SassForm::special_register, ""},
    {op_S2UR, SassForm::special_register, ""},
    {op_CS2UR, SassForm::special_register, ""},
};

/// A special register that may hold another value in each run; the others count what the processor
/// does.
struct RegisterRow {
  unsigned first, last;
  GpuEffect effect;
  const char* name;
};

constexpr RegisterRow register_rows[] = {
    {0x01, 0x01, GpuEffect::clock, "SR_CLOCK"},
    {0x03, 0x03, GpuEffect::place, "SR_VIRTID"},
    {0x43, 0x43, GpuEffect::place, "SR_VIRTUALSMID"},
    {0x44, 0x44, GpuEffect::place, "SR_VIRTUALENGINEID"},
    {0x50, 0x50, GpuEffect::clock, "SR_CLOCKLO"},
    {0x51, 0x51, GpuEffect::clock, "SR_CLOCKHI"},
    {0x52, 0x52, GpuEffect::clock, "SR_GLOBALTIMERLO"},
    {0x53, 0x53, GpuEffect::clock, "SR_GLOBALTIMERHI"},
    {0x60, 0x60, GpuEffect::place, "SR_HWTASKID"},
    {0x64, 0x83, GpuEffect::clock, "SR_PM"},
};

/// Arithmetic of floats, in the architectures in which the opcode is that.
struct FloatRow {
  unsigned opcode;
  const char* name;
  unsigned first_architecture, last_architecture;
  bool may_be_constant = false; ///< with RZ it is how a constant is put into a register
};
constexpr unsigned last_architecture = ~0U;

constexpr FloatRow float_rows[] = {
    {0x020, "FMUL", any_architecture, last_architecture},
    {0x021, "FADD", any_architecture, last_architecture},
    {0x023, "FFMA", any_architecture, last_architecture},
    {0x028, "DMUL", any_architecture, last_architecture},
    {0x029, "DADD", any_architecture, last_architecture},
    {0x02b, "DFMA", any_architecture, last_architecture},
    {0x030, "HADD2", any_architecture, last_architecture},
    {0x031, "HFMA2", any_architecture, last_architecture, true},
    {0x032, "HMUL2", any_architecture, last_architecture},
    {0x035, "HFMA2.MMA", any_architecture, 99, true}, // from sm_120 on IADD.64
    {0x049, "FFMA2", 100, 109},
    {0x04a, "FMUL2", 100, 109},
    {0x04b, "FADD2", 100, 109},
    {0x108, "MUFU", any_architecture, last_architecture},
};

/// Instructions that write no register where others name theirs: comparisons, stores, jumps.
struct OpcodeRange {
  unsigned first, last;
};

constexpr OpcodeRange writing_none[] = {
    {0x00b, 0x00c}, // FSETP, ISETP
    {0x01c, 0x01f}, // PLOP3
    {0x02a, 0x02a}, // DSETP
    {0x034, 0x034}, // HSETP2
    {0x140, 0x17f}, // jumps and others
    {0x185, 0x188}, // ST, STG, STL, STS
    {0x18e, 0x18e}, // RED
    {0x1a6, 0x1a6}, // RED of floats
};

/// The row whose range holds the number, or nullptr.
template <typename Row, std::size_t size>
const Row* row_with(const Row (&rows)[size], unsigned number) {
  const Row* const row = std::ranges::find_if(rows, [number](const Row& candidate) {
    return number >= candidate.first && number <= candidate.last;
  });
  return row == std::end(rows) ? nullptr : row;
}

constexpr std::size_t opcodes = 512; ///< nine bits
constexpr unsigned char no_row = 255;

/// Which row an opcode has: real libraries have tens of millions of instructions.
constexpr std::array<unsigned char, opcodes> row_numbers = [] {
  std::array<unsigned char, opcodes> numbers{};
  numbers.fill(no_row);
  for (unsigned char row = 0; row < std::size(opcode_rows); ++row)
    numbers[opcode_rows[row].opcode] = row;
  return numbers;
}();

/// The row of an opcode, or nullptr.
const OpcodeRow* opcode_row(unsigned opcode) {
  const unsigned char number = row_numbers[opcode];
  return number == no_row ? nullptr : &opcode_rows[number];
}

class SassReader {
public:
  SassReader(std::string_view code, unsigned architecture)
      : code_(code), architecture_(architecture), is_before_90_(architecture < 90) {}

  std::vector<GpuNote> read() {
    for (std::size_t at = 0; code_.size() - at >= instruction_size; at += instruction_size)
      read_at(at);
    return std::move(notes_);
  }

private:
  Instruction at(std::size_t offset) const { return Instruction(code_.data() + offset); }

  void add(std::size_t offset, GpuNote note) {
    note.offset = offset;
    notes_.push_back(std::move(note));
  }

  void read_at(std::size_t offset) {
    const Instruction instruction = at(offset);
    const OpcodeRow* const row = opcode_row(instruction.opcode());
    if (row == nullptr || architecture_ < row->first_architecture)
      return;
    switch (row->form) {
    case SassForm::atomic:
      return add(offset, note_of(*row, instruction));
    case SassForm::shared_atomic:
      return read_shared_atomic(offset, *row, instruction);
    case SassForm::swap:
    case SassForm::swap_or_spin:
      return add_swap(offset, row->name, row->form == SassForm::swap_or_spin);
    case SassForm::tensor_sum:
      return add_sum(offset, *row, instruction, GpuEffect::tensor_sum);
    case SassForm::switch_sum:
      return add_sum(offset, *row, instruction, GpuEffect::switch_sum);
    case SassForm::load:
      return read_load(offset, row->name);
    case SassForm::special_register:
      return read_register(offset, instruction.field(72, 8));
    }
  }

  static unsigned operation_of(const OpcodeRow& row, const Instruction& instruction) {
    return instruction.field(row.operation.from, row.operation.width);
  }

  GpuNote note_of(const OpcodeRow& row, const Instruction& instruction) const {
    return atomic_note(name_of(row), operation_of(row, instruction), type_of(row, instruction),
                       is_old_used(row, instruction));
  }

  /// RED became REDG.
  const char* name_of(const OpcodeRow& row) const {
    const bool is_red = row.opcode == op_RED || row.opcode == op_RED_float;
    return is_red && !is_before_90_ ? "REDG" : row.name;
  }

  static bool is_old_used(const OpcodeRow& row, const Instruction& instruction) {
    return row.gives_old_value && instruction.target() != no_register;
  }

  const char* type_of(const OpcodeRow& row, const Instruction& instruction) const {
    switch (row.types) {
    case SassTypes::integers:
      return integer_types[instruction.field(73, 3)];
    case SassTypes::integers_of_version:
      return (is_before_90_ ? types_before_90 : integer_types)[instruction.field(73, 3)];
    case SassTypes::floats:
      return instruction.field(87, 1) != 0 ? "?" : float_types[instruction.field(73, 4)];
    case SassTypes::surfaces:
      return surface_types[instruction.field(73, 3)];
    case SassTypes::bulk:
      return bulk_types[instruction.field(81, 4)];
    case SassTypes::none:
      break;
    }
    return "";
  }

  void read_shared_atomic(std::size_t offset, const OpcodeRow& row,
                          const Instruction& instruction) {
    constexpr unsigned arrive = 9, count_bits = 10, count_inverted_bits = 11;
    const unsigned operation = operation_of(row, instruction);
    if (operation == arrive)
      return; // at a barrier, before sm_90: what is still to come, which nobody adds up
    if (operation == count_bits || operation == count_inverted_bits)
      add(offset,
          atomic_note("ATOMS.POPC", operation_increment, "32", is_old_used(row, instruction)));
    else
      add(offset, note_of(row, instruction));
  }

  /// Which loads see what others write while the kernel runs: STRONG and MMIO, for the GPU or the
  /// system.
  void read_load(std::size_t offset, const char* name) {
    const unsigned order = at(offset).field(77, 4);
    constexpr unsigned strong_before_80 = 0b1100'1100'0000'0000, strong = 0b0001'0101'1100'0000;
    if (((architecture_ < 80 ? strong_before_80 : strong) >> order & 1) != 0)
      add(offset, {GpuEffect::shared_read, name, 0, {}});
  }

  /// Of what is no sum, the order does not matter.
  void add_sum(std::size_t offset, const OpcodeRow& row, const Instruction& instruction,
               GpuEffect of_sum) {
    constexpr unsigned add_with_more_bits = 3; // HPADD, of the switch's
    unsigned operation = operation_of(row, instruction);
    if (row.form == SassForm::switch_sum && operation == add_with_more_bits)
      operation = operation_add;
    GpuNote note = atomic_note(row.name, operation, "", false);
    if (operation == operation_add)
      note.effect = of_sum;
    add(offset, std::move(note));
  }

  /// CAST.SPIN is the compiler's own loop, which it makes of an atomic that the hardware does not
  /// have.
  void add_swap(std::size_t offset, const char* name, bool may_spin) {
    const Instruction instruction = at(offset);
    const bool spins = may_spin && instruction.field(87, 2) == 3;
    const bool is_of_64_bits = instruction.field(73, 3) == 2;
    const bool is_of_floats = is_made_by_floats(offset, instruction.sources()[2], is_of_64_bits);
    GpuNote note;
    note.instruction = mnemonic(name, spins ? "CAST.SPIN" : "CAS", is_of_64_bits ? "64" : "");
    note.effect = !is_of_floats ? GpuEffect::swaps
                  : spins       ? GpuEffect::adds_floats
                                : GpuEffect::swaps_floats;
    add(offset, std::move(note));
  }

  void read_register(std::size_t offset, unsigned number) {
    const RegisterRow* const row = row_with(register_rows, number);
    if (row != nullptr)
      add(offset, {row->effect, row->name, 0, {}});
  }

  bool is_float_arithmetic(const Instruction& instruction) const {
    const FloatRow* const row =
        std::ranges::find(float_rows, instruction.opcode(), &FloatRow::opcode);
    if (row == std::end(float_rows) || architecture_ < row->first_architecture ||
        architecture_ > row->last_architecture)
      return false;
    return !row->may_be_constant || instruction.sources()[0] != no_register;
  }

  static bool is_load(unsigned opcode) { return opcode >= 0x180; }

  /// Goes backwards from `offset`: who wrote the register, and what it was made of. Jumps are not
  /// followed; a value that comes around a loop is made before the swap in it.
  bool is_made_by_floats(std::size_t offset, unsigned from, bool is_of_64_bits) const {
    std::bitset<256> wanted;
    const auto want = [&wanted](unsigned number) {
      if (number != no_register)
        wanted.set(number);
    };
    want(from);
    if (is_of_64_bits && from != no_register)
      want(from | 1); // the other half
    constexpr std::size_t farthest = 256 * instruction_size;
    for (std::size_t back = instruction_size; back <= std::min(offset, farthest) && wanted.any();
         back += instruction_size) {
      const Instruction instruction = at(offset - back);
      if (row_with(writing_none, instruction.opcode()) != nullptr ||
          instruction.target() == no_register || !wanted.test(instruction.target()))
        continue;
      if (is_float_arithmetic(instruction))
        return true;
      wanted.reset(instruction.target());
      if (is_load(instruction.opcode()))
        continue;
      for (const unsigned source : instruction.sources())
        want(source);
    }
    return false;
  }

  std::string_view code_;
  unsigned architecture_;
  bool is_before_90_;
  std::vector<GpuNote> notes_;
};

} // namespace

std::vector<GpuNote> read_sass(std::string_view code, unsigned architecture) {
  return SassReader(code, architecture).read();
}

} // namespace detshim
