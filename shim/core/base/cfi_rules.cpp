#include "core/base/cfi_rules.h"

#include "core/base/hash.h"
#include "core/base/modules.h"

#include <cstddef>

namespace detshim {
namespace {

#if defined(__x86_64__)
constexpr uint64_t frame_pointer_register = 6, stack_pointer_register = 7;
#elif defined(__aarch64__)
constexpr uint64_t frame_pointer_register = 29, stack_pointer_register = 31;
#endif

/// Reads a table's bytes; behind the end it reads zeros.
struct Bytes {
  const unsigned char* at;
  const unsigned char* end;

  bool has_more() const { return at < end; }

  template <typename Number>
  Number number() {
    Number value = 0;
    if (static_cast<size_t>(end - at) < sizeof value) {
      at = end;
      return 0;
    }
    __builtin_memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
  }

  uint64_t unsigned_leb() {
    uint64_t value = 0;
    for (int shift = 0; at < end; shift += 7) {
      const unsigned char byte = *at++;
      if (shift < 64)
        value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if ((byte & 0x80) == 0)
        break;
    }
    return value;
  }

  int64_t signed_leb() {
    const unsigned char* const begin = at;
    uint64_t value = unsigned_leb();
    const auto bits = static_cast<unsigned>(at - begin) * 7;
    if (bits > 0 && bits < 64 && (at[-1] & 0x40) != 0)
      value |= ~uint64_t{0} << bits;
    return static_cast<int64_t>(value);
  }

