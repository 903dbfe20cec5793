// The loaded objects of this process: which one is at an address, what it defines.
//
// Reads the dynamic sections directly (System V gABI, chapter 5; the GNU hash table as in U.
// Drepper, "How To Write Shared Libraries", 1.5.3), so it works before any constructor, allocates
// nothing, cannot meet a hook and leaves dlerror alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <link.h>

namespace detshim {

/// A loaded object. `path` belongs to the loader and holds as long as the object is loaded; it is
/// empty for the main program. `base` is what the loader added to the addresses that the object was
/// linked to: where it begins if that was 0, which it need not be (prelink, -Wl,-Ttext-segment),
/// and the same for several objects then. `dynamic` is one object's alone.
struct Module {
  const char* path = "";
  uintptr_t base = 0;
  const ElfW(Dyn) * dynamic = nullptr;
  const ElfW(Phdr) * headers = nullptr;
  int header_count = 0;

  bool holds(const void* address) const;
  /// Address of the function or object that the module defines under that name in its default
  /// version, of an indirect function what its resolver gives; nullptr if it defines neither.
  const void* symbol(const char* name) const;
  /// True if the module asks for a library whose file name starts so (DT_NEEDED).
  bool needs(const char* file_start) const;
};

/// Calls visit(name, target, slot) for each function or object that the module takes from
/// elsewhere, with the address that the loader has bound it to and the place where the module keeps
/// that address, until it returns true; true if one did. A function that was not called yet may
/// still be bound to the module's own linkage table; where the module keeps an address in its data,
/// it may have changed it since.
bool each_binding(const Module& module,
                  bool (*visit)(const char* name, const void* target, const void* slot, void*),
                  void* data);

template <typename Visit>
bool each_binding(const Module& module, Visit visit) {
  return each_binding(
      module,
      [](const char* name, const void* target, const void* slot, void* data) {
        return (*static_cast<Visit*>(data))(name, target, slot);
      },
      &visit);
}

/// Calls visit(module) for each loaded object in load order until it returns true; true if one did.
bool each_module(bool (*visit)(const Module&, void*), void* data);

template <typename Visit>
bool each_module(Visit visit) {
  return each_module(
      [](const Module& module, void* data) {
        return (*static_cast<Visit*>(data))(module);
      },
      &visit);
}

/// Whether a loaded object has a path of which is_it(path) holds. Looks at paths alone: in a forked
/// child the first look at each object's headers is a page fault.
bool any_module_path(bool (*is_it)(const char* path, void* data), void* data = nullptr);

/// From now on the loader's lock is not waited for: this process was forked, and a thread that held
/// it is not here.
void assume_loader_lock_is_stuck();

/// The object that holds an address; false if none does (code made at run time).
bool find_module(const void* address, Module& holder);

/// The bytes of a function, and what lies between it and the next one.
struct CodeRange {
  const unsigned char* begin = nullptr;
  const unsigned char* end = nullptr;

  bool holds(const void* address) const { return address >= begin && address < end; }
};

/// The function that holds an address, by the unwinder's table (Linux Standard Base, 10.6.2,
/// .eh_frame_hdr). Empty where that cannot be told.
CodeRange function_at(const void* address);

/// What that table has for the function that holds an address: its entry in .eh_frame; nullptr
/// without one.
const unsigned char* frame_description_at(const void* address);

/// The object's build id (NT_GNU_BUILD_ID) in memory, and its length; nullptr where the linker
/// wrote none.
const unsigned char* build_id(const Module& module, size_t& length);

/// Our own object.
bool is_own(const Module& module);

/// The first object that defines `name`, and its address there; nullptr without one.
const void* find_symbol(const char* name);

/// The function of that name in libc itself, past whatever the program or a sanitizer has put in
/// front of it: the name alone may be theirs. nullptr if libc has none. Takes no lock.
const void* find_in_libc(const char* name);

/// Writes the module's path, for the main program too; at most `size` bytes with the closing zero.
void module_path(const Module& module, char* path, size_t size);

} // namespace detshim
