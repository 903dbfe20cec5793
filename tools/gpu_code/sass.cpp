// NVIDIA does not publish this encoding. The opcodes and fields below are what nvdisasm 13 shows for each
// value of the field in question, in words made for that, on sm_75, 80, 90, 100 and 120; and
// tests/kernels/against_nvdisasm holds the result to it over the code of real libraries.
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
  // Atomics: ATOM by a generic address, ATOMG in global memory, ATOMS in shared; RED gives no old value.
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

// Types, by the field's value. An empty name is U32.
constexpr std::array<const char*, 8> types_before_90 = {"", "S32", "64", "F32", "F16x2", "S64", "F64", "?"};
constexpr std::array<const char*, 8> integer_types = {"", "S32", "64", "S64", "128", "?", "?", "?"};
constexpr std::array<const char*, 16> float_types = {"F16x2", "F16x4", "F16x8", "BF16x2", "BF16x4", "BF16x8",
                                                     "?",     "?",     "?",     "F32",    "F32x2",  "F32x4",
                                                     "F32",   "F32x2", "F32x4", "F64"};
constexpr std::array<const char*, 16> bulk_types = {"",     "S32", "U64", "S64", "F16", "F32", "F32", "F64",
                                                    "BF16", "?",   "?",   "?",   "?",   "?",   "?",   "?"};
constexpr std::array<const char*, 8> surface_types = {"",      "S32", "U64",  "F32",
                                                      "F16x2", "S64", "SD32", "SD64"};

bool is_float(std::string_view type) {
  return type.starts_with('F') || type.starts_with("BF") || type == "?";
}

