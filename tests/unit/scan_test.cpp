// What `detshim scan` finds in machine code, what it must not, and that no file can bring it down.
//
// RAW_DRAWS_PROGRAM and others are the programs in programs/, as files.
#include "files.h"
#include "gpu_code/line_table.h"
#include "log_reader/source_lines.h"
#include "run.h"
#include "scanner/machine_code.h"
#include "scanner/packages.h"
#include "scanner/scan.h"
#include "verdict/loaded_code.h"
#include "verdict/pinned_clocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace detshim {
namespace {

using Kinds = std::vector<DrawKind>;

const Kinds all_kinds_of_this_machine =
#if defined(__x86_64__)
    {DrawKind::rdrand, DrawKind::rdseed, DrawKind::getrandom};
#else
    {DrawKind::rndr, DrawKind::rndrrs, DrawKind::getrandom};
#endif

constexpr std::uint64_t base = 0x1000;

/// Instructions of aarch64.
std::vector<unsigned char> words(const std::vector<std::uint32_t>& all) {
  std::vector<unsigned char> bytes;
  for (const std::uint32_t word : all)
    for (int shift = 0; shift < 32; shift += 8)
      bytes.push_back(static_cast<unsigned char>(word >> shift));
  return bytes;
}

FoundDraws find_in(Machine machine, const std::vector<unsigned char>& bytes,
                   std::uint64_t start = base) {
  return find_draws(machine, {base, bytes}, [start](std::uint64_t) {
    return start;
  });
}

Kinds kinds(const std::vector<Draw>& draws) {
  Kinds result;
  for (const Draw& draw : draws)
    result.push_back(draw.kind);
  return result;
}

Kinds kinds(const FileScan& scan) {
  Kinds result;
  for (const FoundPlace& place : scan.places)
    result.push_back(place.kind);
  std::ranges::sort(result);
  return result;
}

TEST(MachineCode, FindsTheInstructionsOfX86) {
  EXPECT_EQ(find_in(Machine::x86_64, {0x0F, 0xC7, 0xF0}).draws,
            (std::vector<Draw>{{base, DrawKind::rdrand}}));
  EXPECT_EQ(find_in(Machine::x86_64, {0x90, 0x0F, 0xC7, 0xFF}).draws,
            (std::vector<Draw>{{base + 1, DrawKind::rdseed}}));
  EXPECT_EQ(find_in(Machine::x86_64, {0x66, 0x0F, 0xC7, 0xF1}).draws,
            (std::vector<Draw>{{base, DrawKind::rdrand}}))
      << "16 bits";
  EXPECT_EQ(find_in(Machine::x86_64, {0x49, 0x0F, 0xC7, 0xFA}).draws,
            (std::vector<Draw>{{base, DrawKind::rdseed}}))
      << "r10";
  EXPECT_EQ(find_in(Machine::x86_64, {0xB8, 0x3E, 0x01, 0, 0, 0x31, 0xFF, 0x0F, 0x05}).draws,
            (std::vector<Draw>{{base + 7, DrawKind::getrandom}}))
      << "mov $318, %eax; xor %edi, %edi; syscall";
  EXPECT_EQ(
      find_in(Machine::x86_64, {0x48, 0xC7, 0xC0, 0x3E, 0x01, 0, 0, 0x74, 0x00, 0x0F, 0x05}).draws,
      (std::vector<Draw>{{base + 9, DrawKind::getrandom}}))
      << "mov $318, %rax; je; syscall";
}

TEST(MachineCode, TakesNoBytesForAnInstructionOfX86) {
  for (const std::vector<unsigned char>& bytes : std::vector<std::vector<unsigned char>>{
           {0x48, 0xB8, 0x55, 0x0F, 0xC7, 0xF0, 0x33, 0x44, 0x55, 0x66}, // movabs
           {0x0F, 0xC7, 0x0F},                                     // cmpxchg8b: memory, extension 1
           {0x0F, 0xC7, 0x37},                                     // vmptrld: memory, extension 6
           {0xF3, 0x0F, 0xC7, 0xF8},                               // rdpid
           {0x0F, 0x05},                                           // syscall of an unknown number
           {0xB8, 0x3E, 0x01, 0, 0, 0xB0, 0x01, 0x0F, 0x05},       // mov $1, %al
           {0xB8, 0x3E, 0x01, 0, 0, 0x0F, 0xA2, 0x0F, 0x05},       // cpuid
           {0xB8, 0x3E, 0x01, 0, 0, 0xE8, 0, 0, 0, 0, 0x0F, 0x05}, // call
           {0xB8, 0x3E, 0x01, 0, 0, 0xC3, 0x0F, 0x05},             // ret
           {0xB8, 0x3E, 0x01, 0, 0, 0xEB, 0x00, 0x0F, 0x05},       // jmp
           {0x0F, 0xC7},
           {0x0F},
           {}})
    EXPECT_TRUE(find_in(Machine::x86_64, bytes).draws.empty()) << testing::PrintToString(bytes);
  EXPECT_EQ(find_in(Machine::x86_64, {0xB8, 0x3E, 0x01, 0, 0, 0x0F, 0x05, 0x0F, 0x05}).draws,
            (std::vector<Draw>{{base + 5, DrawKind::getrandom}}))
      << "the second takes the answer of the first for its number";
}

TEST(MachineCode, SaysNothingOfWhatItCannotDecode) {
  const std::vector<unsigned char> bytes = {0x06, 0x0F, 0xC7, 0xF0, 0x90, 0x0F, 0xC7, 0xF8};
  const FoundDraws found = find_in(Machine::x86_64, bytes);
  EXPECT_TRUE(found.draws.empty()) << "06 is no instruction";
  EXPECT_EQ(found.undecoded, 2U);
  EXPECT_EQ(kinds(find_in(Machine::x86_64, bytes, base + 4).draws), Kinds{DrawKind::rdseed});
}

TEST(MachineCode, FindsTheInstructionsOfArm) {
  constexpr std::uint32_t number = 0xD28022C8,
                          short_number = 0x528022C8; // mov x8, 278; mov w8, 278
  constexpr std::uint32_t call = 0xD4000001, nop = 0xD503201F, equal = 0x54000020,
                          jump = 0x14000001;
  constexpr std::uint32_t branch = 0x94000000, other = 0xD2800008, unknown = 0;
  const Kinds getrandom{DrawKind::getrandom};
  EXPECT_EQ(kinds(find_in(Machine::aarch64, words({0xD53B2400, 0xD53B2433})).draws),
            (Kinds{DrawKind::rndr, DrawKind::rndrrs}));
  EXPECT_EQ(kinds(find_in(Machine::aarch64, words({0xD53BD040})).draws), Kinds{}) << "tpidr_el0";
  EXPECT_EQ(kinds(find_in(Machine::aarch64, words({number, nop, call})).draws), getrandom);
  EXPECT_EQ(kinds(find_in(Machine::aarch64, words({short_number, equal, call})).draws), getrandom);
  for (const std::uint32_t between : {jump, branch, other, unknown})
    EXPECT_EQ(kinds(find_in(Machine::aarch64, words({number, between, call})).draws), Kinds{})
        << std::hex << between;
  EXPECT_EQ(kinds(find_in(Machine::aarch64, words({call})).draws), Kinds{});
}

TEST(MachineCode, KnowsAResultOfArmThatIsPassedOn) {
  constexpr std::uint32_t call = 0x94000000, nop = 0xD503201F;
  const auto is_passed_on = [](std::uint32_t before, std::uint32_t between) {
    const std::vector<unsigned char> code = words({nop, before, call, between, call});
    return is_result_passed_on(Machine::aarch64, {base, code}, base, base + 12, base + 20, true);
  };
  // mov x0, 0; mov w0, wzr; add x0, sp, 8
  constexpr std::uint32_t null = 0xD2800000, zero = 0x2A1F03E0, address = 0x910023E0;
  // mov w19, w0; stp x0, x1, [sp]; mov x1, x20; cbz w0
  constexpr std::uint32_t copy = 0x2A0003F3, store = 0xA90007E0, other = 0xAA1403E1,
                          branch = 0x34000000;
  // add w0, w0, w19; csel x1, xzr, xzr, eq
  constexpr std::uint32_t add = 0x0B130000, choice = 0x9A9F03E1;
  for (const std::uint32_t before : {null, zero})
    EXPECT_TRUE(is_passed_on(before, nop)) << std::hex << before;
  for (const std::uint32_t before : {address, nop})
    EXPECT_FALSE(is_passed_on(before, nop)) << std::hex << before;
  for (const std::uint32_t between : {other, add, null})
    EXPECT_TRUE(is_passed_on(null, between)) << std::hex << between;
  for (const std::uint32_t between : {copy, store, branch, call, choice})
    EXPECT_FALSE(is_passed_on(null, between)) << std::hex << between;
}

TEST(Scan, FindsEachKindInItsFunction) {
  for (const char* file : {RAW_DRAWS_PROGRAM, RAW_DRAWS_LIBRARY}) {
    const FileScan scan = scan_file(ElfFile(file));
    EXPECT_EQ(kinds(scan), all_kinds_of_this_machine) << file;
    EXPECT_TRUE(scan.is_uncovered());
    EXPECT_EQ(scan.undecoded, 0U);
    for (const FoundPlace& place : scan.places) {
      EXPECT_EQ(place.function, place.kind == DrawKind::getrandom ? "draw_by_system_call"
                                : place.kind == all_kinds_of_this_machine[0]
                                    ? "draw_by_processor"
                                    : "draw_by_processor_seed");
      EXPECT_EQ(place_text(scan, place).find(file + std::string("+0x")), 0U);
    }
  }
}

// Stripped: by the table of unwinding information, and by the section's start where it has no such
// table.
TEST(Scan, FindsThemWithoutSymbols) {
  for (const char* file : {RAW_DRAWS_PROGRAM "_stripped", RAW_DRAWS_PROGRAM "_bare"}) {
    const FileScan scan = scan_file(ElfFile(file));
    EXPECT_EQ(kinds(scan), all_kinds_of_this_machine) << file;
    EXPECT_EQ(scan.places.at(0).function, "");
  }
  EXPECT_NE(ElfFile(RAW_DRAWS_PROGRAM "_stripped").function_start(~std::uint64_t{0}), 0U);
  EXPECT_EQ(ElfFile(RAW_DRAWS_PROGRAM "_stripped").function_start(0), 0U);
}

TEST(Scan, TakesNoLookalikeForADraw) {
  for (const char* file :
       {LOOKALIKES_PROGRAM, LOOKALIKES_PROGRAM "_stripped", LOOKALIKES_PROGRAM "_bare"}) {
    const FileScan scan = scan_file(ElfFile(file));
    EXPECT_EQ(kinds(scan), Kinds{}) << file;
    EXPECT_EQ(scan.undecoded, 0U) << file;
    EXPECT_FALSE(scan.is_uncovered());
  }
#if defined(__x86_64__)
  EXPECT_NE(contents(LOOKALIKES_PROGRAM).find("\x0F\xC7\xF0"), std::string::npos);
  EXPECT_NE(contents(LOOKALIKES_PROGRAM).find("\x0F\xC7\xF8"), std::string::npos);
#endif
}

class ScanFolder : public testing::Test {
protected:
  std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    std::filesystem::remove(folder_ /
                            name); // some file systems wait for the disk where one is overwritten
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }

