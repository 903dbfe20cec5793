#include "scanner/machine_code.h"

#include <capstone.h>

#include <algorithm>
#include <cstring>
#include <functional>
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
    if (cs_open(is_x86_ ? CS_ARCH_X86 : CS_ARCH_ARM64, is_x86_ ? CS_MODE_64 : CS_MODE_ARM,
                &handle_) != CS_ERR_OK)
      throw std::bad_alloc();
    cs_option(handle_, CS_OPT_DETAIL, CS_OPT_ON); // before cs_malloc, which makes room for it
    instruction_ = cs_malloc(handle_);
    if (instruction_ == nullptr)
      throw std::bad_alloc();
  }
  ~Decoder() {
    if (instruction_ != nullptr)
      cs_free(instruction_, 1);
    cs_close(&handle_);
  }
  Decoder& operator=(Decoder&&) = delete; // neither copied nor moved

  /// What registers an instruction writes costs time: only a system call's number asks for it.
  void want_detail(bool wanted) {
    cs_option(handle_, CS_OPT_DETAIL, wanted ? CS_OPT_ON : CS_OPT_OFF);
  }

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
            std::all_of(written_, written_ + written_count_, [&](std::uint16_t id) {
              return is_one_of(&id, 1, registers);
            }));
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
    return cs_regs_access(handle_, &instruction, read_, &read_count_, written_, &written_count_) ==
           CS_ERR_OK;
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

void add_candidate(std::span<const unsigned char> code, std::size_t at,
                   std::vector<Candidate>& candidates) {
  if (code[at] != 0x0F || at + 1 >= code.size())
    return;
  if (code[at + 1] == 0x05)
    candidates.push_back({at, true});
  // ModRM: a register as operand, and 6 or 7 as the opcode's extension.
  if (code[at + 1] == 0xC7 && at + 2 < code.size() && code[at + 2] >= 0xF0)
    candidates.push_back({at, false});
  if (code[at + 1] == 0x31 ||
      (code[at + 1] == 0x01 && at + 2 < code.size() && code[at + 2] == 0xF9))
    candidates.push_back({at, false, true});
}

/// Sixteen places at once, since a framework's libraries hold a gigabyte: looked at in turn, or by
/// memmem(), they took a quarter of all the time.
std::vector<Candidate> find_candidates(const CodeRange& range) {
  const std::span<const unsigned char> code = range.bytes;
  using Bytes = unsigned char __attribute__((vector_size(16)));
  std::vector<Candidate> candidates;
  std::size_t at = 0;
  for (; code.size() - at >= sizeof(Bytes) + 1; at += sizeof(Bytes)) {
    Bytes first, second;
    std::memcpy(&first, code.data() + at, sizeof first);
    std::memcpy(&second, code.data() + at + 1, sizeof second);
    const auto hits = (first == 0x0F) &
                      ((second == 0xC7) | (second == 0x05) | (second == 0x31) | (second == 0x01));
    std::uint64_t halves[2];
    static_assert(sizeof halves == sizeof hits);
    std::memcpy(halves, &hits, sizeof halves);
    if ((halves[0] | halves[1]) == 0)
      continue;
    for (std::size_t i = 0; i < sizeof(Bytes); ++i)
      add_candidate(code, at + i, candidates);
  }
  for (; at < code.size(); ++at)
    add_candidate(code, at, candidates);
  return candidates;
}

/// Where getrandom's number stands next, from `at` on, as a 32-bit immediate would; the end if
/// nowhere.
std::size_t next_number(std::span<const unsigned char> code, std::size_t at) {
  static constexpr char number[] = {x86_getrandom & 0xFF, x86_getrandom >> 8, 0, 0};
  if (at >= code.size())
    return code.size();
  const void* const number_at = ::memmem(code.data() + at, code.size() - at, number, sizeof number);
  return number_at == nullptr
             ? code.size()
             : static_cast<std::size_t>(static_cast<const unsigned char*>(number_at) - code.data());
}

