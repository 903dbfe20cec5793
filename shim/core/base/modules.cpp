#include "core/base/modules.h"

#include "common/sys.h"
#include "common/text.h"
#include "core/base/placement.h"

#include <sys/auxv.h>

extern "C" int _dl_find_object(void*, dl_find_object*) noexcept __attribute__((weak));

namespace detshim {
namespace {

struct Tables {
  const ElfW(Sym) * symbols = nullptr;
  const char* strings = nullptr;
  const uint32_t* gnu_hash = nullptr;
  const uint16_t* versions = nullptr;
};

/// The loader relocates the addresses in a dynamic section in place; the vDSO's it leaves alone.
uintptr_t table_address(const Module& module, uintptr_t value) {
  const bool is_relocated =
      module.header_count == 0 || module.holds(reinterpret_cast<const void*>(value));
  return is_relocated ? value : module.base + value;
}

bool read_tables(const Module& module, Tables& tables) {
  for (const ElfW(Dyn)* entry = module.dynamic; entry != nullptr && entry->d_tag != DT_NULL;
       ++entry) {
    const uintptr_t address = table_address(module, entry->d_un.d_ptr);
    switch (entry->d_tag) {
    case DT_SYMTAB:
      tables.symbols = reinterpret_cast<const ElfW(Sym)*>(address);
      break;
    case DT_STRTAB:
      tables.strings = reinterpret_cast<const char*>(address);
      break;
    case DT_GNU_HASH:
      tables.gnu_hash = reinterpret_cast<const uint32_t*>(address);
      break;
    case DT_VERSYM:
      tables.versions = reinterpret_cast<const uint16_t*>(address);
      break;
    default:
      break;
    }
  }
  return tables.symbols != nullptr && tables.strings != nullptr && tables.gnu_hash != nullptr;
}

uint32_t gnu_hash(const char* name) {
  uint32_t hash = 5381;
  for (; *name != 0; ++name)
    hash = hash * 33 + static_cast<unsigned char>(*name);
  return hash;
}

/// Index of the symbol, 0 if the table does not have it.
uint32_t look_up(const Tables& tables, const char* name) {
  const uint32_t bucket_count = tables.gnu_hash[0];
  const uint32_t first_symbol = tables.gnu_hash[1];
  const uint32_t bloom_size = tables.gnu_hash[2];
  const uint32_t bloom_shift = tables.gnu_hash[3];
  const auto* bloom = reinterpret_cast<const ElfW(Addr)*>(tables.gnu_hash + 4);
  const auto* buckets = reinterpret_cast<const uint32_t*>(bloom + bloom_size);
  const uint32_t* chains = buckets + bucket_count;
  if (bucket_count == 0 || bloom_size == 0)
    return 0;

  constexpr uint32_t bits = sizeof(ElfW(Addr)) * 8;
  const uint32_t hash = gnu_hash(name);
  const ElfW(Addr) word = bloom[hash / bits % bloom_size];
  if ((word >> (hash % bits) & word >> ((hash >> bloom_shift) % bits) & 1) == 0)
    return 0;

  uint32_t index = buckets[hash % bucket_count];
  if (index < first_symbol)
    return 0;
  for (;; ++index) {
    const uint32_t other = chains[index - first_symbol];
    if ((other | 1) == (hash | 1)) {
      const ElfW(Sym)& symbol = tables.symbols[index];
      const bool is_default = tables.versions == nullptr || (tables.versions[index] & 0x8000) == 0;
      if (is_default && symbol.st_shndx != SHN_UNDEF &&
          same_text(tables.strings + symbol.st_name, name))
        return index;
    }
    if ((other & 1) != 0)
      return 0;
  }
}

/// What an indirect function represents: its resolver says (System V gABI, STT_GNU_IFUNC), as it
/// said to the loader. Those of glibc that are hooked, time and gettimeofday, look at no argument.
const void* indirect_target(const void* resolver) {
  using Resolver = const void*(unsigned long, const void*);
  return reinterpret_cast<Resolver*>(const_cast<void*>(resolver))(0, nullptr);
}

/// Where the segment ends that holds the address; nullptr if none does.
const unsigned char* end_of_segment(const Module& module, const void* address) {
  for (int i = 0; i < module.header_count; ++i) {
    const ElfW(Phdr)& header = module.headers[i];
    const uintptr_t start = module.base + header.p_vaddr;
    if (header.p_type == PT_LOAD && reinterpret_cast<uintptr_t>(address) - start < header.p_memsz)
      return reinterpret_cast<const unsigned char*>(start + header.p_memsz);
  }
  return nullptr;
}

} // namespace

bool Module::holds(const void* address) const { return end_of_segment(*this, address) != nullptr; }

const void* Module::symbol(const char* name) const {
  Tables tables;
  if (!read_tables(*this, tables))
    return nullptr;
  const uint32_t index = look_up(tables, name);
  if (index == 0)
    return nullptr;
  const ElfW(Sym)& symbol = tables.symbols[index];
  const int type = symbol.st_info & 15;
  const auto* address = reinterpret_cast<const void*>(base + symbol.st_value);
  if (type == STT_GNU_IFUNC)
    return indirect_target(address);
  return type == STT_FUNC || type == STT_OBJECT || type == STT_NOTYPE ? address : nullptr;
}

bool Module::needs(const char* file_start) const {
  Tables tables;
  if (!read_tables(*this, tables))
    return false;
  for (const ElfW(Dyn)* entry = dynamic; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_NEEDED && starts_with(tables.strings + entry->d_un.d_val, file_start))
      return true;
  return false;
}

namespace {

/// By which tags a dynamic section says where a list of relocations lies.
struct RelocationTags {
  ElfW(Sxword) table;
  ElfW(Sxword) size;
  ElfW(Sxword) relative; ///< how many at its beginning name nothing: megabytes in a large library
};
constexpr RelocationTags relocation_tags[] = {
    {DT_JMPREL, DT_PLTRELSZ, DT_NULL}, // of functions
    {DT_RELA, DT_RELASZ, DT_RELACOUNT},
};

struct Relocations {
  const ElfW(Rela) * first = nullptr;
  const ElfW(Rela) * last = nullptr;

