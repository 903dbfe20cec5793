#include "scanner/machine_code.h"

#include <capstone.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>

namespace detshim {
namespace {

constexpr std::uint64_t x86_getrandom = 318; // arch/x86/entry/syscalls/syscall_64.tbl of Linux
constexpr std::uint64_t arm_getrandom = 278; // include/uapi/asm-generic/unistd.h of Linux

/// Bytes that may be a draw: where its opcode begins, behind any prefixes.
struct Candidate {
  std::size_t opcode = 0;
  bool is_system_call = false;
  bool is_other = false; ///< than a draw
};

using Registers = std::span<const unsigned>;

constexpr unsigned x86_result[] = {X86_REG_AL, X86_REG_AH, X86_REG_AX, X86_REG_EAX, X86_REG_RAX};
constexpr unsigned x86_argument[] = {X86_REG_DIL, X86_REG_DI, X86_REG_EDI, X86_REG_RDI};
constexpr unsigned x86_gone[] = {X86_REG_AL,  X86_REG_AH,    X86_REG_AX, X86_REG_EAX,
                                 X86_REG_RAX, X86_REG_DIL,   X86_REG_DI, X86_REG_EDI,
                                 X86_REG_RDI, X86_REG_EFLAGS};    // after a call
constexpr unsigned arm_number[] = {ARM64_REG_W8, ARM64_REG_X8};   // of a system call
constexpr unsigned arm_argument[] = {ARM64_REG_W0, ARM64_REG_X0}; // and the result
constexpr unsigned arm_gone[] = {ARM64_REG_W0, ARM64_REG_X0, ARM64_REG_NZCV};

/// Capstone, set up for one machine.
class Decoder {
public:
  explicit Decoder(Machine machine) : is_x86_(machine == Machine::x86_64) {
    if (cs_open(is_x86_ ? CS_ARCH_X86 : CS_ARCH_ARM64, is_x86_ ? CS_MODE_64 : CS_MODE_ARM, &handle_) !=
        CS_ERR_OK)
      throw std::bad_alloc();
    cs_option(handle_, CS_OPT_DETAIL, CS_OPT_ON); // before cs_malloc, which makes room for it
    instruction_ = cs_malloc(handle_);
    if (instruction_ == nullptr) throw std::bad_alloc();
  }
  ~Decoder() {
    if (instruction_ != nullptr) cs_free(instruction_, 1);
    cs_close(&handle_);
  }
  Decoder& operator=(Decoder&&) = delete; // neither copied nor moved

  /// What registers an instruction writes costs time: only a system call's number asks for it.
  void want_detail(bool wanted) { cs_option(handle_, CS_OPT_DETAIL, wanted ? CS_OPT_ON : CS_OPT_OFF); }

  /// The instruction that begins at `at`, or nullptr.
  const cs_insn* decode(std::span<const unsigned char> code, std::size_t at) {
    const std::uint8_t* bytes = code.data() + at;
    std::size_t size = code.size() - at;
    std::uint64_t address = at;
    return cs_disasm_iter(handle_, &bytes, &size, &address, instruction_) ? instruction_ : nullptr;
  }

  bool writes_one_of(const cs_insn& instruction, Registers registers) {
    return !has_access(instruction) || is_one_of(written_, written_count_, registers);
  }
  bool reads_one_of(const cs_insn& instruction, Registers registers) {
    return !has_access(instruction) || is_one_of(read_, read_count_, registers);
  }
  /// True if what those registers hold comes nowhere else by it, but for memory.
  bool keeps_to(const cs_insn& instruction, Registers registers) {
    return has_access(instruction) &&
           (!is_one_of(read_, read_count_, registers) ||
            std::all_of(written_, written_ + written_count_,
                        [&](std::uint16_t id) { return is_one_of(&id, 1, registers); }));
  }

  /// Of aarch64 Capstone has calls among the jumps.
  bool is_call(const cs_insn& instruction) const {
    return is_x86_ ? cs_insn_group(handle_, &instruction, CS_GRP_CALL)
                   : instruction.id == ARM64_INS_BL || instruction.id == ARM64_INS_BLR;
  }
  bool is_jump(const cs_insn& instruction) const {
    return cs_insn_group(handle_, &instruction, CS_GRP_JUMP) ||
           cs_insn_group(handle_, &instruction, CS_GRP_RET);
  }

private:
  /// False where it is not known: then nothing is believed.
  bool has_access(const cs_insn& instruction) {
    return cs_regs_access(handle_, &instruction, read_, &read_count_, written_, &written_count_) == CS_ERR_OK;
  }
  static bool is_one_of(const std::uint16_t* ids, std::size_t count, Registers registers) {
    return std::any_of(ids, ids + count, [registers](unsigned id) {
      return std::ranges::find(registers, id) != registers.end();
    });
  }

