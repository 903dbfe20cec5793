// A fat binary has no published format. What is read here was found in files that nvcc 11.7 to 13.0
// made and in the wheels of those years, where cuobjdump lists the same (docs/KERNELS.md).
#include "gpu_code/fat_binary.h"

#include "gpu_code/elf_sections.h"
#include "support/wording.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include <lz4.h>
#include <zstd.h>

namespace detshim {
namespace {

struct FatHeader {
  std::uint32_t magic;
  std::uint16_t version, header_size;
  std::uint64_t size; ///< of what follows this header
};
constexpr std::uint32_t fat_magic = 0xBA55ED50;

struct EntryHeader {
  std::uint16_t kind, version;
  std::uint32_t header_size;
  std::uint64_t size;        ///< of what follows this header
  std::uint32_t packed_size; ///< of it, without what fills it up; 0: not packed
  std::uint32_t options;
  std::uint16_t minor, major;
  std::uint32_t architecture;
  std::uint32_t name_offset, name_size;
  std::uint64_t flags, zero;
  std::uint64_t unpacked_size;
};
static_assert(sizeof(EntryHeader) == 64);
constexpr std::uint16_t kind_ptx = 1, kind_cubin = 2;
constexpr std::uint64_t packed_lz4 = 0x2000, packed_zstd = 0x8000;

/// More than any that was seen (70 MB), and less than makes a hostile file a danger.
constexpr std::uint64_t largest_code = 1ULL << 30;

/// 46 was seen; zeros would give more.
constexpr std::uint64_t most_from_a_byte = 4096;

template <typename Header>
std::optional<Header> header_at(std::string_view bytes, std::uint64_t at) {
  Header header;
  if (at > bytes.size() || bytes.size() - at < sizeof header)
    return {};
  std::memcpy(&header, bytes.data() + at, sizeof header);
  return header;
}

/// By the machine in an ELF file's header (e_machine): EM_CUDA.
bool is_cubin(std::string_view elf) {
  constexpr unsigned char cuda = 190;
  constexpr std::size_t machine_at = 18;
  return elf.size() > machine_at && static_cast<unsigned char>(elf[machine_at]) == cuda;
}

/// PTX begins with its version, behind comments.
bool is_ptx(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark))
    text.remove_prefix(byte_order_mark.size());
  while (!text.empty()) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    const bool is_block = text.starts_with("/*");
    if (!is_block && !text.starts_with("//"))
      break;
    const std::size_t end = text.find(is_block ? "*/" : "\n");
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1 + (is_block ? 1 : 0));
  }
  return text.starts_with(".version");
}

class FileReader {
public:
  FileReader(const WantsArchitecture& wants, const VisitGpuCode& visit,
             const std::function<void()>& progress)
      : wants_(wants), visit_(visit), progress_(progress) {}

  bool read(std::string_view bytes) {
    if (bytes.starts_with("!<arch>\n"))
      return read_archive(bytes);
    if (bytes.starts_with(ELFMAG))
      return read_elf(bytes);
    if (const auto fat = header_at<FatHeader>(bytes, 0); fat && fat->magic == fat_magic) {
      read_fat_binaries(bytes);
      return true;
    }
    if (!is_ptx(bytes))
      return false;
    visit_({GpuCodeKind::ptx, 0, bytes, {}});
    return true;
  }

private:
  bool read_elf(std::string_view bytes) {
    const ElfSections sections = read_elf_sections(bytes);
    if (!sections) {
      if (is_cubin(bytes))
        visit_({GpuCodeKind::unread, 0, {}, "it is damaged"});
      return is_cubin(bytes);
    }
    if (is_cubin(bytes)) {
      visit_({GpuCodeKind::machine_code, 0, bytes, {}});
      return true;
    }
    for (const ElfSection& section : sections.all) {
      // What is relocatable was linked once more where the file is a program or a library: that is
      // what runs.
      const bool is_relocatable = section.name == "__nv_relfatbin";
      if (section.name == ".nv_fatbin" || (is_relocatable && sections.type == ET_REL))
        read_fat_binaries(section.bytes);
      else if (section.type == SHT_PROGBITS && !section.name.starts_with(".text") &&
               !is_relocatable)
        read_embedded(section.bytes);
    }
    return true;
  }