  const ElfW(Rela) * begin() const { return first; }
  const ElfW(Rela) * end() const { return last; }
};

/// Those of the list that name something.
Relocations naming_relocations(const Module& module, const RelocationTags& tags) {
  const ElfW(Rela)* table = nullptr;
  size_t size = 0;
  size_t relative = 0;
  for (const ElfW(Dyn)* entry = module.dynamic; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == tags.table)
      table = reinterpret_cast<const ElfW(Rela)*>(table_address(module, entry->d_un.d_ptr));
    if (entry->d_tag == tags.size)
      size = entry->d_un.d_val;
    if (entry->d_tag == tags.relative)
      relative = entry->d_un.d_val;
  }
  const size_t count = size / sizeof *table;
  if (table == nullptr || relative >= count)
    return {};
  return {table + relative, table + count};
}

#if defined(__x86_64__)
constexpr unsigned object_slot = R_X86_64_GLOB_DAT;
constexpr unsigned function_slot = R_X86_64_JUMP_SLOT;
constexpr unsigned slot_in_data = R_X86_64_64;
#elif defined(__aarch64__)
constexpr unsigned object_slot = R_AARCH64_GLOB_DAT;
constexpr unsigned function_slot = R_AARCH64_JUMP_SLOT;
constexpr unsigned slot_in_data = R_AARCH64_ABS64;
#endif

/// A place that holds the address of something with a name.
struct Binding {
  const char* name;
  const void* target;
  const void* slot;
};

bool read_binding(const Module& module, const Tables& tables, const ElfW(Rela) & relocation,
                  Binding& binding) {
  const unsigned type = relocation.r_info & 0xffffffff;
  if (type != object_slot && type != function_slot && type != slot_in_data)
    return false;
  binding.name = tables.strings + tables.symbols[relocation.r_info >> 32].st_name;
  binding.slot = reinterpret_cast<const void*>(module.base + relocation.r_offset);
  uintptr_t target; // in packed data it may lie anywhere
  __builtin_memcpy(&target, binding.slot, sizeof target);
  if (type == slot_in_data)
    target -= static_cast<uintptr_t>(relocation.r_addend);
  binding.target = reinterpret_cast<const void*>(target);
  return true;
}

} // namespace

bool each_binding(const Module& module, bool (*visit)(const char*, const void*, const void*, void*),
                  void* data) {
  Tables tables;
  if (!read_tables(module, tables))
    return false;
  Binding binding;
  for (const RelocationTags& tags : relocation_tags)
    for (const ElfW(Rela) & relocation : naming_relocations(module, tags))
      if (read_binding(module, tables, relocation, binding) &&
          visit(binding.name, binding.target, binding.slot, data))
        return true;
  return false;
}

namespace {

/// The unwinder's table of functions, as every linker writes it: 4-byte numbers, relative to the
/// header, sorted.
struct FunctionTable {
  struct Header {
    uint8_t version, frame_encoding, count_encoding, table_encoding;
    int32_t frame;
    uint32_t count;
    struct {
      int32_t function, description; // relative to the header
    } entries[];
  };
  Module module;
  const Header* header = nullptr;