/// How many prefixes stand before the opcode; nothing if there is one that makes it another
/// instruction: F3 0F C7 /7 is RDPID, /6 is SENDUIPI, and neither RDRAND nor RDSEED takes F2
/// (Intel's manual, volume 2).
std::optional<std::size_t> count_prefixes(const cs_insn& instruction) {
  constexpr unsigned char simple[] = {0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0x66, 0x67};
  std::size_t count = 0;
  for (; count < instruction.size; ++count) {
    const unsigned char byte = instruction.bytes[count];
    if (byte == 0xF2 || byte == 0xF3)
      return std::nullopt;
    const bool is_rex = (byte & 0xF0) == 0x40;
    if (!is_rex && std::ranges::find(simple, byte) == std::end(simple))
      break;
  }
  return count;
}

std::optional<DrawKind> kind_of(const cs_insn& instruction, std::size_t opcode,
                                std::optional<std::uint64_t> number) {
  if (instruction.id == X86_INS_SYSCALL)
    return number == x86_getrandom ? DrawKind::getrandom : DrawKind::raw_call;
  if (instruction.id == X86_INS_RDTSC || instruction.id == X86_INS_RDTSCP)
    return DrawKind::clock;
  if (instruction.id != X86_INS_RDRAND && instruction.id != X86_INS_RDSEED)
    return std::nullopt;
  if (count_prefixes(instruction) != opcode)
    return std::nullopt;
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
  // What follows a jump or a return is reached from elsewhere; a call and a system call answer in
  // rax.
  const bool ends_line = instruction.id == X86_INS_JMP || instruction.id == X86_INS_RET ||
                         instruction.id == X86_INS_SYSCALL || decoder.is_call(instruction);
  if (ends_line || decoder.writes_one_of(instruction, x86_result))
    return std::nullopt;
  return before;
}