  /// Empty if the file could be looked at, else the line that says why not.
  static std::string refusal(const std::filesystem::path& file) {
    try {
      scan_file(ElfFile(file));
    } catch (const ElfError& error) {
      EXPECT_NE(error.what(), std::string());
      return error.what();
    }
    return "";
  }

  const TemporaryFolder scratch_;
  const std::filesystem::path folder_ = scratch_.path();
};

TEST_F(ScanFolder, LeavesCryptographyAndWhatIsHookedAlone) {
  for (const char* name :
       {"libcrypto.so.3", "libsodium.so.23", "libstdc++.so.6", "libc.so.6", "libdetshim.so"}) {
    const FileScan scan = scan_file(ElfFile(write(name, contents(RAW_DRAWS_LIBRARY))));
    EXPECT_EQ(scan.places.size(), 3U) << name;
    EXPECT_NE(scan.left_alone, "") << name;
    EXPECT_FALSE(scan.is_uncovered()) << name;
  }
  EXPECT_TRUE(
      scan_file(ElfFile(write("libcuda.so.1", contents(RAW_DRAWS_LIBRARY)))).is_uncovered());
}

TEST_F(ScanFolder, SaysWhichFilesNoPreloadReaches) {
  EXPECT_NE(scan_file(ElfFile(RAW_DRAWS_PROGRAM "_static")).not_reached.find("statically linked"),
            std::string::npos);
  EXPECT_NE(
      scan_file(ElfFile(RAW_DRAWS_PROGRAM "_static_pie")).not_reached.find("statically linked"),
      std::string::npos);
  const std::filesystem::path copy = write("set_user", contents(RAW_DRAWS_PROGRAM));
  std::filesystem::permissions(copy, std::filesystem::perms::set_uid,
                               std::filesystem::perm_options::add);
  EXPECT_NE(scan_file(ElfFile(copy)).not_reached.find("another user's rights"), std::string::npos);

  std::string go = contents(RAW_DRAWS_PROGRAM);
  const std::size_t note = go.find(std::string("GNU\0", 4));
  ASSERT_NE(note, std::string::npos);
  for (std::size_t at = note; at != std::string::npos; at = go.find(std::string("GNU\0", 4), at))
    go.replace(at, 4, std::string("Go\0\0", 4));
  EXPECT_NE(scan_file(ElfFile(write("go", go))).not_reached.find("Go program"), std::string::npos);
}