  const bool is_x86_;
  csh handle_ = 0;
  cs_insn* instruction_ = nullptr;
  cs_regs read_, written_;
  std::uint8_t read_count_ = 0, written_count_ = 0;
};

/// x86-64: instructions of any length, so only decoding from a known start tells where one begins.
namespace x86 {

void add_candidate(std::span<const unsigned char> code, std::size_t at, std::vector<Candidate>& found) {
  if (code[at] != 0x0F || at + 1 >= code.size()) return;
  if (code[at + 1] == 0x05) found.push_back({at, true});
  // ModRM: a register as operand, and 6 or 7 as the opcode's extension.
  if (code[at + 1] == 0xC7 && at + 2 < code.size() && code[at + 2] >= 0xF0) found.push_back({at, false});
  if (code[at + 1] == 0x31 || (code[at + 1] == 0x01 && at + 2 < code.size() && code[at + 2] == 0xF9))
    found.push_back({at, false, true});
}

/// Sixteen places at once, since a framework's libraries hold a gigabyte: looked at in turn, or by memmem(),
/// they took a quarter of all the time.
std::vector<Candidate> find_candidates(std::span<const unsigned char> code) {
  using Bytes = unsigned char __attribute__((vector_size(16)));
  std::vector<Candidate> found;
  std::size_t at = 0;
  for (; code.size() - at >= sizeof(Bytes) + 1; at += sizeof(Bytes)) {
    Bytes first, second;
    std::memcpy(&first, code.data() + at, sizeof first);
    std::memcpy(&second, code.data() + at + 1, sizeof second);
    const auto hits =
        (first == 0x0F) & ((second == 0xC7) | (second == 0x05) | (second == 0x31) | (second == 0x01));
    std::uint64_t halves[2];
    static_assert(sizeof halves == sizeof hits);
    std::memcpy(halves, &hits, sizeof halves);
    if ((halves[0] | halves[1]) == 0) continue;
    for (std::size_t i = 0; i < sizeof(Bytes); ++i) add_candidate(code, at + i, found);
  }
  for (; at < code.size(); ++at) add_candidate(code, at, found);
  return found;
}

/// Where getrandom's number stands next, from `at` on, as a 32-bit immediate would; the end if nowhere.
std::size_t next_number(std::span<const unsigned char> code, std::size_t at) {
  static constexpr char number[] = {x86_getrandom & 0xFF, x86_getrandom >> 8, 0, 0};
  if (at >= code.size()) return code.size();
  const void* const found = ::memmem(code.data() + at, code.size() - at, number, sizeof number);
  return found == nullptr ? code.size()
                          : static_cast<std::size_t>(static_cast<const unsigned char*>(found) - code.data());
}

/// How many prefixes stand before the opcode; nothing if there is one that makes it another instruction: F3
/// 0F C7 /7 is RDPID, /6 is SENDUIPI, and neither RDRAND nor RDSEED takes F2 (Intel's manual, volume 2).
std::optional<std::size_t> count_prefixes(const cs_insn& instruction) {
  constexpr unsigned char simple[] = {0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0x66, 0x67};
  std::size_t count = 0;
  for (; count < instruction.size; ++count) {
    const unsigned char byte = instruction.bytes[count];
    if (byte == 0xF2 || byte == 0xF3) return std::nullopt;
    const bool is_rex = (byte & 0xF0) == 0x40;
    if (!is_rex && std::ranges::find(simple, byte) == std::end(simple)) break;
  }
  return count;
}

std::optional<DrawKind> kind_of(const cs_insn& instruction, std::size_t opcode,
                                std::optional<std::uint64_t> number) {
  if (instruction.id == X86_INS_SYSCALL)
    return number == x86_getrandom ? DrawKind::getrandom : DrawKind::raw_call;
  if (instruction.id == X86_INS_RDTSC || instruction.id == X86_INS_RDTSCP) return DrawKind::clock;
  if (instruction.id != X86_INS_RDRAND && instruction.id != X86_INS_RDSEED) return std::nullopt;
  if (count_prefixes(instruction) != opcode) return std::nullopt;
  return instruction.id == X86_INS_RDRAND ? DrawKind::rdrand : DrawKind::rdseed;
}

/// What eax holds after `instruction`, if that is sure.
std::optional<std::uint64_t> number_after(Decoder& decoder, const cs_insn& instruction,
                                          std::optional<std::uint64_t> before) {
  const cs_x86& x86 = instruction.detail->x86;
  const bool is_move = instruction.id == X86_INS_MOV || instruction.id == X86_INS_MOVABS;
  if (is_move && x86.op_count == 2 && x86.operands[0].type == X86_OP_REG &&
      (x86.operands[0].reg == X86_REG_EAX || x86.operands[0].reg == X86_REG_RAX) &&
      x86.operands[1].type == X86_OP_IMM)
    return static_cast<std::uint64_t>(x86.operands[1].imm);
  // What follows a jump or a return is reached from elsewhere; a call and a system call answer in rax.
  const bool ends_line = instruction.id == X86_INS_JMP || instruction.id == X86_INS_RET ||
                         instruction.id == X86_INS_SYSCALL || decoder.is_call(instruction);
  if (ends_line || decoder.writes_one_of(instruction, x86_result)) return std::nullopt;
  return before;
}

/// `xor edi, edi` or `mov edi, 0`
bool passes_null(const cs_insn& instruction) {
  const cs_x86& x86 = instruction.detail->x86;
  const bool is_zero = instruction.id == X86_INS_MOV && x86.op_count == 2 &&
                       x86.operands[1].type == X86_OP_IMM && x86.operands[1].imm == 0;
  const bool is_xor = instruction.id == X86_INS_XOR && x86.op_count == 2 &&
                      x86.operands[1].type == X86_OP_REG && x86.operands[0].reg == x86.operands[1].reg;
  return is_zero || is_xor;
}

bool writes_memory(const cs_insn& instruction) {
  const cs_x86& x86 = instruction.detail->x86;
  return std::any_of(x86.operands, x86.operands + x86.op_count, [](const cs_x86_op& operand) {
    return operand.type == X86_OP_MEM && (operand.access & CS_AC_WRITE) != 0;
  });
}

} // namespace x86

/// aarch64: words at addresses that are multiples of four, so an unknown instruction loses no way.
namespace arm {

constexpr std::uint32_t system_call = 0xD4000001; // SVC #0
constexpr std::uint32_t read_rndr = 0xD53B2400;   // MRS X0, RNDR
constexpr std::uint32_t read_rndrrs = 0xD53B2420; // MRS X0, RNDRRS
constexpr std::uint32_t read_clock = 0xD53BE040;  // MRS X0, CNTVCT_EL0
constexpr std::uint32_t any_register = 0x1F;

std::uint32_t word_at(std::span<const unsigned char> code, std::size_t at) {
  return std::uint32_t{code[at]} | std::uint32_t{code[at + 1]} << 8 | std::uint32_t{code[at + 2]} << 16 |
         std::uint32_t{code[at + 3]} << 24;
}

std::vector<Candidate> find_candidates(const CodeRange& code) {
  std::vector<Candidate> found;
  for (std::size_t at = -code.address & 3U; at + 4 <= code.bytes.size(); at += 4) {
    const std::uint32_t word = word_at(code.bytes, at);
    const std::uint32_t any = word & ~any_register;
    if (any == read_rndr || any == read_rndrrs || any == read_clock || word == system_call)
      found.push_back({at, word == system_call, any == read_clock});
  }
  return found;
}

std::optional<DrawKind> kind_of(const cs_insn& instruction, std::uint32_t word,
                                std::optional<std::uint64_t> number) {
  if (instruction.id == ARM64_INS_SVC)
    return number == arm_getrandom ? DrawKind::getrandom : DrawKind::raw_call;
  if (instruction.id != ARM64_INS_MRS) return std::nullopt;
  const std::uint32_t any = word & ~any_register;
  return any == read_rndr     ? std::optional(DrawKind::rndr)
         : any == read_rndrrs ? std::optional(DrawKind::rndrrs)
         : any == read_clock  ? std::optional(DrawKind::clock)
                              : std::nullopt;
}

/// What w8 holds after `instruction`, if that is sure.
std::optional<std::uint64_t> number_after(Decoder& decoder, const cs_insn& instruction,
                                          std::optional<std::uint64_t> before) {
  const cs_arm64& arm = instruction.detail->arm64;
  const bool is_move = instruction.id == ARM64_INS_MOVZ || instruction.id == ARM64_INS_MOV;
  if (is_move && arm.op_count == 2 && arm.operands[0].type == ARM64_OP_REG &&
      (arm.operands[0].reg == ARM64_REG_W8 || arm.operands[0].reg == ARM64_REG_X8) &&
      arm.operands[1].type == ARM64_OP_IMM && arm.operands[1].shift.value == 0)
    return static_cast<std::uint64_t>(arm.operands[1].imm);
  // As above. A conditional branch goes on below it, and has a condition or a register to test.
  const bool is_plain_branch =
      instruction.id == ARM64_INS_B && (arm.cc == ARM64_CC_INVALID || arm.cc == ARM64_CC_AL);
  const bool ends_line = is_plain_branch || instruction.id == ARM64_INS_BR ||
                         instruction.id == ARM64_INS_RET || decoder.is_call(instruction);
  if (ends_line || decoder.writes_one_of(instruction, arm_number)) return std::nullopt;
  return before;
}

/// `mov x0, 0`
bool passes_null(const cs_insn& instruction) {
  const cs_arm64& arm = instruction.detail->arm64;
  const bool is_move = instruction.id == ARM64_INS_MOVZ || instruction.id == ARM64_INS_MOV;
  return is_move && arm.op_count == 2 &&
         ((arm.operands[1].type == ARM64_OP_IMM && arm.operands[1].imm == 0) ||
          (arm.operands[1].type == ARM64_OP_REG &&
           (arm.operands[1].reg == ARM64_REG_XZR || arm.operands[1].reg == ARM64_REG_WZR)));
}

/// Or reads it.
bool writes_memory(const cs_insn& instruction) {
  const cs_arm64& arm = instruction.detail->arm64;
  return std::any_of(arm.operands, arm.operands + arm.op_count,
                     [](const cs_arm64_op& operand) { return operand.type == ARM64_OP_MEM; });
}

} // namespace arm

/// Decodes from one start through the candidates that lie behind it.
class Walk {
public:
  Walk(Machine machine, const CodeRange& code, Decoder& decoder, FoundDraws& found)
      : machine_(machine), code_(code), decoder_(decoder), found_(found) {}