/// `xor edi, edi` or `mov edi, 0`
bool passes_null(const cs_insn& instruction) {
  const cs_x86& x86 = instruction.detail->x86;
  const bool is_zero = instruction.id == X86_INS_MOV && x86.op_count == 2 &&
                       x86.operands[1].type == X86_OP_IMM && x86.operands[1].imm == 0;
  const bool is_xor = instruction.id == X86_INS_XOR && x86.op_count == 2 &&
                      x86.operands[1].type == X86_OP_REG &&
                      x86.operands[0].reg == x86.operands[1].reg;
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
constexpr std::size_t word_size = 4;

std::uint32_t word_at(std::span<const unsigned char> code, std::size_t at) {
  return std::uint32_t{code[at]} | std::uint32_t{code[at + 1]} << 8 |
         std::uint32_t{code[at + 2]} << 16 | std::uint32_t{code[at + 3]} << 24;
}

std::vector<Candidate> find_candidates(const CodeRange& code) {
  std::vector<Candidate> candidates;
  for (std::size_t at = -code.address & (word_size - 1); at + word_size <= code.bytes.size();
       at += word_size) {
    const std::uint32_t word = word_at(code.bytes, at);
    const std::uint32_t any = word & ~any_register;
    if (any == read_rndr || any == read_rndrrs || any == read_clock || word == system_call)
      candidates.push_back({at, word == system_call, any == read_clock});
  }
  return candidates;
}

std::optional<DrawKind> kind_of(const cs_insn& instruction, std::size_t /*opcode*/,
                                std::optional<std::uint64_t> number) {
  if (instruction.id == ARM64_INS_SVC)
    return number == arm_getrandom ? DrawKind::getrandom : DrawKind::raw_call;
  if (instruction.id != ARM64_INS_MRS)
    return std::nullopt;
  const std::uint32_t any = word_at(instruction.bytes, 0) & ~any_register;
  return any == read_rndr     ? std::optional(DrawKind::rndr)
         : any == read_rndrrs ? std::optional(DrawKind::rndrrs)
         : any == read_clock  ? std::optional(DrawKind::clock)
                              : std::nullopt;
}

bool is_move(const cs_insn& instruction) {
  return instruction.id == ARM64_INS_MOVZ || instruction.id == ARM64_INS_MOV;
}

/// The number that `mov w8, 278` puts into the register of system calls.
std::optional<std::uint64_t> number_put_by(const cs_insn& instruction) {
  const cs_arm64& arm = instruction.detail->arm64;
  if (!is_move(instruction) || arm.op_count != 2 || arm.operands[0].type != ARM64_OP_REG ||
      std::ranges::find(arm_number, unsigned{arm.operands[0].reg}) == std::end(arm_number))
    return std::nullopt;
  if (arm.operands[1].type != ARM64_OP_IMM || arm.operands[1].shift.value != 0)
    return std::nullopt;
  return static_cast<std::uint64_t>(arm.operands[1].imm);
}

/// As for x86-64. A conditional branch goes on below it, and has a condition or a register to test.
bool ends_line(const Decoder& decoder, const cs_insn& instruction) {
  const cs_arm64& arm = instruction.detail->arm64;
  const bool is_plain_branch =
      instruction.id == ARM64_INS_B && (arm.cc == ARM64_CC_INVALID || arm.cc == ARM64_CC_AL);
  return is_plain_branch || instruction.id == ARM64_INS_BR || instruction.id == ARM64_INS_RET ||
         decoder.is_call(instruction);
}

/// What w8 holds after `instruction`, if that is sure.
std::optional<std::uint64_t> number_after(Decoder& decoder, const cs_insn& instruction,
                                          std::optional<std::uint64_t> before) {
  if (const auto number = number_put_by(instruction))
    return number;
  if (ends_line(decoder, instruction) || decoder.writes_one_of(instruction, arm_number))
    return std::nullopt;
  return before;
}

/// Anywhere: no search tells where a number is put into a register.
std::size_t next_number(std::span<const unsigned char> /*code*/, std::size_t at) { return at; }

/// `mov x0, 0`
bool passes_null(const cs_insn& instruction) {
  const cs_arm64& arm = instruction.detail->arm64;
  return is_move(instruction) && arm.op_count == 2 &&
         ((arm.operands[1].type == ARM64_OP_IMM && arm.operands[1].imm == 0) ||
          (arm.operands[1].type == ARM64_OP_REG &&
           (arm.operands[1].reg == ARM64_REG_XZR || arm.operands[1].reg == ARM64_REG_WZR)));
}

/// Or reads it.
bool writes_memory(const cs_insn& instruction) {
  const cs_arm64& arm = instruction.detail->arm64;
  return std::any_of(arm.operands, arm.operands + arm.op_count, [](const cs_arm64_op& operand) {
    return operand.type == ARM64_OP_MEM;
  });
}

} // namespace arm

/// What is different for each machine.
struct MachineCode {
  std::vector<Candidate> (*find_candidates)(const CodeRange& code);
  /// From where on the number of getrandom can come into its register, before the end of that code.
  std::size_t (*next_number)(std::span<const unsigned char> code, std::size_t at);
  std::optional<DrawKind> (*kind_of)(const cs_insn& instruction, std::size_t opcode,
                                     std::optional<std::uint64_t> number);
  std::optional<std::uint64_t> (*number_after)(Decoder& decoder, const cs_insn& instruction,
                                               std::optional<std::uint64_t> before);
  bool (*passes_null)(const cs_insn& instruction);
  bool (*writes_memory)(const cs_insn& instruction);
  Registers argument, gone;
  std::size_t unknown_size; ///< of an instruction that is not known; 0: the way is lost
};

const MachineCode& code_of(Machine machine) {
  static const MachineCode x86_code = {x86::find_candidates, x86::next_number, x86::kind_of,
                                       x86::number_after,    x86::passes_null, x86::writes_memory,
                                       x86_argument,         x86_gone,         0};
  static const MachineCode arm_code = {arm::find_candidates, arm::next_number, arm::kind_of,
                                       arm::number_after,    arm::passes_null, arm::writes_memory,
                                       arm_argument,         arm_gone,         arm::word_size};
  return machine == Machine::x86_64 ? x86_code : arm_code;
}

/// Decodes from one start through the candidates that lie behind it.
class Walk {
public:
  Walk(Machine machine, const CodeRange& code, Decoder& decoder, FoundDraws& draws)
      : machine_(code_of(machine)), code_(code), decoder_(decoder), found_(draws) {}