TEST_F(ScanFolder, RefusesOtherFilesInOneLine) {
  const std::string program = contents(RAW_DRAWS_PROGRAM);
  const auto with = [&program](std::size_t at, char byte) {
    std::string changed = program;
    changed[at] = byte;
    return changed;
  };
  EXPECT_NE(refusal(folder_ / "missing").find("cannot be read"), std::string::npos);
  EXPECT_NE(refusal(folder_).find("cannot be read"), std::string::npos);
  EXPECT_NE(refusal(write("script", "#!/bin/sh\n")).find("is no ELF file"), std::string::npos);
  EXPECT_NE(refusal(write("empty", "")).find("is no ELF file"), std::string::npos);
  EXPECT_NE(refusal(write("small", with(EI_CLASS, ELFCLASS32))).find("is not a 64-bit file"),
            std::string::npos);
  EXPECT_NE(refusal(write("big", with(EI_DATA, ELFDATA2MSB))).find("big-endian"),
            std::string::npos);
  EXPECT_NE(refusal(write("machine", with(18, '\x28')))
                .find("another kind of processor (ELF machine 40)"),
            std::string::npos);
  EXPECT_NE(
      refusal(write("object", with(16, ET_REL))).find("neither a program nor a shared library"),
      std::string::npos);
  EXPECT_NE(refusal(write("\x1b[31m", "")).find("'\\x1b[31m' is no ELF"), 0U);
  EXPECT_EQ(refusal(write("\x1b[31m", "")).find('\x1b'), std::string::npos);
}