  bool find(const void* address) {
    if (!find_module(address, module))
      return false;
    for (int i = 0; i < module.header_count && header == nullptr; ++i)
      if (module.headers[i].p_type == PT_GNU_EH_FRAME)
        header = reinterpret_cast<const Header*>(module.base + module.headers[i].p_vaddr);
    return header != nullptr && header->version == 1 && header->count_encoding == 0x03 &&
           header->table_encoding == 0x3b;
  }

  /// The first entry that begins behind `address`.
  uint32_t behind(const void* address) const {
    const auto place = static_cast<int64_t>(reinterpret_cast<uintptr_t>(address) -
                                            reinterpret_cast<uintptr_t>(header));
    uint32_t low = 0, high = header->count;
    while (low < high) {
      const uint32_t middle = low + (high - low) / 2;
      if (header->entries[middle].function <= place)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  const unsigned char* at(int32_t distance) const {
    return reinterpret_cast<const unsigned char*>(header) + distance;
  }
};

} // namespace

CodeRange function_at(const void* address) {
  FunctionTable table;
  if (!table.find(address))
    return {};
  const uint32_t next = table.behind(address);
  if (next == 0)
    return {};
  const auto begin_of = [&](uint32_t entry) {
    return table.at(table.header->entries[entry].function);
  };
  return {begin_of(next - 1),
          next == table.header->count ? end_of_segment(table.module, address) : begin_of(next)};
}

const unsigned char* frame_description_at(const void* address) {
  FunctionTable table;
  if (!table.find(address))
    return nullptr;
  const uint32_t next = table.behind(address);
  return next == 0 ? nullptr : table.at(table.header->entries[next - 1].description);
}

namespace {

/// What the loader says without a lock of the object that holds an address; false before
/// glibc 2.35, and of an object that is just being loaded.
bool find_object(const void* address, dl_find_object& object) {
  return &_dl_find_object != nullptr && _dl_find_object(const_cast<void*>(address), &object) == 0;
}

/// `object`: what the loader says of it, or nullptr.
Module from_link_map(const link_map* map, const dl_find_object* object) {
  Module module;
  module.path = map->l_name != nullptr ? map->l_name : "";
  module.base = map->l_addr;
  module.dynamic = map->l_ld;
  if (module.path[0] == 0) { // the main program
    module.headers = reinterpret_cast<const ElfW(Phdr)*>(getauxval(AT_PHDR));
    module.header_count = static_cast<int>(getauxval(AT_PHNUM));
    return module;
  }
  const uintptr_t begin =
      object != nullptr ? reinterpret_cast<uintptr_t>(object->dlfo_map_start) : map->l_addr;
  if (object == nullptr && !sys::can_read(begin))
    return module;
  const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(begin);
  if (__builtin_memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
    return module;
  const uintptr_t place = begin + header->e_phoff,
                  end = place + header->e_phnum * sizeof *module.headers;
  const auto* headers = reinterpret_cast<const ElfW(Phdr)*>(place);
  // Where a tool has moved them out of the first page, they may lie elsewhere in memory than in the
  // file.
  if (end > begin + 4096 && !(sys::can_read(place) && sys::can_read(end - 8)))
    return module;
  for (int i = 0; i < header->e_phnum; ++i)
    if (headers[i].p_type == PT_DYNAMIC &&
        module.base + headers[i].p_vaddr == reinterpret_cast<uintptr_t>(module.dynamic)) {
      module.headers = headers;
      module.header_count = header->e_phnum;
    }
  return module;
}

/// The loader's own list, without its lock.
bool walk_link_map(bool (*visit)(const Module&, void*), void* data) {
  for (const link_map* map = _r_debug.r_map; map != nullptr; map = map->l_next) {
    dl_find_object object;
    const bool is_found = map->l_ld != nullptr && find_object(map->l_ld, object);
    if (map->l_ld != nullptr && visit(from_link_map(map, is_found ? &object : nullptr), data))
      return true;
  }
  return false;
}

using Iterate = int(int (*)(dl_phdr_info*, size_t, void*), void*);

/// libc's dl_iterate_phdr itself: a sanitizer's calls us before it is ready.
Iterate* libc_iterate() {
  DETSHIM_STARTUP_DATA static constinit Iterate* iterate = nullptr;
  if (Iterate* known = __atomic_load_n(&iterate, __ATOMIC_RELAXED))
    return known;
  auto* function = reinterpret_cast<Iterate*>(const_cast<void*>(find_in_libc("dl_iterate_phdr")));
  __atomic_store_n(&iterate, function, __ATOMIC_RELAXED);
  return function;
}

DETSHIM_STARTUP_DATA constinit bool loader_lock_may_be_stuck = false;

} // namespace

void assume_loader_lock_is_stuck() { loader_lock_may_be_stuck = true; }

bool each_module(bool (*visit)(const Module&, void*), void* data) {
  Iterate* const iterate = libc_iterate();
  if (iterate == nullptr || loader_lock_may_be_stuck)
    return walk_link_map(visit, data);
  const sys::SignalsBlocked
      no_signals; // a handler that left by longjmp would leave the loader locked
  struct Context {
    bool (*visit)(const Module&, void*);
    void* data;
  } context{visit, data};
  return iterate(
             [](dl_phdr_info* info, size_t, void* p) {
               Module module;
               module.path = info->dlpi_name != nullptr ? info->dlpi_name : "";
               module.base = info->dlpi_addr;
               module.headers = info->dlpi_phdr;
               module.header_count = info->dlpi_phnum;
               for (int i = 0; i < module.header_count; ++i)
                 if (module.headers[i].p_type == PT_DYNAMIC)
                   module.dynamic =
                       reinterpret_cast<const ElfW(Dyn)*>(module.base + module.headers[i].p_vaddr);
               auto* c = static_cast<Context*>(p);
               return c->visit(module, c->data) ? 1 : 0;
             },
             &context) != 0;
}

bool any_module_path(bool (*is_it)(const char* path, void* data), void* data) {
  if (libc_iterate() != nullptr && !loader_lock_may_be_stuck)
    return each_module([is_it, data](const Module& module) {
      return is_it(module.path, data);
    });
  for (const link_map* map = _r_debug.r_map; map != nullptr; map = map->l_next)
    if (map->l_name != nullptr && is_it(map->l_name, data))
      return true;
  return false;
}

bool find_module(const void* address, Module& holder) {
  if (&_dl_find_object != nullptr) {
    dl_find_object object;
    if (!find_object(address, object))
      return false;
    holder = from_link_map(object.dlfo_link_map, &object);
    return true;
  }
  return each_module([&](const Module& module) {
    if (!module.holds(address))
      return false;
    holder = module;
    return true;
  });
}

const unsigned char* build_id(const Module& module, size_t& length) {
  constexpr size_t longest = 32;
  for (int i = 0; i < module.header_count; ++i) {
    const ElfW(Phdr)& header = module.headers[i];
    if (header.p_type != PT_NOTE || header.p_memsz == 0)
      continue;
    const auto* at = reinterpret_cast<const unsigned char*>(module.base + header.p_vaddr);
    const unsigned char* const end = at + header.p_memsz;
    if (!module.holds(at) || !module.holds(end - 1))
      continue;
    const size_t alignment = header.p_align == 8 ? 8 : 4;
    const auto padded = [alignment](size_t size) {
      return (size + alignment - 1) / alignment * alignment;
    };
    while (static_cast<size_t>(end - at) >= sizeof(ElfW(Nhdr))) {
      const auto* note = reinterpret_cast<const ElfW(Nhdr)*>(at);
      const size_t name = padded(sizeof *note + note->n_namesz);
      const size_t size = padded(name + note->n_descsz);
      if (size > static_cast<size_t>(end - at))
        break;
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
          __builtin_memcmp(note + 1, "GNU", 4) == 0 && note->n_descsz <= longest) {
        length = note->n_descsz;
        return at + name;
      }
      at += size;
    }
  }
  return nullptr;
}

bool is_own(const Module& module) { return module.holds(reinterpret_cast<const void*>(&is_own)); }

const void* find_symbol(const char* name) {
  const void* address = nullptr;
  each_module([&](const Module& module) {
    return (address = module.symbol(name)) != nullptr;
  });
  return address;
}

const void* find_in_libc(const char* name) {
  // No look at headers: those of the main program are found by a function of libc's.
  for (const link_map* map = _r_debug.r_map; map != nullptr; map = map->l_next) {
    if (map->l_name == nullptr || map->l_ld == nullptr)
      continue;
    const char* const file = file_name(map->l_name);
    // Threads had a library of their own before glibc 2.34.
    if (!starts_with(file, "libc.so") && !starts_with(file, "libpthread.so"))
      continue;
    Module module;
    module.path = map->l_name;
    module.base = map->l_addr;
    module.dynamic = map->l_ld;
    if (const void* address = module.symbol(name))
      return address;
  }
  return nullptr;
}

void module_path(const Module& module, char* path, size_t size) {
  if (size == 0)
    return;
  if (module.path[0] == 0) {
    if (sys::failed(sys::readlink("/proc/self/exe", path, size)))
      path[0] = 0;
    return;
  }
  size_t i = 0;
  for (; module.path[i] != 0 && i + 1 < size; ++i)
    path[i] = module.path[i];
  path[i] = 0;
}

} // namespace detshim