  void run(std::size_t start, std::span<const Candidate> candidates) {
    NumberWatch watch(*this, start, candidates);
    for (std::size_t at = start; !candidates.empty();) {
      watch.move_to(at);
      const cs_insn* const instruction = decoder_.decode(code_.bytes, at);
      if (instruction == nullptr && machine_.unknown_size == 0) {
        found_.undecoded +=
            static_cast<std::size_t>(std::ranges::count(candidates, false, &Candidate::is_other));
        return;
      }
      const std::size_t size = instruction == nullptr ? machine_.unknown_size : instruction->size;
      while (!candidates.empty() && candidates.front().opcode < at + size) {
        if (instruction != nullptr)
          take(*instruction, at, candidates.front(), watch.number());
        candidates = candidates.subspan(1);
      }
      watch.pass(instruction);
      at += size;
    }
  }

private:
  /// What the register of a system call's number holds. That costs time, so it counts from where
  /// the number is written to it until the register holds another.
  class NumberWatch {
  public:
    NumberWatch(const Walk& walk, std::size_t start, std::span<const Candidate> candidates)
        : walk_(walk), until_last_(walk.code_.bytes.first(candidates.back().opcode)),
          is_wanted_(std::ranges::any_of(candidates, &Candidate::is_system_call)),
          written_(is_wanted_ ? next_number(start) : until_last_.size()) {}

    std::optional<std::uint64_t> number() const { return number_; }

    void move_to(std::size_t at) {
      if (is_wanted_ && written_ < at)
        written_ = next_number(at);
      constexpr std::size_t longest_instruction = 15;
      const bool is_ahead = written_ < until_last_.size() && at + longest_instruction > written_;
      has_detail_ = is_wanted_ && (number_ || is_ahead);
      walk_.decoder_.want_detail(has_detail_);
    }

    /// Behind an instruction; nullptr for one that is not known.
    void pass(const cs_insn* instruction) {
      if (has_detail_)
        number_ = instruction == nullptr
                      ? std::nullopt
                      : walk_.machine_.number_after(walk_.decoder_, *instruction, number_);
    }

  private:
    std::size_t next_number(std::size_t at) const {
      return walk_.machine_.next_number(until_last_, at);
    }

    const Walk& walk_;
    const std::span<const unsigned char> until_last_;
    const bool is_wanted_;
    std::size_t written_;
    bool has_detail_ = false;
    std::optional<std::uint64_t> number_;
  };

  void take(const cs_insn& instruction, std::size_t at, const Candidate& candidate,
            std::optional<std::uint64_t> number) {
    if (const auto kind = machine_.kind_of(instruction, candidate.opcode - at, number))
      found_.draws.push_back({code_.address + at, *kind});
  }

  const MachineCode& machine_;
  const CodeRange& code_;
  Decoder& decoder_;
  FoundDraws& found_;
};

/// The function that a candidate lies in: where it begins in the code. A function that is not known
/// begins with the code.
std::size_t start_of(const Candidate& candidate, Machine machine, const CodeRange& code,
                     const FunctionStart& function_start) {
  const bool is_x86 = machine == Machine::x86_64;
  const std::uint64_t start = function_start(code.address + candidate.opcode);
  const bool is_in_code = start >= code.address && start <= code.address + candidate.opcode;
  if (is_in_code && (is_x86 || start % arm::word_size == 0))
    return static_cast<std::size_t>(start - code.address);
  return is_x86 ? 0 : -code.address & (arm::word_size - 1);
}

/// Takes from the beginning of `candidates` those of one function.
std::vector<Candidate> take_same_start(std::span<const Candidate>& candidates,
                                       const std::function<std::size_t(const Candidate&)>& start) {
  const std::size_t first = start(candidates.front());
  const auto end = std::ranges::find_if(candidates, [&](const Candidate& candidate) {
    return start(candidate) != first;
  });
  std::vector<Candidate> same(candidates.begin(), end);
  candidates = {end, candidates.end()};
  return same;
}