TEST_F(ScanFolder, SurvivesACutFile) {
  const std::string program = contents(RAW_DRAWS_PROGRAM);
  for (std::size_t length = 0; length < program.size(); length += length < 1200 ? 1 : 61)
    refusal(write("cut", program.substr(0, length)));
  EXPECT_NE(refusal(write("cut", program.substr(0, 3000))).find("cut short"), std::string::npos);
}

TEST_F(ScanFolder, SurvivesFlippedBytes) {
  std::mt19937 random(1); // the same damage each time
  for (const char* file : {RAW_DRAWS_PROGRAM, RAW_DRAWS_LIBRARY, RAW_DRAWS_PROGRAM "_bare"}) {
    const std::string whole = contents(file);
    for (int round = 0; round < 1500; ++round) {
      std::string damaged = whole;
      // In turn: the headers, the section headers at the end, the dynamic section and tables,
      // anywhere.
      const std::size_t from = round % 4 == 1 ? whole.size() - 64 * 32 : 0;
      const std::size_t range = round % 4 == 0 ? 0x400 : round % 4 == 1 ? 64 * 32 : whole.size();
      for (int i = 0; i < 1 + round % 7; ++i)
        damaged[from + random() % range] = static_cast<char>(round % 3 == 0 ? 0xFF : random());
      damaged[EI_CLASS] = ELFCLASS64;
      refusal(write("damaged", damaged));
    }
  }
}

// Sections that name the same bytes again and again must not take for ever, nor be counted again.
TEST_F(ScanFolder, CountsOverlappingSectionsOnce) {
  std::string program = contents(RAW_DRAWS_PROGRAM);
  Elf64_Ehdr header;
  std::memcpy(&header, program.data(), sizeof header);
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  std::memcpy(sections.data(), program.data() + header.e_shoff,
              sections.size() * sizeof sections[0]);
  const auto text = std::ranges::max_element(sections, {}, [](const Elf64_Shdr& section) {
    return (section.sh_flags & SHF_EXECINSTR) != 0 ? section.sh_size : 0;
  });
  header.e_shoff = program.size();
  header.e_shnum = 60000;
  for (int i = 0; i < header.e_shnum; ++i)
    program.append(reinterpret_cast<const char*>(&*text), sizeof *text);
  std::memcpy(program.data(), &header, sizeof header);
  EXPECT_EQ(kinds(scan_file(ElfFile(write("many", program)))), all_kinds_of_this_machine);
}

/// A folder of dpkg's lists and one of wheels.
class PackagesTest : public testing::Test {
protected:
  void SetUp() override {
    std::filesystem::create_directories(info_);
    std::filesystem::create_directories(site_ / "pack/lib");
  }
  void list(const std::string& package, const std::string& files) const {
    std::ofstream(info_ / (package + ".list")) << files;
  }
  void wheel(const std::string& name, const std::string& record, bool is_users_own = false) const {
    const std::filesystem::path folder = site_ / (name + "-1.0.dist-info");
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "RECORD") << record;
    if (is_users_own)
      std::ofstream(folder / "direct_url.json") << "{}";
  }
  bool brought(const std::filesystem::path& file) const {
    return Packages(info_.string()).brought(file.string());
  }

  const TemporaryFolder scratch_;
  const std::filesystem::path info_ = scratch_.path() / "info",
                              site_ = scratch_.path() / "site-packages";
};

TEST_F(PackagesTest, BroughtWhatDpkgLists) {
  list("one", "/.\n/usr\n/lib/x86_64-linux-gnu/libone.so.1\n");
  list("two", "/opt/two/libtwo.so\n/opt/two/libtwo.so.1");
  EXPECT_TRUE(brought("/lib/x86_64-linux-gnu/libone.so.1"));
  EXPECT_TRUE(brought("/usr/lib/x86_64-linux-gnu/libone.so.1")) << "/lib is a link";
  EXPECT_TRUE(brought("/opt/two/libtwo.so"));
  EXPECT_FALSE(brought("/opt/two/libtwo")) << "a part of a name";
  EXPECT_FALSE(brought("/home/user/opt/two/libtwo.so"));
  EXPECT_FALSE(brought("/opt/three.so"));
}

TEST_F(PackagesTest, BroughtWhatAWheelRecords) {
  wheel("pack", "pack/__init__.py,sha256=x,1\npack/lib/libpack.so,sha256=x,1\n");
  EXPECT_TRUE(brought(site_ / "pack/lib/libpack.so"));
  EXPECT_FALSE(brought(site_ / "pack/lib/libother.so"));
  EXPECT_FALSE(brought(scratch_.path() / "pack/lib/libpack.so")) << "not among wheels";
}