  void run(std::size_t start, std::span<const Candidate> candidates) {
    const bool has_system_call = std::ranges::any_of(candidates, &Candidate::is_system_call);
    // What an instruction does to the register counts from where the number is written to it until the
    // register holds another.
    constexpr std::size_t longest_instruction = 15;
    const std::span<const unsigned char> until_last = code_.bytes.first(candidates.back().opcode);
    std::size_t written = has_system_call ? number_from(until_last, start) : until_last.size();
    std::optional<std::uint64_t> number;
    for (std::size_t at = start; !candidates.empty();) {
      if (has_system_call && written < at) written = number_from(until_last, at);
      const bool needs_detail = has_system_call && (number || written < until_last.size());
      const bool has_detail = needs_detail && (number || at + longest_instruction > written);
      decoder_.want_detail(has_detail);
      const cs_insn* const instruction = decoder_.decode(code_.bytes, at);
      if (instruction == nullptr && machine_ == Machine::x86_64) {
        found_.undecoded +=
            static_cast<std::size_t>(std::ranges::count(candidates, false, &Candidate::is_other));
        return;
      }
      const std::size_t size = instruction == nullptr ? 4 : instruction->size;
      while (!candidates.empty() && candidates.front().opcode < at + size) {
        if (instruction != nullptr) take(*instruction, at, candidates.front(), number);
        candidates = candidates.subspan(1);
      }
      if (has_detail) number = instruction == nullptr ? std::nullopt : number_after(*instruction, number);
      at += size;
    }
  }

private:
  std::size_t number_from(std::span<const unsigned char> code, std::size_t at) const {
    return machine_ == Machine::x86_64 ? x86::next_number(code, at) : at;
  }

