#include "heap/sites.h"

#include "common/record_schema.h"
#include "common/text.h"
#include "core/base/hash.h"
#include "core/base/modules.h"
#include "core/base/native_frames.h"
#include "core/base/python_frames.h"
#include "heap/search_file.h"

namespace detshim {
namespace {

/// With more, a framework that registers its operators at start has half a million sites; with these alone,
/// what one function of a library allocates for many is one. So a site that was found is told apart by all
/// its frames, and by its line of Python.
constexpr int frames_of_a_site = 4;

/// The names of the sites that this process has seen, by their addresses. Two threads may enter the same one
/// twice, so that it is listed twice: whoever reads the list expects that.
struct Entry {
  uint64_t key;
  uint64_t name; ///< with `is_chosen_bit`, where it is
};
constexpr uint64_t is_chosen_bit = 1; // which no name has
constexpr int table_bits = 18;
constinit Entry entries[1 << table_bits] = {};

thread_local constinit uint64_t allocations = 0;

/// The entry of the key, or an empty one for it; nullptr where there is no room.
Entry* entry_of(uint64_t key) {
  constexpr unsigned farthest = 64;
  const uint64_t begin = spread(key) >> (64 - table_bits);
  for (unsigned i = 0; i < farthest; ++i) {
    Entry& entry = entries[(begin + i) & ((1 << table_bits) - 1)];
    uint64_t found = __atomic_load_n(&entry.key, __ATOMIC_ACQUIRE);
    if (found == 0 &&
        __atomic_compare_exchange_n(&entry.key, &found, key, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      return &entry;
    if (found == key) return &entry;
  }
  return nullptr;
}

/// Tells callers apart in this process.
uint64_t key_of(uint64_t start, const void* caller, const NativeFrames& frames) {
  uint64_t key = mix(start, reinterpret_cast<uintptr_t>(caller));
  for (int i = 0; i < frames.count; ++i) key = mix(key, frames.addresses[i]);
  return key == 0 ? 1 : key;
}

uint64_t known_name(const Entry* entry) {
  return entry == nullptr ? 0 : __atomic_load_n(&entry->name, __ATOMIC_ACQUIRE);
}

/// The file and the offset in it: where an object lies may differ from run to run.
uint64_t mix_call_site(uint64_t name, uintptr_t address, Module& module) {
  const auto* const place = reinterpret_cast<const void*>(address);
  if (!module.holds(place) && !find_module(place, module)) return mix(name, 1);
  return mix(name, fnv1a_text(file_name(module.path)) ^ (address - module.base));
}

uint64_t name_of(const void* caller, const NativeFrames& frames) {
  Module module;
  uint64_t name = mix_call_site(0, reinterpret_cast<uintptr_t>(caller), module);
  for (int i = 0; i < frames.count; ++i) name = mix_call_site(name, frames.addresses[i], module);
  name &= ~is_chosen_bit;
  return name == 0 ? 2 : name;
}

void add_call_site(TextWriter& line, uintptr_t address, const void*& last) {
  Module module;
  if (!find_module(reinterpret_cast<const void*>(address), module)) {
    line.add('?');
    return;
  }
  if (module.dynamic != last) {
    char path[512];
    module_path(module, path, sizeof path);
    line.add_json(path);
  }
  last = module.dynamic;
  line.add("+0x").add_hex(address - module.base);
}

/// As a log's record of a call has it.
void list_call_site(HeapSearch& search, uint64_t name, size_t size, const void* caller,
                    const NativeFrames& frames, const PythonCallSite& python) {
  Text<4096> line;
  constexpr size_t kept_free = 700;
  line.add_hex(name, 16).add(' ').add(uint64_t{size}).add(' ');
  RecordWriter<RecordType::call> record(line);
  record.number("n", 1).text("thread", "0").text("lib", "libc").text("fn", "malloc").text("do", "observe");
  record.begin("at").add('"');
  const void* last = nullptr;
  add_call_site(line, reinterpret_cast<uintptr_t>(caller), last);
  line.add('"');
  record.begin("frames").add('[');
  for (int i = 0; i < frames.count && line.length() + kept_free < 2600; ++i) {
    Module module;
    if (!find_module(reinterpret_cast<const void*>(frames.addresses[i]), module)) break;
    line.add(i == 0 ? "\"" : ",\"");
    add_call_site(line, frames.addresses[i], last);
    line.add('"');
  }
  line.add(']');
  add_python(line, python, 4000);
  record.end().add('\n');
  if (!line.cut()) list_text(search, line.c_str(), line.length());
}

/// What the table is to have of a site that is new.
uint64_t choice_of(const HeapSearch& search, uint64_t name) {
  return chooses(search, name) ? name | is_chosen_bit : name;
}

constinit bool has_python = false;

/// The line of Python. Until there is one, an interpreter is looked for among all loaded objects at the first
/// allocation of each way through the program alone: a way that leads through one is a new way.
void read_python(const void* caller, const NativeFrames& frames, PythonCallSite& python) {
  if (!__atomic_load_n(&has_python, __ATOMIC_RELAXED)) {
    Entry* const entry = entry_of(key_of(0x7079, caller, frames));
    if (entry == nullptr || known_name(entry) != 0) return;
    __atomic_store_n(&entry->name, 1, __ATOMIC_RELEASE);
  }
  read_python_call_site(python);
  if (python.count > 0) __atomic_store_n(&has_python, true, __ATOMIC_RELAXED);
}

/// Whether the one is chosen of the sites of this name, which have other callers further out, that allocates
/// now.
bool is_refined_chosen(HeapSearch& search, uint64_t name, size_t size, const void* caller) {
  NativeFrames frames;
  find_native_frames(caller, frames);
  PythonCallSite python;
  read_python(caller, frames, python);
  const uint64_t refined =
      mix(name, python.count == 0 ? name_of(caller, frames) : python.key()) & ~is_chosen_bit;
  Entry* const entry = entry_of(mix(refined, 0x7265666E));
  uint64_t known = known_name(entry);
  if (known == 0) {
    known = choice_of(search, refined);
    if (entry != nullptr) __atomic_store_n(&entry->name, known, __ATOMIC_RELEASE);
    list_site(search, refined);
    if ((known & is_chosen_bit) != 0) list_call_site(search, refined, size, caller, frames, python);
  }
  return (known & is_chosen_bit) != 0;
}

/// The allocation's number in this thread: among threads the order may be a race.
uint64_t next_number(HeapSearch& search) {
  const uint64_t number = ++allocations;
  uint64_t longest = __atomic_load_n(&search.longest, __ATOMIC_RELAXED);
  while (longest < number && !__atomic_compare_exchange_n(&search.longest, &longest, number, true,
                                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    continue;
  return number;
}

} // namespace

bool is_chosen(HeapSearch& search, const void* caller, size_t size) {
  const uint64_t number = next_number(search);
  if (number < search.first || number > search.last) return false;
  if (search.mask != 0 && !__builtin_parityll(number & search.mask)) return false;
  if (search.sites_are == HeapSites::all_unnamed) return true;
  notice_fork();
  NativeFrames frames;
  find_native_frames(caller, frames, frames_of_a_site);
  Entry* const entry = entry_of(key_of(1, caller, frames));
  uint64_t name = known_name(entry);
  if (name == 0) {
    name = choice_of(search, name_of(caller, frames));
    if (entry == nullptr)
      count_up(search.unlisted);
    else
      __atomic_store_n(&entry->name, name, __ATOMIC_RELEASE);
    if (entry != nullptr && search.refined == 0) list_site(search, name & ~is_chosen_bit);
  }
  if (search.refined == 0) return (name & is_chosen_bit) != 0;
  name &= ~is_chosen_bit;
  return (search.refined == every_heap_site || name == search.refined) &&
         is_refined_chosen(search, name, size, caller);
}

} // namespace detshim