// oneMKL's wheels lay libraries beside Python's folder.
TEST_F(PackagesTest, BroughtWhatAWheelLaysBesidePython) {
  const std::filesystem::path lib = scratch_.path() / "venv/lib";
  const std::filesystem::path site = lib / "python3.11/site-packages";
  std::filesystem::create_directories(site / "mkl-1.0.dist-info");
  std::ofstream(site / "mkl-1.0.dist-info/RECORD") << "../../libmkl_core.so.2,sha256=x,1\n";
  EXPECT_TRUE(brought(lib / "libmkl_core.so.2"));
  EXPECT_FALSE(brought(lib / "libmine.so"));
}

TEST_F(PackagesTest, BroughtWhatCondaLists) {
  const std::filesystem::path prefix = scratch_.path() / "envs/train";
  std::filesystem::create_directories(prefix / "conda-meta");
  std::ofstream(prefix / "conda-meta/mkl-2024.0-0.json") << R"({"files": ["lib/libmkl.so.2"]})";
  std::ofstream(prefix / "conda-meta/damaged.json") << R"({"files": [")";
  std::ofstream(prefix / "conda-meta/history") << "lib/libmine.so";
  EXPECT_TRUE(brought(prefix / "lib/libmkl.so.2"));
  EXPECT_FALSE(brought(prefix / "lib/libmine.so"));
  EXPECT_FALSE(brought(prefix / "libmkl.so.2"));
}

// `pip install .`: the user's own code, wherever it was copied to.
TEST_F(PackagesTest, DidNotBringWhatTheUserBuilt) {
  wheel("mine", "mine/fast.so,sha256=x,1\n", true);
  EXPECT_FALSE(brought(site_ / "mine/fast.so"));
}

TEST_F(PackagesTest, AreNoneWithoutLists) {
  EXPECT_FALSE(Packages("/no/such/folder").brought("/usr/lib/libx.so"));
  EXPECT_FALSE(Packages("/no/such/folder").brought("libx.so"));
}

// ---- lines of a cubin ----

/// A table of one file, whose two rows are lines 3 and 5: at the function's begin, and 16 behind
/// it.
std::string line_table(char version) {
  const auto number4 = [](std::size_t value) {
    std::string bytes(4, '\0');
    std::memcpy(bytes.data(), &value, 4);
    return bytes;
  };
  std::string header = "\x01"; // the unit
  if (version >= 4)
    header += "\x01";
  // A statement; lines from -1 on, of which there are 4; opcodes of rows from 13 on.
  header += std::string("\x01\xff\x04\x0d", 4);
  header += std::string("\0\1\1\1\1\0\0\0\1\0\0\1", 12); // operands of each opcode
  header += std::string("src\0\0", 5);                   // folders
  header += std::string("kernel.py\0\1\0\0\0", 14);      // files
  const std::string program = std::string("\0\x09\x02", 3) + std::string(8, '\0') + // address
                              std::string("\x03\x02\x01", 3) +         // 2 lines, a row
                              std::string("\x02\x10\x03\x02\x01", 5) + // 16 bytes, 2 lines, a row
                              std::string("\0\x01\x01", 3);
  const std::string rest = number4(header.size()) + header + program;
  return number4(rest.size() + 2) + std::string{version, '\0'} + rest;
}

TEST(LineTable, IsReadInEachOfItsVersions) {
  for (const char version : {'\2', '\3', '\4'}) {
    const std::string bytes = line_table(version);
    const std::vector<LineSequence> sequences = read_line_table(bytes, "");
    ASSERT_EQ(sequences.size(), 1U) << int(version);
    ASSERT_EQ(sequences[0].rows.size(), 2U) << int(version);
    EXPECT_EQ(sequences[0].rows[0].line, 3U) << int(version);
    EXPECT_EQ(sequences[0].rows[1].line, 5U) << int(version);
    EXPECT_EQ(sequences[0].rows[1].offset, 16U) << int(version);
    EXPECT_EQ(sequences[0].rows[1].file, "kernel.py") << int(version);
    EXPECT_EQ(sequences[0].rows[1].folder, "src") << int(version);
  }
  EXPECT_TRUE(read_line_table(line_table('\5'), "").empty());
}

TEST(Demangled, HasNoTagsOfTheAbi) {
  EXPECT_EQ(demangled("_Z6kernelB2v1B4cw51i"), "kernel(int)");
  EXPECT_EQ(demangled("_Z6kerneli"), "kernel(int)");
}

// ---- the files that a log names ----

class LoadedFiles : public testing::Test {
protected:
  void SetUp() override {
    for (const char* name : {"train", "libmine.so"})
      std::filesystem::copy_file(RAW_DRAWS_PROGRAM, folder_ / name);
  }

