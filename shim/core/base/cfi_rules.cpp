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
      if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if ((byte & 0x80) == 0) break;
    }
    return value;
  }

  int64_t signed_leb() {
    const unsigned char* const begin = at;
    uint64_t value = unsigned_leb();
    const auto bits = static_cast<unsigned>(at - begin) * 7;
    if (bits > 0 && bits < 64 && (at[-1] & 0x40) != 0) value |= ~uint64_t{0} << bits;
    return static_cast<int64_t>(value);
  }

  /// As many bytes as the number before them says.
  Bytes block() {
    const uint64_t length = unsigned_leb();
    const auto left = static_cast<uint64_t>(end - at);
    const Bytes found{at, at + (length < left ? length : left)};
    at = found.end;
    return found;
  }
};

/// What the instructions for some place in a function have said so far. Offsets are in bytes.
struct Row {
  struct Saved {
    enum class How : uint8_t { unchanged, at_cfa, at_frame_pointer, otherwise } how = How::unchanged;
    int64_t offset = 0;
  };
  uint64_t cfa_register = ~uint64_t{0};
  int64_t cfa_offset = 0;
  bool cfa_is_loaded = false;
  Saved frame_pointer, return_address;
};

/// The address "register + offset" that an expression computes, and whether what is kept there is meant.
bool is_simple(Bytes expression, uint64_t& base, int64_t& offset, bool& is_loaded) {
  constexpr unsigned char first_based = 0x70, last_based = 0x8F, deref = 0x06; // DW_OP_breg0 …, DW_OP_deref
  const auto operation = expression.number<uint8_t>();
  if (operation < first_based || operation > last_based) return false;
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

/// An entry of the table without its length; nothing in it for the form of 64 bits, which nobody writes.
Bytes entry_at(const unsigned char* begin) {
  uint32_t length;
  __builtin_memcpy(&length, begin, sizeof length);
  if (length == 0xFFFFFFFF) length = 0;
  return {begin + sizeof length, begin + sizeof length + length};
}

bool read_common(const unsigned char* begin, Common& common) {
  Bytes bytes = entry_at(begin);
  if (bytes.number<uint32_t>() != 0) return false;
  const auto version = bytes.number<uint8_t>();
  if (version != 1 && version != 3) return false;
  const auto* const augmentation = reinterpret_cast<const char*>(bytes.at);
  while (bytes.number<char>() != 0) continue;
  common.code_unit = bytes.unsigned_leb();
  common.data_unit = bytes.signed_leb();
  common.return_register = version == 1 ? bytes.number<uint8_t>() : bytes.unsigned_leb();
  if (augmentation[0] == 'z') {
    common.has_augmentation = true;
    Bytes data = bytes.block();
    for (const char* letter = augmentation + 1; *letter != 0; ++letter) {
      if (*letter == 'R')
        common.address_encoding = data.number<uint8_t>();
      else if (*letter == 'L')
        data.number<uint8_t>();
      else if (*letter == 'S')
        common.is_signal_frame = true;
      else if (*letter == 'P') { // the personality routine's address
        const auto encoding = data.number<uint8_t>();
        const size_t sizes[] = {8, 0, 2, 4, 8};
        if ((encoding & 7) > 4 || sizes[encoding & 7] == 0) return false;
        data.at += sizes[encoding & 7];
      } else if (*letter != 'B') { // its return addresses are signed: the walk takes that away
        return false;
      }
    }
  } else if (augmentation[0] != 0) {
    return false;
  }
  common.instructions = bytes;
  return true;
}

/// Follows instructions until those for a place behind `address`; false where one is not understood.
class Interpreter {
public:
  explicit Interpreter(const Common& common) : common_(common) {}

  Row row;

  bool run(Bytes instructions, uintptr_t location, uintptr_t address) {
    const Row initial = row;
    while (instructions.has_more()) {
      uint64_t advance = 0;
      if (!step(instructions, initial, advance)) return false;
      location += advance * common_.code_unit;
      if (location > address) return true;
    }
    return true;
  }

private:
  bool step(Bytes& in, const Row& initial, uint64_t& advance) {
    // Three instructions have an operand of 6 bits in their own byte, and longer forms beside it.
    constexpr uint8_t offset_extended = 0x05, restore_extended = 0x06;
    auto code = in.number<uint8_t>();
    uint64_t reg = code & 0x3F;
    if (code >> 6 == 1) { // DW_CFA_advance_loc
      advance = reg;
      return true;
    }
    if (code >> 6 != 0)
      code = code >> 6 == 2 ? offset_extended : restore_extended;
    else if (has_register(code))
      reg = in.unsigned_leb();
    switch (code) {
    case 0x00: // DW_CFA_nop
    case 0x2D: // DW_CFA_AARCH64_negate_ra_state
      return true;
    case 0x02: // DW_CFA_advance_loc1
      advance = in.number<uint8_t>();
      return true;
    case 0x03: // DW_CFA_advance_loc2
      advance = in.number<uint16_t>();
      return true;
    case 0x04: // DW_CFA_advance_loc4
      advance = in.number<uint32_t>();
      return true;
    case offset_extended:
    case 0x11: // DW_CFA_offset_extended_sf
      save(reg, {Row::Saved::How::at_cfa, in_data_units(in, code == 0x11)});
      return true;
    case restore_extended:
      save(reg, reg == frame_pointer_register ? initial.frame_pointer : initial.return_address);
      return true;
    case 0x07: // DW_CFA_undefined
      save(reg, {Row::Saved::How::otherwise, 0});
      return true;
    case 0x08: // DW_CFA_same_value
      save(reg, {Row::Saved::How::unchanged, 0});
      return true;
    case 0x09: // DW_CFA_register
    case 0x14: // DW_CFA_val_offset
    case 0x15: // DW_CFA_val_offset_sf
      save(reg, {Row::Saved::How::otherwise, 0});
      in.unsigned_leb();
      return true;
    case 0x0A: // DW_CFA_remember_state
      if (depth_ == sizeof remembered_ / sizeof *remembered_) return false;
      remembered_[depth_++] = row;
      return true;
    case 0x0B: // DW_CFA_restore_state
      if (depth_ == 0) return false;
      row = remembered_[--depth_];
      return true;
    case 0x0C: // DW_CFA_def_cfa
      set_cfa(reg, static_cast<int64_t>(in.unsigned_leb()));
      return true;
    case 0x0D: // DW_CFA_def_cfa_register
      set_cfa(reg, row.cfa_offset);
      return true;
    case 0x0E: // DW_CFA_def_cfa_offset
      row.cfa_offset = static_cast<int64_t>(in.unsigned_leb());
      return true;
    case 0x0F: // DW_CFA_def_cfa_expression
      if (!is_simple(in.block(), row.cfa_register, row.cfa_offset, row.cfa_is_loaded))
        row.cfa_register = ~uint64_t{0};
      return true;
    case 0x10: { // DW_CFA_expression
      uint64_t base = 0;
      int64_t offset = 0;
      bool is_loaded = false;
      const bool is_known =
          is_simple(in.block(), base, offset, is_loaded) && base == frame_pointer_register && !is_loaded;
      save(reg, {is_known ? Row::Saved::How::at_frame_pointer : Row::Saved::How::otherwise, offset});
      return true;
    }
    case 0x12: // DW_CFA_def_cfa_sf
      set_cfa(reg, in_data_units(in, true));
      return true;
    case 0x13: // DW_CFA_def_cfa_offset_sf
      row.cfa_offset = in_data_units(in, true);
      return true;
    case 0x16: // DW_CFA_val_expression
      save(reg, {Row::Saved::How::otherwise, 0});
      in.block();
      return true;
    case 0x2E: // DW_CFA_GNU_args_size
      in.unsigned_leb();
      return true;
    default:
      return false;
    }
  }

  /// True for the instructions whose first operand is a register.
  static bool has_register(uint8_t code) {
    constexpr uint64_t with_register = 0x7733E0; // 05 to 09, 0C, 0D, 10 to 12, 14 to 16
    return code < 64 && (with_register >> code & 1) != 0;
  }

  int64_t in_data_units(Bytes& in, bool is_signed) const {
    return (is_signed ? in.signed_leb() : static_cast<int64_t>(in.unsigned_leb())) * common_.data_unit;
  }

  void set_cfa(uint64_t reg, int64_t offset) {
    row.cfa_register = reg;
    row.cfa_offset = offset;
    row.cfa_is_loaded = false;
  }

  void save(uint64_t reg, Row::Saved saved) {
    if (reg == frame_pointer_register) row.frame_pointer = saved;
    if (reg == common_.return_register) row.return_address = saved;
  }

  const Common& common_;
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
  if (!is_of_stack && row.cfa_register != frame_pointer_register) return {};
  if (row.return_address.how != How::at_cfa || row.frame_pointer.how == How::otherwise) return {};
  if (!fits(row.cfa_offset) || !fits(row.return_address.offset) || !fits(row.frame_pointer.offset)) return {};
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
  const unsigned char* const description = frame_description_at(reinterpret_cast<const void*>(inside));
  if (description == nullptr) return {};
  Bytes bytes = entry_at(description);
  const unsigned char* const here = bytes.at;
  const auto back = bytes.number<uint32_t>();
  Common common;
  if (back == 0 || !read_common(here - back, common)) return {};
  constexpr uint8_t relative_4_bytes = 0x1B; // DW_EH_PE_pcrel | DW_EH_PE_sdata4, what compilers write
  if (common.is_signal_frame || common.address_encoding != relative_4_bytes) return {};
  const auto place = reinterpret_cast<uintptr_t>(bytes.at);
  const uintptr_t begin = place + static_cast<uintptr_t>(int64_t{bytes.number<int32_t>()});
  const auto length = bytes.number<uint32_t>();
  if (inside < begin || inside - begin >= length) return {};
  if (common.has_augmentation) bytes.block();

  Interpreter interpreter(common);
  if (!interpreter.run(common.instructions, 0, ~uintptr_t{0})) return {};
  if (!interpreter.run(bytes, begin, inside)) return {};
  return to_rule(interpreter.row);
}

// What was read before: a rule for each of some hundred return addresses. Two words are written without a
// lock: an entry of which one word is another's does not fit together, and is read anew.
struct Entry {
  uint64_t check, rule;
};
constexpr int set_bits = 7;
struct alignas(64) EntrySet { // of one line of the cache
  Entry entries[4];
};
constinit EntrySet entry_sets[1 << set_bits] = {};
constinit uint32_t objects_unloaded = 0;

} // namespace