  void take(const cs_insn& instruction, std::size_t at, const Candidate& candidate,
            std::optional<std::uint64_t> number) {
    const std::optional<DrawKind> kind =
        machine_ == Machine::x86_64 ? x86::kind_of(instruction, candidate.opcode - at, number)
                                    : arm::kind_of(instruction, arm::word_at(code_.bytes, at), number);
    if (kind) found_.draws.push_back({code_.address + at, *kind});
  }

  std::optional<std::uint64_t> number_after(const cs_insn& instruction, std::optional<std::uint64_t> before) {
    return machine_ == Machine::x86_64 ? x86::number_after(decoder_, instruction, before)
                                       : arm::number_after(decoder_, instruction, before);
  }

  Machine machine_;
  const CodeRange& code_;
  Decoder& decoder_;
  FoundDraws& found_;
};

} // namespace

const char* draw_name(DrawKind kind) {
  constexpr const char* names[] = {"rdrand", "rdseed",         "rndr", "rndrrs", "raw getrandom system call",
                                   "clock",  "raw system call"};
  return names[static_cast<std::size_t>(kind)];
}

FoundDraws find_draws(Machine machine, const CodeRange& code, const FunctionStart& function_start,
                      bool with_others) {
  FoundDraws found;
  const bool is_x86 = machine == Machine::x86_64;
  std::vector<Candidate> candidates = is_x86 ? x86::find_candidates(code.bytes) : arm::find_candidates(code);
  if (!with_others) std::erase_if(candidates, std::mem_fn(&Candidate::is_other));
  const auto start_of = [&](const Candidate& candidate) {
    const std::uint64_t start = function_start(code.address + candidate.opcode);
    const bool is_usable =
        start >= code.address && start <= code.address + candidate.opcode && (is_x86 || start % 4 == 0);
    return is_usable ? static_cast<std::size_t>(start - code.address) : is_x86 ? 0 : -code.address & 3U;
  };
  std::optional<Decoder> decoder; // most files have no candidate
  for (std::size_t i = 0; i < candidates.size();) {
    const std::size_t start = start_of(candidates[i]);
    std::vector<Candidate> same_start;
    for (; i < candidates.size() && start_of(candidates[i]) == start; ++i)
      same_start.push_back(candidates[i]);
    const std::size_t last = same_start.back().opcode;
    // Most functions with a system call, or with bytes that look like one, need no decoding.
    if (is_x86 && x86::next_number(code.bytes.first(last), start) == last)
      for (Candidate& candidate : same_start) candidate.is_other |= candidate.is_system_call;
    if (!with_others) std::erase_if(same_start, std::mem_fn(&Candidate::is_other));
    if (same_start.empty()) continue;
    if (!decoder) decoder.emplace(machine);
    Walk(machine, code, *decoder, found).run(start, same_start);
  }
  if (!with_others) std::erase_if(found.draws, [](const Draw& draw) { return !is_draw(draw.kind); });
  return found;
}

bool is_result_passed_on(Machine machine, const CodeRange& code, std::uint64_t function, std::uint64_t from,
                         std::uint64_t to, bool begins_with_address) {
  constexpr std::uint64_t farthest = 1 << 20; // bytes: a longer function is decoded for nothing
  const std::uint64_t end = code.address + code.bytes.size();
  if (function < code.address || function >= from || from >= to || to > end || to - function > farthest)
    return false;
  const bool is_x86 = machine == Machine::x86_64;
  const Registers argument = is_x86 ? Registers(x86_argument) : arm_argument;
  const Registers gone = is_x86 ? Registers(x86_gone) : arm_gone;
  Decoder decoder(machine);
  bool is_null = !begins_with_address;
  for (std::uint64_t at = function;;) {
    const cs_insn* const instruction = decoder.decode(code.bytes, at - code.address);
    if (instruction == nullptr) return false;
    const std::uint64_t before = at;
    at += instruction->size;
    const bool is_call = decoder.is_call(*instruction);
    if (at < from) {
      if (decoder.writes_one_of(*instruction, argument))
        is_null = is_x86 ? x86::passes_null(*instruction) : arm::passes_null(*instruction);
      is_null |= is_call; // whose argument is gone
    } else if (before < from) {
      if (at != from || !is_call || !is_null) return false;
    } else if (at >= to) {
      return at == to && is_call;
    } else if (is_call || decoder.is_jump(*instruction) || !decoder.keeps_to(*instruction, gone) ||
               (decoder.reads_one_of(*instruction, gone) &&
                (is_x86 ? x86::writes_memory(*instruction) : arm::writes_memory(*instruction)))) {
      return false;
    }
  }
}

} // namespace detshim