  static Log log_of(const std::string& program, const std::vector<std::string>& modules = {}) {
    Log log;
    Process& process = log.processes.emplace_back();
    process.path = "0";
    process.starts.emplace_back().program = program;
    process.modules = SharedTexts(std::make_shared<const std::vector<std::string>>(modules));
    return log;
  }
  static LoadedCode scan(const Log& log, Decode decode = Decode::own_code) {
    return scan_loaded_code(log, summarise(log), decode);
  }

  const TemporaryFolder scratch_;
  const std::filesystem::path folder_ = scratch_.path();
  const std::string program_ = (folder_ / "train").string(),
                    library_ = (folder_ / "libmine.so").string();
};

TEST_F(LoadedFiles, AreLookedIntoOnce) {
  const std::string link = (folder_ / "link").string();
  std::filesystem::create_symlink(program_, link);
  const LoadedCode code =
      scan(log_of(program_, {program_, link, library_, "", "/gone/a.so", "/gone/a.so"}));
  EXPECT_EQ(code.files, 2U);
  EXPECT_EQ(code.own, 2U);
  EXPECT_EQ(code.uncovered.size(), 2U);
  EXPECT_EQ(code.missing, std::vector<std::string>{"/gone/a.so"});
  EXPECT_TRUE(code.changed.empty());
  EXPECT_TRUE(code.is_decoded);
  const LoadedCode symbols = scan(log_of(program_), Decode::nothing);
  EXPECT_EQ(symbols.files, 1U);
  EXPECT_TRUE(symbols.uncovered.empty());
  EXPECT_FALSE(symbols.is_decoded);
}

TEST_F(LoadedFiles, ThatChangedSayNothing) {
  const std::string link = (folder_ / "link").string();
  std::filesystem::create_symlink(program_, link);
  const std::string id = ElfFile(program_).build_id();
  const auto scanned = [&](const std::set<std::string>& ran) {
    Log log = log_of(program_, {link});
    log.builds[program_] = ran;
    return scan(log);
  };
  const LoadedCode same = scanned({id});
  EXPECT_EQ(same.uncovered.size(), 1U);
  EXPECT_TRUE(same.changed.empty());
  for (const std::set<std::string>& ran : {std::set<std::string>{"1234"}, {id, "1234"}}) {
    const LoadedCode changed = scanned(ran);
    EXPECT_TRUE(changed.uncovered.empty());
    EXPECT_EQ(changed.changed, (std::set<std::string>{program_, link})) << "by both of its names";
    EXPECT_EQ(changed.files, 0U);
  }
}

// Of the user's are the first program, wherever it lies, and what no package brought.
TEST_F(LoadedFiles, AreTheUsersOrAPackages) {
  const std::filesystem::path site = folder_ / "site-packages";
  std::filesystem::create_directories(site / "pack-1.0.dist-info");
  std::filesystem::create_directories(site / "pack");
  std::ofstream(site / "pack-1.0.dist-info/RECORD") << "pack/libpack.so,sha256=x,1\n";
  const std::string packages = (site / "pack/libpack.so").string();
  std::filesystem::copy_file(RAW_DRAWS_PROGRAM, packages);
  const auto found = [](const Log& log, Decode decode) {
    const LoadedCode code = scan(log, decode);
    return std::pair(code.own, code.uncovered.size());
  };
  using Counts = std::pair<std::size_t, std::size_t>;
  const Log loaded = log_of(program_, {packages});
  EXPECT_EQ(found(loaded, Decode::own_code), Counts(1, 1));
  EXPECT_EQ(found(loaded, Decode::everything), Counts(1, 2));
  EXPECT_EQ(found(log_of(packages), Decode::own_code), Counts(1, 1)) << "the first program";
  Log executed = log_of(packages);
  executed.processes[0].path = "0.1";
  EXPECT_EQ(found(executed, Decode::own_code), Counts(0, 0)) << "a later one";
  executed.processes[0].starts[0].program = program_;
  EXPECT_EQ(found(executed, Decode::own_code), Counts(1, 1));
}

#ifdef __x86_64__
// NVIDIA's archives are unpacked anywhere on a cluster, and no list of files says so.
TEST_F(LoadedFiles, OfACudaLibraryAreAPackagesWhereverTheyLie) {
  const std::string source = (folder_ / "draws.c").string();
  const std::string versions = (folder_ / "versions.map").string();
  std::ofstream(source) << "unsigned draw(void) { unsigned x; __builtin_ia32_rdrand32_step(&x); "
                           "return x; }\n";
  std::ofstream(versions) << "libcudnn_ops.so.9 { global: *; };\n";
  const auto own_places = [&](const std::string& name, bool has_versions) {
    const std::string library = (folder_ / name).string();
    std::vector<std::string> command = {"cc", "-shared", "-fPIC", "-mrdrnd", "-o", library, source};
    if (has_versions)
      command.push_back("-Wl,--version-script=" + versions);
    EXPECT_EQ(run(command).status, 0);
    return scan(log_of("/bin/true", {library}), Decode::own_code).own;
  };
  EXPECT_EQ(own_places("libcudnn_ops.so.9", true), 0U);
  EXPECT_EQ(own_places("libcudnn_mine.so", true), 1U) << "the user's own";
  EXPECT_EQ(own_places("libcudnn_cnn.so.9", false), 1U) << "called so alone";
}
#endif