  /// What a program has as data, to load it as it runs: bin2c's arrays, files that ld took in.
  void read_embedded(std::string_view bytes) {
    constexpr std::string_view fat("\x50\xED\x55\xBA", 4), elf("\x7F\x45LF\2\1\1", 7),
        ptx(".version");
    const auto each = [&](std::string_view beginning, auto read) {
      std::size_t left = 4096; // a damaged file may have any number, each with the rest behind it
      for (std::size_t at = 0;
           left > 0 && (at = bytes.find(beginning, at)) != std::string_view::npos;
           at += beginning.size(), --left)
        read(bytes.substr(at));
    };
    each(fat, [this](std::string_view rest) {
      const auto header = header_at<FatHeader>(rest, 0);
      if (header && header->header_size == sizeof(FatHeader))
        read_fat_binaries(rest.substr(0, std::min(header->size, rest.size()) + sizeof(FatHeader)));
    });
    each(elf, [this](std::string_view rest) {
      if (is_cubin(rest))
        read_elf(rest);
    });
    each(ptx, [this](std::string_view rest) {
      const std::string_view text = rest.substr(0, rest.find('\0'));
      if (text.find(".target") != std::string_view::npos)
        visit_({GpuCodeKind::ptx, 0, text, {}});
    });
  }

  /// "name/ date uid gid mode size `\n", then so many bytes, and one more if that is odd (ar(5)).
  bool read_archive(std::string_view bytes) {
    constexpr std::size_t header_size = 60, size_at = 48, size_width = 10;
    for (std::size_t at = 8; bytes.size() - std::min(at, bytes.size()) > header_size;) {
      const std::string_view size_text = bytes.substr(at + size_at, size_width);
      const auto size = number_in<std::uint64_t>(size_text.substr(0, size_text.find(' ')));
      at += header_size;
      if (!size || *size > bytes.size() - at)
        break;
      read_elf(bytes.substr(at, *size));
      at += *size + *size % 2;
    }
    return true;
  }

  void read_fat_binaries(std::string_view bytes) {
    for (std::uint64_t at = 0; const auto header = header_at<FatHeader>(bytes, at);) {
      constexpr std::uint64_t alignment = 8;
      const std::uint64_t room = bytes.size() - at;
      if (header->magic != fat_magic || header->header_size < sizeof(FatHeader) ||
          header->header_size > room) {
        at += alignment; // filled up between one and the next
        continue;
      }
      const std::uint64_t size = std::min(header->size, room - header->header_size);
      read_entries(bytes.substr(at + header->header_size, size));
      at += header->header_size + (size + alignment - 1) / alignment * alignment;
    }
  }

  void read_entries(std::string_view bytes) {
    for (std::uint64_t at = 0; const auto entry = header_at<EntryHeader>(bytes, at);) {
      if (entry->header_size < sizeof(EntryHeader) || entry->header_size > bytes.size() - at)
        break;
      at += entry->header_size;
      const std::uint64_t size = std::min(entry->size, bytes.size() - at);
      if (wants_(entry->architecture))
        read_entry(*entry, bytes.substr(at, size));
      progress_();
      if (size == 0)
        break;
      at += size;
    }
  }

  void read_entry(const EntryHeader& entry, std::string_view bytes) {
    const unsigned architecture = entry.architecture;
    if (entry.kind != kind_ptx && entry.kind != kind_cubin)
      return visit_(
          {GpuCodeKind::unread, architecture, {}, "it is for the linker of the next stage"});
    const GpuCodeKind kind = entry.kind == kind_ptx ? GpuCodeKind::ptx : GpuCodeKind::machine_code;
    const std::string_view packed =
        bytes.substr(0, entry.packed_size != 0 ? entry.packed_size : bytes.size());
    if ((entry.flags & (packed_lz4 | packed_zstd)) == 0)
      return visit_({kind, architecture, packed, {}});
    const std::uint64_t size = entry.unpacked_size;
    if (size > largest_code || size / most_from_a_byte > packed.size())
      return visit_({GpuCodeKind::unread, architecture, {}, "it claims an impossible size"});
    unpacked_.resize(size);
    const bool is_good =
        (entry.flags & packed_lz4) != 0
            ? LZ4_decompress_safe(packed.data(), unpacked_.data(), static_cast<int>(packed.size()),
                                  static_cast<int>(size)) == static_cast<int>(size)
            : ZSTD_decompress(unpacked_.data(), size, packed.data(), packed.size()) == size;
    if (is_good)
      visit_({kind, architecture, unpacked_, {}});
    else
      visit_({GpuCodeKind::unread, architecture, {}, "it could not be unpacked"});
  }

  const WantsArchitecture& wants_;
  const VisitGpuCode& visit_;
  const std::function<void()>& progress_;
  std::string unpacked_;
};

} // namespace

bool each_gpu_code(std::string_view file, const WantsArchitecture& wants, const VisitGpuCode& visit,
                   const std::function<void()>& progress) {
  return FileReader(wants, visit, progress).read(file);
}

} // namespace detshim