std::string mnemonic(const char* name, const char* operation, std::string_view type) {
  std::string text = std::string(name) + "." + operation;
  if (!type.empty()) text += "." + std::string(type);
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

class SassReader {
public:
  SassReader(std::string_view code, unsigned architecture)
      : code_(code), architecture_(architecture), is_before_90_(architecture < 90) {}

  std::vector<GpuNote> read() {
    for (std::size_t at = 0; code_.size() - at >= instruction_size; at += instruction_size) read_at(at);
    return std::move(notes_);
  }

private:
  Instruction at(std::size_t offset) const { return Instruction(code_.data() + offset); }

  void add(std::size_t offset, GpuNote note) {
    note.offset = offset;
    notes_.push_back(std::move(note));
  }

  void read_at(std::size_t offset) {
    const Instruction it = at(offset);
    const bool is_old_used = it.target() != no_register;
    const char* const red = is_before_90_ ? "RED" : "REDG";
    const char* const type =
        is_before_90_ ? types_before_90[it.field(73, 3)] : integer_types[it.field(73, 3)];
    const char* const float_type = it.field(87, 1) != 0 ? "?" : float_types[it.field(73, 4)];
    switch (it.opcode()) {
    case op_ATOM:
      add(offset, atomic_note("ATOM", it.field(87, 4), type, is_old_used));
      break;
    case op_ATOMG:
      add(offset, atomic_note("ATOMG", it.field(87, 4), type, is_old_used));
      break;
    case op_ATOMS:
      read_shared_atomic(offset, it.field(87, 4), integer_types[it.field(73, 3)], is_old_used);
      break;
    case op_RED:
      add(offset, atomic_note(red, it.field(87, 3), type, false));
      break;
    case op_ATOM_float:
      add(offset, atomic_note("ATOM", it.field(88, 2), float_type, is_old_used));
      break;
    case op_ATOMG_float:
      add(offset, atomic_note("ATOMG", it.field(88, 2), float_type, is_old_used));
      break;
    case op_RED_float:
      add(offset, atomic_note(red, it.field(88, 2), float_type, false));
      break;
    case op_SUATOM:
    case op_SUATOM_indexed:
      add(offset, atomic_note("SUATOM", it.field(87, 4), surface_types[it.field(73, 3)], is_old_used));
      break;
    case op_SURED:
    case op_SURED_indexed:
      add(offset, atomic_note("SURED", it.field(87, 3), surface_types[it.field(73, 3)], false));
      break;
    case op_ATOM_CAS:
      add_swap(offset, "ATOM", true);
      break;
    case op_ATOMS_CAS:
      add_swap(offset, "ATOMS", true);
      break;
    case op_ATOMG_CAS:
      add_swap(offset, "ATOMG", false);
      break;
    case op_SUATOM_CAS:
    case op_SUATOM_CAS_indexed:
      add_swap(offset, "SUATOM", false);
      break;
    case op_UBLKRED:
      if (!is_before_90_)
        add(offset, atomic_note("UBLKRED", it.field(87, 3), bulk_types[it.field(81, 4)], false));
      break;
    case op_UTMAREDG:
      if (!is_before_90_) add_named(offset, "UTMAREDG", it.field(87, 3), GpuEffect::tensor_sum);
      break;
    case op_LDGMC_float:
      if (!is_before_90_) {
        const unsigned operation = it.field(88, 2);
        constexpr unsigned with_more_bits = 3; // HPADD
        add_named(offset, "LDGMC", operation == with_more_bits ? operation_add : operation,
                  GpuEffect::switch_sum);
      }
      break;
    case op_LD:
      read_load(offset, "LD.STRONG");
      break;
    case op_LDG:
      read_load(offset, "LDG.STRONG");
      break;
    case op_LDG_256:
      if (architecture_ >= 100) read_load(offset, "LDG.STRONG");
      break;
    case op_CS2R:
    case op_S2R:
    case op_S2UR:
    case op_CS2UR:
      read_register(offset, it.field(72, 8));
      break;
    default:
      break;
    }
  }

  void read_shared_atomic(std::size_t offset, unsigned operation, const char* type, bool is_old_used) {
    switch (operation) {
    case 9:
      return; // ARRIVE at a barrier, before sm_90: what is still to come, which nobody adds up
    case 10:
    case 11:
      add(offset, atomic_note("ATOMS.POPC", operation_increment, "32", is_old_used));
      break;
    default:
      add(offset, atomic_note("ATOMS", operation, type, is_old_used));
    }
  }

  /// Which loads see what others write while the kernel runs: STRONG and MMIO, for the GPU or the system.
  void read_load(std::size_t offset, const char* name) {
    const unsigned order = at(offset).field(77, 4);
    constexpr unsigned strong_before_80 = 0b1100'1100'0000'0000, strong = 0b0001'0101'1100'0000;
    if (((architecture_ < 80 ? strong_before_80 : strong) >> order & 1) != 0)
      add(offset, {GpuEffect::shared_read, name, 0, {}});
  }

  /// Of what is no sum, the order does not matter.
  void add_named(std::size_t offset, const char* name, unsigned operation, GpuEffect of_sum) {
    GpuNote note = atomic_note(name, operation, "", false);
    if (operation == operation_add) note.effect = of_sum;
    add(offset, std::move(note));
  }

  /// CAST.SPIN is the compiler's own loop, which it makes of an atomic that the hardware does not have.
  void add_swap(std::size_t offset, const char* name, bool may_spin) {
    const Instruction it = at(offset);
    const bool spins = may_spin && it.field(87, 2) == 3;
    const bool is_of_64_bits = it.field(73, 3) == 2;
    const bool is_of_floats = is_made_by_floats(offset, it.sources()[2], is_of_64_bits);
    GpuNote note;
    note.instruction = mnemonic(name, spins ? "CAST.SPIN" : "CAS", is_of_64_bits ? "64" : "");
    note.effect = !is_of_floats ? GpuEffect::swaps : spins ? GpuEffect::adds_floats : GpuEffect::swaps_floats;
    add(offset, std::move(note));
  }

  void read_register(std::size_t offset, unsigned number) {
    GpuNote note;
    note.effect = GpuEffect::clock;
    switch (number) {
    case 0x01:
      note.instruction = "SR_CLOCK";
      break;
    case 0x50:
      note.instruction = "SR_CLOCKLO";
      break;
    case 0x51:
      note.instruction = "SR_CLOCKHI";
      break;
    case 0x52:
      note.instruction = "SR_GLOBALTIMERLO";
      break;
    case 0x53:
      note.instruction = "SR_GLOBALTIMERHI";
      break;
    case 0x03:
      note = {GpuEffect::place, "SR_VIRTID", 0, {}};
      break;
    case 0x43:
      note = {GpuEffect::place, "SR_VIRTUALSMID", 0, {}};
      break;
    case 0x44:
      note = {GpuEffect::place, "SR_VIRTUALENGINEID", 0, {}};
      break;
    case 0x60:
      note = {GpuEffect::place, "SR_HWTASKID", 0, {}};
      break;
    default:
      if (number < 0x64 || number > 0x83) return; // counters of what the processor does
      note.instruction = "SR_PM";
    }
    add(offset, std::move(note));
  }

  bool is_float_arithmetic(const Instruction& it) const {
    switch (it.opcode()) {
    case 0x020: // FMUL
    case 0x021: // FADD
    case 0x023: // FFMA
    case 0x028: // DMUL
    case 0x029: // DADD
    case 0x02b: // DFMA
    case 0x030: // HADD2
    case 0x032: // HMUL2
    case 0x108: // MUFU
      return true;
    case 0x049:                        // FFMA2
    case 0x04a:                        // FMUL2
    case 0x04b:                        // FADD2
      return architecture_ / 10 == 10; // elsewhere these are others
    case 0x031:                        // HFMA2: with RZ it is how a constant is put into a register
      return it.sources()[0] != no_register;
    case 0x035: // HFMA2.MMA; from sm_120 on IADD.64
      return architecture_ < 100 && it.sources()[0] != no_register;
    default:
      return false;
    }
  }

  /// True for what writes no register where others name theirs: comparisons, stores, jumps.
  static bool writes_none(unsigned opcode) {
    switch (opcode) {
    case 0x00b: // FSETP
    case 0x00c: // ISETP
    case 0x01c: // PLOP3, as the next three
    case 0x01d:
    case 0x01e:
    case 0x01f:
    case 0x02a: // DSETP
    case 0x034: // HSETP2
    case 0x18e: // RED
    case 0x1a6: // RED of floats
    case 0x185: // ST
    case 0x186: // STG
    case 0x187: // STL
    case 0x188: // STS
      return true;
    default:
      return opcode >= 0x140 && opcode < 0x180;
    }
  }

  static bool is_load(unsigned opcode) { return opcode >= 0x180; }

  /// Goes backwards from `offset`: who wrote the register, and what it was made of. Jumps are not followed; a
  /// value that comes around a loop is made before the swap in it.
  bool is_made_by_floats(std::size_t offset, unsigned from, bool is_of_64_bits) const {
    std::bitset<256> wanted;
    const auto want = [&wanted](unsigned number) {
      if (number != no_register) wanted.set(number);
    };
    want(from);
    if (is_of_64_bits && from != no_register) want(from | 1); // the other half
    constexpr std::size_t farthest = 256 * instruction_size;
    for (std::size_t back = instruction_size; back <= std::min(offset, farthest) && wanted.any();
         back += instruction_size) {
      const Instruction it = at(offset - back);
      if (writes_none(it.opcode()) || it.target() == no_register || !wanted.test(it.target())) continue;
      if (is_float_arithmetic(it)) return true;
      wanted.reset(it.target());
      if (is_load(it.opcode())) continue;
      for (const unsigned source : it.sources()) want(source);
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