  /// As many bytes as the number before them says.
  Bytes block() {
    const uint64_t length = unsigned_leb();
    const auto left = static_cast<uint64_t>(end - at);
    const Bytes bytes{at, at + (length < left ? length : left)};
    at = bytes.end;
    return bytes;
  }
};

/// What the instructions for some place in a function have set up to there. Offsets are in bytes.
struct Row {
  struct Saved {
    enum class How : uint8_t {
      unchanged,
      at_cfa,
      at_frame_pointer,
      otherwise
    } how = How::unchanged;
    int64_t offset = 0;
  };
  uint64_t cfa_register = ~uint64_t{0};
  int64_t cfa_offset = 0;
  bool cfa_is_loaded = false;
  Saved frame_pointer, return_address;
};

/// The address "register + offset" that an expression computes, and whether what is kept there is
/// meant.
bool is_simple(Bytes expression, uint64_t& base, int64_t& offset, bool& is_loaded) {
  constexpr unsigned char first_based = 0x70, last_based = 0x8F,
                          deref = 0x06; // DW_OP_breg0 …, DW_OP_deref
  const auto operation = expression.number<uint8_t>();
  if (operation < first_based || operation > last_based)
    return false;
  base = operation - first_based;
  offset = expression.signed_leb();
  is_loaded = expression.has_more() && expression.number<uint8_t>() == deref;
  return !expression.has_more();
}

/// The common part of many functions' entries (CIE), as far as it is needed.
struct Common {
  uint64_t code_unit = 1;
  int64_t data_unit = 1;
  uint64_t return_register = 0;
  uint8_t address_encoding = 0;
  bool has_augmentation = false, is_signal_frame = false;
  Bytes instructions{};
};

/// An entry of the table without its length; nothing in it for the form of 64 bits, which nobody
/// writes.
Bytes entry_at(const unsigned char* begin) {
  uint32_t length;
  __builtin_memcpy(&length, begin, sizeof length);
  if (length == 0xFFFFFFFF)
    length = 0;
  return {begin + sizeof length, begin + sizeof length + length};
}

/// The size of a pointer that is encoded so (DW_EH_PE_…); 0 where that varies.
size_t size_of_encoded(uint8_t encoding) {
  constexpr size_t sizes[] = {8, 0, 2, 4, 8, 0, 0, 0};
  return sizes[encoding & 7];
}

/// Reads what the letters announce; false where one is not known.
bool read_augmentation(const char* letters, Bytes data, Common& common) {
  for (; *letters != 0; ++letters)
    switch (*letters) {
    case 'R':
      common.address_encoding = data.number<uint8_t>();
      break;
    case 'L':
      data.number<uint8_t>();
      break;
    case 'S':
      common.is_signal_frame = true;
      break;
    case 'P': { // the personality routine's address
      const size_t size = size_of_encoded(data.number<uint8_t>());
      if (size == 0)
        return false;
      data.at += size;
      break;
    }
    case 'B': // its return addresses are signed: the walk takes that away
      break;
    default:
      return false;
    }
  return true;
}

bool read_common(const unsigned char* begin, Common& common) {
  Bytes bytes = entry_at(begin);
  if (bytes.number<uint32_t>() != 0)
    return false;
  const auto version = bytes.number<uint8_t>();
  if (version != 1 && version != 3)
    return false;
  const auto* const augmentation = reinterpret_cast<const char*>(bytes.at);
  while (bytes.number<char>() != 0)
    continue;
  common.code_unit = bytes.unsigned_leb();
  common.data_unit = bytes.signed_leb();
  common.return_register = version == 1 ? bytes.number<uint8_t>() : bytes.unsigned_leb();
  common.has_augmentation = augmentation[0] == 'z';
  if (common.has_augmentation && !read_augmentation(augmentation + 1, bytes.block(), common))
    return false;
  if (!common.has_augmentation && augmentation[0] != 0)
    return false;
  common.instructions = bytes;
  return true;
}

/// What follows the code of an instruction, behind its register.
enum class Operand : uint8_t {
  none,
  byte,
  two_bytes,
  four_bytes,
  number,
  data_units,        ///< a number of units of data
  signed_data_units, ///< the same with a sign
  block,
};

/// What an instruction does to the row.
enum class Effect : uint8_t {
  nothing,
  advance,         ///< what follows holds for later code
  save_at_cfa,     ///< the register lies in memory, at an offset from the CFA
  save_expression, ///< where an expression says
  save_unchanged,  ///< it still has the caller's value
  lose,            ///< it is nowhere, or in a place that CfiRule cannot hold
  restore,         ///< the register's rule is that of the function's beginning
  remember_row,
  restore_row,
  define_cfa,
  define_cfa_register,
  define_cfa_offset,
  define_cfa_expression,
};

struct Instruction {
  uint8_t code;
  bool has_register; ///< as its first operand
  Operand operand;
  Effect effect;
};

// DWARF 5, 7.24, and the two that the ABIs add.
constexpr Instruction instructions_by_code[] = {
    {0x00, false, Operand::none, Effect::nothing},                 // DW_CFA_nop
    {0x02, false, Operand::byte, Effect::advance},                 // DW_CFA_advance_loc1
    {0x03, false, Operand::two_bytes, Effect::advance},            // DW_CFA_advance_loc2
    {0x04, false, Operand::four_bytes, Effect::advance},           // DW_CFA_advance_loc4
    {0x05, true, Operand::data_units, Effect::save_at_cfa},        // DW_CFA_offset_extended
    {0x06, true, Operand::none, Effect::restore},                  // DW_CFA_restore_extended
    {0x07, true, Operand::none, Effect::lose},                     // DW_CFA_undefined
    {0x08, true, Operand::none, Effect::save_unchanged},           // DW_CFA_same_value
    {0x09, true, Operand::number, Effect::lose},                   // DW_CFA_register
    {0x0A, false, Operand::none, Effect::remember_row},            // DW_CFA_remember_state
    {0x0B, false, Operand::none, Effect::restore_row},             // DW_CFA_restore_state
    {0x0C, true, Operand::number, Effect::define_cfa},             // DW_CFA_def_cfa
    {0x0D, true, Operand::none, Effect::define_cfa_register},      // DW_CFA_def_cfa_register
    {0x0E, false, Operand::number, Effect::define_cfa_offset},     // DW_CFA_def_cfa_offset
    {0x0F, false, Operand::block, Effect::define_cfa_expression},  // DW_CFA_def_cfa_expression
    {0x10, true, Operand::block, Effect::save_expression},         // DW_CFA_expression
    {0x11, true, Operand::signed_data_units, Effect::save_at_cfa}, // DW_CFA_offset_extended_sf
    {0x12, true, Operand::signed_data_units, Effect::define_cfa},  // DW_CFA_def_cfa_sf
    {0x13, false, Operand::signed_data_units,
     Effect::define_cfa_offset},                     // DW_CFA_def_cfa_offset_sf
    {0x14, true, Operand::number, Effect::lose},     // DW_CFA_val_offset
    {0x15, true, Operand::number, Effect::lose},     // DW_CFA_val_offset_sf
    {0x16, true, Operand::block, Effect::lose},      // DW_CFA_val_expression
    {0x2D, false, Operand::none, Effect::nothing},   // DW_CFA_AARCH64_negate_ra_state
    {0x2E, false, Operand::number, Effect::nothing}, // DW_CFA_GNU_args_size
};

const Instruction* instruction_of(uint8_t code) {
  for (const Instruction& instruction : instructions_by_code)
    if (instruction.code == code)
      return &instruction;
  return nullptr;
}

/// Follows instructions until those for a place behind `address`; false where one is not
/// understood.
class Interpreter {
public:
  explicit Interpreter(const Common& common) : common_(common) {}

  Row row;

  bool run(Bytes instructions, uintptr_t location, uintptr_t address) {
    initial_ = row;
    while (instructions.has_more()) {
      advance_ = 0;
      if (!step(instructions))
        return false;
      location += advance_ * common_.code_unit;
      if (location > address)
        return true;
    }
    return true;
  }

private:
  struct Operands {
    uint64_t reg = 0;
    int64_t number = 0;
    Bytes block{};
  };