TEST_F(LoadedFiles, ThatWereExecutedMayDrawNothing) {
  const std::string source = (folder_ / "quiet.c").string(), quiet = (folder_ / "quiet").string();
  std::ofstream(source) << "void _start(void) { for (;;) ; }\n";
  ASSERT_EQ(run({"cc", "-static", "-nostdlib", "-Wl,--build-id", "-o", quiet, source}).status, 0);
  const auto without_draws = [&](Action action, const std::string& program,
                                 const std::string& build = "") {
    Log log;
    if (!build.empty())
      log.builds[program] = {build};
    Summary summary;
    SymbolSummary& symbol = summary.symbols.emplace_back();
    symbol.action = action;
    symbol.examples = {{.fields = {{"program", program}}, .count = {}}};
    return !scan_loaded_code(log, summary, Decode::own_code).without_draws.empty();
  };
  using enum Action;
  EXPECT_TRUE(without_draws(uncovered, quiet));
  EXPECT_TRUE(without_draws(uncovered, quiet, ElfFile(quiet).build_id()));
  EXPECT_FALSE(without_draws(uncovered, quiet, "1234")) << "another ran";
  EXPECT_FALSE(without_draws(observe, quiet));
  EXPECT_FALSE(without_draws(uncovered, RAW_DRAWS_STATIC));
  EXPECT_FALSE(without_draws(uncovered, "/bin/true")) << "not static";
  EXPECT_FALSE(without_draws(uncovered, "/gone/quiet"));
  const std::filesystem::path here = std::filesystem::current_path();
  std::filesystem::current_path(folder_);
  EXPECT_FALSE(without_draws(uncovered, "quiet")) << "no name that holds elsewhere";
  std::filesystem::current_path(here);
}

// ---- a file's symbols ----

class CudaNames : public testing::Test {
protected:
  /// Of a library of that name, made of these lines of C.
  CudaSymbols read(const std::string& file, const std::string& lines) const {
    const std::string source = (folder_.path() / "a.c").string(),
                      built = (folder_.path() / file).string();
    std::ofstream(source) << lines << "\n";
    EXPECT_EQ(run({"cc", "-shared", "-fPIC", "-nostdlib", "-o", built, source}).status, 0);
    return read_cuda_symbols(ElfFile(built));
  }

  const TemporaryFolder folder_;
};

TEST_F(CudaNames, AreCopiesInAFileThatIsNoLibraryOfCudas) {
  const std::string two = "void cublasCreate_v2(void) {} void cublasDestroy_v2(void) {}";
  const std::string uses = "void cublasCreate_v2(void); void f(void) { cublasCreate_v2(); }";
  const CudaSymbols plugin = read("libplugin.so", two);
  ASSERT_EQ(plugin.copies.size(), 1U);
  EXPECT_EQ(plugin.copies[0].library, "cublas");
  EXPECT_EQ(plugin.copies[0].first, "cublasCreate_v2");
  EXPECT_EQ(plugin.copies[0].functions, 2U);
  EXPECT_TRUE(read("libcublas.so.12", two).copies.empty());
  EXPECT_TRUE(read("libplugin.so", uses).copies.empty());
  EXPECT_TRUE(read("libplugin.so", "void cublasNew(void) {}").copies.empty());
}

TEST_F(CudaNames, AreNewWhereNoListHasThem) {
  using Names = std::vector<std::string>;
  const std::string known = "void cublasCreate_v2(void) {} ";
  EXPECT_EQ(read("libcublas.so.12", known + "void cublasNew(void) {}").unknown, Names{"cublasNew"});
  EXPECT_EQ(read("libcublas.so.12", known + "void cublasLtNew(void) {}").unknown, Names());
  EXPECT_EQ(read("libcublas.so.12", known + "void mine(void) {}").unknown, Names());
  EXPECT_EQ(read("libcublas.so.12", "static void cublasNew(void) {} void f(void) { cublasNew(); }")
                .unknown,
            Names());
  EXPECT_EQ(read("libcublasLt.so.12", "void cublasLtNew(void) {}").unknown, Names{"cublasLtNew"});
  EXPECT_EQ(read("libcudart.so.12", "void cudaNew(void) {}").unknown, Names()) << "it has no list";
}

TEST_F(CudaNames, AreAskedForWhereNoListHasThem) {
  const auto asks = [&](const std::string& name, const std::string& file = "libplugin.so") {
    return !read(file, "void " + name + "(void); void f(void) { " + name + "(); }")
                .asks_for.empty();
  };
  for (const char* name : {"cublasNew", "cublasLtNew", "ncclNew", "curandNew"})
    EXPECT_TRUE(asks(name)) << name;
  for (const char* name : {"cublasCreate_v2", "cuNew", "cudaNew", "cut", "mine"})
    EXPECT_FALSE(asks(name)) << name;
  EXPECT_FALSE(asks("cublasNew", "libcufft.so.12")) << "between CUDA's own";
  EXPECT_TRUE(read("libplugin.so", "void cublasNew(void) {}").asks_for.empty());
}