/// Follows a function that passes a call's result on.
class ResultCheck {
public:
  /// Between `from` and `to` the result is handed on.
  ResultCheck(Machine machine, std::uint64_t from, std::uint64_t to, bool begins_with_address)
      : machine_(code_of(machine)), decoder_(machine), from_(from), to_(to),
        is_null_(!begins_with_address) {}

  bool run(const CodeRange& code, std::uint64_t function) {
    for (std::uint64_t at = function;;) {
      const cs_insn* const instruction = decoder_.decode(code.bytes, at - code.address);
      if (instruction == nullptr)
        return false;
      const std::uint64_t before = at;
      at += instruction->size;
      if (at < from_)
        prepare(*instruction);
      else if (before < from_ && !(at == from_ && asks(*instruction)))
        return false;
      else if (before >= from_ && at >= to_)
        return at == to_ && decoder_.is_call(*instruction);
      else if (before >= from_ && !keeps_result(*instruction))
        return false;
    }
  }

private:
  /// Before the call: notes whether its argument is a null pointer.
  void prepare(const cs_insn& instruction) {
    if (decoder_.writes_one_of(instruction, machine_.argument))
      is_null_ = machine_.passes_null(instruction);
    is_null_ |= decoder_.is_call(instruction); // whose argument is gone
  }

  bool asks(const cs_insn& instruction) const { return is_null_ && decoder_.is_call(instruction); }

  bool keeps_result(const cs_insn& instruction) {
    if (decoder_.is_call(instruction) || decoder_.is_jump(instruction) ||
        !decoder_.keeps_to(instruction, machine_.gone))
      return false;
    return !decoder_.reads_one_of(instruction, machine_.gone) ||
           !machine_.writes_memory(instruction);
  }

  const MachineCode& machine_;
  Decoder decoder_;
  const std::uint64_t from_, to_;
  bool is_null_;
};

} // namespace

const char* draw_name(DrawKind kind) {
  constexpr const char* names[] = {
      "rdrand", "rdseed",          "rndr",     "rndrrs", "raw getrandom system call",
      "clock",  "raw system call", "processor"};
  return names[static_cast<std::size_t>(kind)];
}

FoundDraws find_draws(Machine machine, const CodeRange& code, const FunctionStart& function_start,
                      bool with_others) {
  FoundDraws result;
  std::vector<Candidate> candidates = code_of(machine).find_candidates(code);
  const auto drop_others = [with_others](std::vector<Candidate>& from) {
    if (!with_others)
      std::erase_if(from, std::mem_fn(&Candidate::is_other));
  };
  drop_others(candidates);
  const auto start = [&](const Candidate& candidate) {
    return start_of(candidate, machine, code, function_start);
  };
  std::optional<Decoder> decoder; // most files have no candidate
  for (std::span<const Candidate> left = candidates; !left.empty();) {
    std::vector<Candidate> same_start = take_same_start(left, start);
    const std::size_t begin = start(same_start.front());
    const std::size_t last = same_start.back().opcode;
    // Most functions with a system call, or with bytes that look like one, need no decoding.
    if (machine == Machine::x86_64 && x86::next_number(code.bytes.first(last), begin) == last)
      for (Candidate& candidate : same_start)
        candidate.is_other |= candidate.is_system_call;
    drop_others(same_start);
    if (same_start.empty())
      continue;
    if (!decoder)
      decoder.emplace(machine);
    Walk(machine, code, *decoder, result).run(begin, same_start);
  }
  if (!with_others)
    std::erase_if(result.draws, [](const Draw& draw) {
      return !is_draw(draw.kind);
    });
  return result;
}

bool is_result_passed_on(Machine machine, const CodeRange& code, std::uint64_t function,
                         std::uint64_t from, std::uint64_t to, bool begins_with_address) {
  constexpr std::uint64_t farthest = 1 << 20; // bytes: a longer function is decoded for nothing
  const std::uint64_t end = code.address + code.bytes.size();
  if (function < code.address || function >= from || from >= to || to > end ||
      to - function > farthest)
    return false;
  return ResultCheck(machine, from, to, begins_with_address).run(code, function);
}

} // namespace detshim