  bool step(Bytes& in) {
    const auto code = in.number<uint8_t>();
    // Three instructions have an operand of 6 bits in their own byte, two of them a longer form in
    // the table as well.
    constexpr uint8_t offset_extended = 0x05, restore_extended = 0x06;
    Operands operands;
    operands.reg = code & 0x3F;
    switch (code >> 6) {
    case 1: // DW_CFA_advance_loc
      advance_ = operands.reg;
      return true;
    case 2: // DW_CFA_offset
      return follow(*instruction_of(offset_extended), in, operands);
    case 3: // DW_CFA_restore
      return follow(*instruction_of(restore_extended), in, operands);
    }
    const Instruction* const instruction = instruction_of(code);
    if (instruction == nullptr)
      return false;
    if (instruction->has_register)
      operands.reg = in.unsigned_leb();
    return follow(*instruction, in, operands);
  }

  bool follow(const Instruction& instruction, Bytes& in, Operands operands) {
    read(instruction.operand, in, operands);
    return apply(instruction.effect, operands);
  }

  void read(Operand operand, Bytes& in, Operands& to) const {
    switch (operand) {
    case Operand::none:
      break;
    case Operand::byte:
      to.number = in.number<uint8_t>();
      break;
    case Operand::two_bytes:
      to.number = in.number<uint16_t>();
      break;
    case Operand::four_bytes:
      to.number = in.number<uint32_t>();
      break;
    case Operand::number:
      to.number = static_cast<int64_t>(in.unsigned_leb());
      break;
    case Operand::data_units:
      to.number = static_cast<int64_t>(in.unsigned_leb()) * common_.data_unit;
      break;
    case Operand::signed_data_units:
      to.number = in.signed_leb() * common_.data_unit;
      break;
    case Operand::block:
      to.block = in.block();
      break;
    }
  }

  bool apply(Effect effect, const Operands& with) {
    using How = Row::Saved::How;
    switch (effect) {
    case Effect::nothing:
      return true;
    case Effect::advance:
      advance_ = static_cast<uint64_t>(with.number);
      return true;
    case Effect::save_at_cfa:
      return save(with.reg, {How::at_cfa, with.number});
    case Effect::save_expression:
      return save(with.reg, place_of(with.block));
    case Effect::save_unchanged:
      return save(with.reg, {How::unchanged, 0});
    case Effect::lose:
      return save(with.reg, {How::otherwise, 0});
    case Effect::restore:
      return save(with.reg, initially(with.reg));
    case Effect::remember_row:
      return remember_row();
    case Effect::restore_row:
      return restore_row();
    case Effect::define_cfa:
      return define_cfa(with.reg, with.number);
    case Effect::define_cfa_register:
      return define_cfa(with.reg, row.cfa_offset);
    case Effect::define_cfa_offset:
      row.cfa_offset = with.number;
      return true;
    case Effect::define_cfa_expression:
      return define_cfa(with.block);
    }
    return false;
  }

  bool remember_row() {
    if (depth_ == sizeof remembered_ / sizeof *remembered_)
      return false;
    remembered_[depth_++] = row;
    return true;
  }

  bool restore_row() {
    if (depth_ == 0)
      return false;
    row = remembered_[--depth_];
    return true;
  }

  bool define_cfa(uint64_t reg, int64_t offset) {
    row.cfa_register = reg;
    row.cfa_offset = offset;
    row.cfa_is_loaded = false;
    return true;
  }

  bool define_cfa(const Bytes& expression) {
    if (!is_simple(expression, row.cfa_register, row.cfa_offset, row.cfa_is_loaded))
      row.cfa_register = ~uint64_t{0};
    return true;
  }

  Row::Saved initially(uint64_t reg) const {
    return reg == frame_pointer_register ? initial_.frame_pointer : initial_.return_address;
  }

  bool save(uint64_t reg, Row::Saved saved) {
    if (reg == frame_pointer_register)
      row.frame_pointer = saved;
    if (reg == common_.return_register)
      row.return_address = saved;
    return true;
  }

  static Row::Saved place_of(const Bytes& expression) {
    uint64_t base = 0;
    int64_t offset = 0;
    bool is_loaded = false;
    const bool is_known = is_simple(expression, base, offset, is_loaded) &&
                          base == frame_pointer_register && !is_loaded;
    return {is_known ? Row::Saved::How::at_frame_pointer : Row::Saved::How::otherwise, offset};
  }