CfiRule cfi_rule(uintptr_t address) {
  const uint64_t name = address ^ uint64_t { cfi_rules_forgotten() } << 48;
  const auto check = [name](uint64_t rule) { return name ^ spread(rule + 1); };
  EntrySet& set = entry_sets[spread(name) >> (64 - set_bits)];
  Entry* to = &set.entries[name >> 3 & 3]; // where all are in use
  for (Entry& entry : set.entries) {
    const uint64_t known = __atomic_load_n(&entry.rule, __ATOMIC_RELAXED);
    const uint64_t found = __atomic_load_n(&entry.check, __ATOMIC_RELAXED);
    if (found == check(known)) return __builtin_bit_cast(CfiRule, known);
    if (found == 0) to = &entry;
  }
  const CfiRule rule = read_rule(address);
  const auto packed = __builtin_bit_cast(uint64_t, rule);
  __atomic_store_n(&to->rule, packed, __ATOMIC_RELAXED);
  __atomic_store_n(&to->check, check(packed), __ATOMIC_RELAXED);
  return rule;
}

uint32_t cfi_rules_forgotten() { return __atomic_load_n(&objects_unloaded, __ATOMIC_RELAXED); }

void forget_cfi_rules() { __atomic_add_fetch(&objects_unloaded, 1, __ATOMIC_RELAXED); }

} // namespace detshim