TEST_F(CudaNames, SayOfWhomTheKernelsAre) {
  const std::string kernels = "__attribute__((section(\".nv_fatbin\"))) int code = 1;";
  EXPECT_TRUE(read("libplugin.so", kernels).has_kernels);
  EXPECT_FALSE(read("libplugin.so", "int code = 1;").has_kernels);
  EXPECT_FALSE(read("libcublas.so.12", kernels).has_kernels);
  EXPECT_FALSE(read("libcutensor.so.2", kernels).has_kernels);
}

TEST_F(CudaNames, TellARandomDeviceByItsFunctions) {
  const std::string name = "_ZNSt13random_device9_M_getvalEv";
  EXPECT_TRUE(read("a.so", "void " + name + "(void) {}").names_random_device);
  EXPECT_TRUE(read("a.so", "void __x86_rdrand(void) {}").names_random_device);
  EXPECT_FALSE(read("a.so", "void mine(void) {}").names_random_device);
  EXPECT_FALSE(read("a.so", "void " + name + "(void); void f(void) { " + name + "(); }")
                   .names_random_device);
}

// ---- clocks that seed ----

#if defined(__x86_64__)
/// Two functions that read a clock and seed by it; the second one keeps what it read.
class PinnedClock : public testing::Test {
protected:
  void SetUp() override {
    const std::string source = (folder_.path() / "a.c").string();
    std::ofstream(source) << R"(
__asm__(".text\n.type passes,@function\npasses:\n.cfi_startproc\nsub $8,%rsp\nxor %edi,%edi\n"
        "call time\nread_1:\nmov %eax,%edi\ncall srand\nseed_1:\nadd $8,%rsp\nret\n.cfi_endproc\n"
        ".size passes,.-passes\n.type keeps,@function\nkeeps:\n.cfi_startproc\nsub $8,%rsp\n"
        "xor %edi,%edi\ncall time\nread_2:\nmov %eax,kept(%rip)\nmov %eax,%edi\ncall srand\n"
        "seed_2:\nadd $8,%rsp\nret\n.cfi_endproc\n.size keeps,.-keeps\n"
        ".type far,@function\nfar:\n.cfi_startproc\nsub $8,%rsp\nxor %edi,%edi\ncall time\nread_3:\n"
        "mov %eax,%edi\n.fill 60,1,0x90\ncall srand\nseed_3:\nadd $8,%rsp\nret\n.cfi_endproc\n"
        ".size far,.-far\n");
static int kept __attribute__((used));
)";
    ASSERT_EQ(run({"cc", "-shared", "-fPIC", "-nostdlib", "-o", file_, source}).status, 0);
    for (const std::string& line : lines(run({"nm", file_}).out)) // "0000000000001010 t passes"
      places_[line.substr(line.rfind(' ') + 1)] = file_ + "+0x" + line.substr(0, 16);
  }

  /// True if the clock that was read there is pinned where the seed that follows is one of such a
  /// record.
  bool is_pinned(const std::string& clock, const std::string& seed, const std::string& why,
                 Action action = Action::pin, const std::set<std::string>& changed = {}) const {
    Summary summary;
    SymbolSummary& symbol = summary.symbols.emplace_back();
    symbol.action = action;
    symbol.reasons = {why};
    symbol.places = {{places_.at(seed), {}, {}, {}}};
    LoadedCode code;
    code.changed = changed;
    return PinnedClocks({Log(), summary, code}).contain(clock);
  }

  const TemporaryFolder folder_;
  const std::string file_ = (folder_.path() / "a.so").string();
  std::map<std::string, std::string> places_; ///< by label
};

TEST_F(PinnedClock, IsOneWhoseValueGoesIntoTheSeedAlone) {
  for (const char* why : {"clock_seed", "id_seed"})
    EXPECT_TRUE(is_pinned(places_["read_1"], "seed_1", why)) << why;
  EXPECT_FALSE(is_pinned(places_["read_1"], "seed_1", "own_value"));
  EXPECT_FALSE(is_pinned(places_["read_1"], "seed_1", "clock_seed", Action::observe));
  EXPECT_FALSE(is_pinned(places_["read_1"], "seed_1", "clock_seed", Action::pin, {file_}))
      << "another file ran";
  EXPECT_FALSE(is_pinned(places_["read_1"], "seed_2", "clock_seed")) << "not the next";
  EXPECT_FALSE(is_pinned(places_["read_2"], "seed_1", "clock_seed")) << "it is behind the seed";
  EXPECT_FALSE(is_pinned(places_["read_2"], "seed_2", "clock_seed")) << "it is kept";
  EXPECT_FALSE(is_pinned(places_["read_3"], "seed_3", "clock_seed")) << "too far";
  EXPECT_FALSE(is_pinned("/home/me/train+0x1010", "seed_1", "clock_seed")) << "another file";
}
#endif

} // namespace
} // namespace detshim
