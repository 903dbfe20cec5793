// A program or a shared library as a file: what a scan needs of it. Any file may come, so nothing
// that it says of itself is believed before it was checked.
#pragma once

#include "log_reader/open_file.h"
#include "scanner/machine_code.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gelf.h>

namespace detshim {

/// The file is not one that can be scanned; what() says why, and what is accepted. Safe to print.
class ElfError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What the dynamic section says.
struct Dynamic {
  bool is_there = false;
  bool is_program = false; ///< linked with -pie (DF_1_PIE)
  bool binds_now = false;  ///< all references are bound at the start (-z now)
  bool is_audited =
      false; ///< by a library that it names: the loader runs that even to list (DT_AUDIT)
  std::vector<std::string> needed;
  std::string name; ///< by which others ask for it (DT_SONAME); empty where it has none
};

class ElfFile {
public:
  /// Opens `path`. Throws ElfError unless it is a 64-bit program or shared library for x86-64 or
  /// aarch64.
  explicit ElfFile(const std::string& path);

  const std::string& path() const { return path_; }
  int descriptor() const { return file_.descriptor(); }
  Machine machine() const { return machine_; }
  const Dynamic& dynamic() const { return dynamic_; }

  /// A program that the kernel runs without a dynamic loader, which is what looks at LD_PRELOAD.
  bool is_static_program() const;
  /// The dynamic loader that it asks for; empty without one.
  const std::string& interpreter() const { return interpreter_; }
  /// Linked by Go, as a note says.
  bool is_go() const { return is_go_; }

  /// In hexadecimal; empty where the linker wrote none.
  const std::string& build_id() const { return build_id_; }
  /// A program that runs with the rights of the file's owner or group.
  bool changes_rights() const;

  /// All machine code: the sections that are executed, else the segments.
  std::vector<CodeRange> code() const;

  /// True if the file has a dynamic symbol of that name: it defines one for others, or takes it.
  bool names(std::string_view symbol) const;

  /// True if the file defines a function of one of those names for others.
  bool exports_one_of(std::span<const char* const> names) const;

  /// Calls visit for each function that the file defines, for others or for itself, and each symbol
  /// that it takes from elsewhere. A name may come twice.
  void each_function(const std::function<void(std::string_view name, bool is_defined,
                                              bool is_exported)>& visit) const;

  bool has_section(std::string_view name) const;

  /// The bytes of all sections of that name.
  std::string section_bytes(std::string_view name) const;

  /// True if `text` stands somewhere in the file.
  bool holds_text(std::string_view text) const;

  /// The nearest start of a function at or before `address`, from symbols and from the table of
  /// unwinding information, which stripped files have too; 0 if none is known.
  std::uint64_t function_start(std::uint64_t address) const;

  /// The function that holds `address`, demangled and without parameters; empty if no symbol tells.
  std::string function_name(std::uint64_t address) const;

private:
  struct Function {
    std::uint64_t start = 0, size = 0;
    const char* name = nullptr;
  };
  struct UnwindTable { ///< .eh_frame_hdr (Linux Standard Base Core 5.0, 10.6.2)
    std::uint64_t address = 0;
    std::span<const unsigned char>
        entries; ///< 8 bytes each: start of a function, and of its description
  };

  std::span<const unsigned char> bytes_at(std::uint64_t offset, std::uint64_t size) const;
  void read_segments();
  void read_interpreter(const GElf_Phdr& segment);
  void read_dynamic(const GElf_Phdr& segment);
  void read_notes(const GElf_Phdr& segment);
  void read_unwind_table(const GElf_Phdr& segment);
  std::string text_at_address(std::uint64_t address) const;
  const std::vector<Function>& functions() const;
  void each_symbol(const std::function<void(const char* name, const GElf_Sym& symbol,
                                            bool is_exported)>& visit) const;
  std::uint64_t unwind_start(std::uint64_t address) const;

  std::string path_;
  OpenFile file_;
  std::unique_ptr<Elf, decltype(&elf_end)> elf_{nullptr, &elf_end};
  std::span<const unsigned char> bytes_;
  std::vector<GElf_Phdr> segments_;
  Machine machine_ = Machine::x86_64;
  Dynamic dynamic_;
  UnwindTable unwind_;
  bool has_interpreter_ = false, is_go_ = false;
  std::string interpreter_;
  std::string build_id_;
  mutable bool functions_read_ = false;
  mutable std::vector<Function> functions_; ///< by start
};

} // namespace detshim