  const Common& common_;
  Row initial_;
  uint64_t advance_ = 0;
  Row remembered_[4];
  size_t depth_ = 0;
};

/// True if a word's offset fits what is kept of it.
bool fits(int64_t bytes) {
  constexpr int64_t most = 1 << 19;
  return bytes % 8 == 0 && bytes / 8 < most && bytes / 8 >= -most;
}

CfiRule to_rule(const Row& row) {
  using How = Row::Saved::How;
  CfiRule rule = {};
  const bool is_of_stack = row.cfa_register == stack_pointer_register && !row.cfa_is_loaded;
  if (!is_of_stack && row.cfa_register != frame_pointer_register)
    return {};
  if (row.return_address.how != How::at_cfa || row.frame_pointer.how == How::otherwise)
    return {};
  if (!fits(row.cfa_offset) || !fits(row.return_address.offset) || !fits(row.frame_pointer.offset))
    return {};
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion" // they fit
  rule.cfa_offset = row.cfa_offset / 8;
  rule.return_offset = row.return_address.offset / 8;
  rule.frame_pointer_offset = row.frame_pointer.offset / 8;
#pragma GCC diagnostic pop
  rule.cfa = is_of_stack         ? CfiRule::Cfa::stack_pointer
             : row.cfa_is_loaded ? CfiRule::Cfa::loaded
                                 : CfiRule::Cfa::frame_pointer;
  rule.frame_pointer = row.frame_pointer.how == How::unchanged ? CfiRule::Kept::unchanged
                       : row.frame_pointer.how == How::at_cfa  ? CfiRule::Kept::at_cfa
                                                               : CfiRule::Kept::at_frame_pointer;
  return rule;
}

CfiRule read_rule(uintptr_t address) {
  const uintptr_t inside = address - 1; // of the call: a function that never returns ends with it
  const unsigned char* const description =
      frame_description_at(reinterpret_cast<const void*>(inside));
  if (description == nullptr)
    return {};
  Bytes bytes = entry_at(description);
  const unsigned char* const here = bytes.at;
  const auto back = bytes.number<uint32_t>();
  Common common;
  if (back == 0 || !read_common(here - back, common))
    return {};
  constexpr uint8_t relative_4_bytes =
      0x1B; // DW_EH_PE_pcrel | DW_EH_PE_sdata4, what compilers write
  if (common.is_signal_frame || common.address_encoding != relative_4_bytes)
    return {};
  const auto place = reinterpret_cast<uintptr_t>(bytes.at);
  const uintptr_t begin = place + static_cast<uintptr_t>(int64_t{bytes.number<int32_t>()});
  const auto length = bytes.number<uint32_t>();
  if (inside < begin || inside - begin >= length)
    return {};
  if (common.has_augmentation)
    bytes.block();

  Interpreter interpreter(common);
  if (!interpreter.run(common.instructions, 0, ~uintptr_t{0}))
    return {};
  if (!interpreter.run(bytes, begin, inside))
    return {};
  return to_rule(interpreter.row);
}

// What was read before: a rule for each of some hundred return addresses. Two words are written
// without a lock: an entry of which one word is another's does not fit together, and is read anew.
struct Entry {
  uint64_t check, rule;
};
constexpr int set_bits = 7;
struct alignas(64) EntrySet { // of one line of the cache
  Entry entries[4];
};
struct KnownRules {
  EntrySet sets[1 << set_bits];
  uint32_t objects_unloaded;
};
constinit KnownRules known_rules = {};

} // namespace

CfiRule cfi_rule(uintptr_t address) {
  const uint64_t name = address ^ uint64_t { cfi_rules_forgotten() } << 48;
  const auto check = [name](uint64_t rule) {
    return name ^ spread(rule + 1);
  };
  EntrySet& set = known_rules.sets[spread(name) >> (64 - set_bits)];
  Entry* to = &set.entries[name >> 3 & 3]; // where all are in use
  for (Entry& entry : set.entries) {
    const uint64_t known = __atomic_load_n(&entry.rule, __ATOMIC_RELAXED);
    const uint64_t entry_check = __atomic_load_n(&entry.check, __ATOMIC_RELAXED);
    if (entry_check == check(known))
      return __builtin_bit_cast(CfiRule, known);
    if (entry_check == 0)
      to = &entry;
  }
  const CfiRule rule = read_rule(address);
  const auto packed = __builtin_bit_cast(uint64_t, rule);
  __atomic_store_n(&to->rule, packed, __ATOMIC_RELAXED);
  __atomic_store_n(&to->check, check(packed), __ATOMIC_RELAXED);
  return rule;
}

uint32_t cfi_rules_forgotten() {
  return __atomic_load_n(&known_rules.objects_unloaded, __ATOMIC_RELAXED);
}

void forget_cfi_rules() { __atomic_add_fetch(&known_rules.objects_unloaded, 1, __ATOMIC_RELAXED); }

} // namespace detshim
