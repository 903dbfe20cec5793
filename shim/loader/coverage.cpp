// Decides, as the process ends, which functions of CUDA's libraries were reached around the hooks:
// by where the references of each loaded object are bound by then, by hooks in front of another
// object's function, and by names that were looked up. A reference that is bound to the object's
// own linkage table does not count: it was not called. Nor do calls between the parts of one
// library.
//
// It cannot know whether a bound function was called, nor what an object was bound to that is
// unloaded by then.
#include "loader/coverage.h"
#include "loader/real.h"

#include "common/cuda_libraries.h"
#include "common/record_schema.h"
#include "common/sys.h"
#include "common/text.h"
#include "core/base/hook_table.h"
#include "core/base/modules.h"
#include "core/base/signal_safe_lock.h"
#include "core/log/records.h"
#include "core/policy/options.h"

namespace detshim {
namespace {

/// Hooked functions of one library that one object reaches around the hooks.
struct Bypass {
  const Hook* hook; ///< the first of them by name: the linker's order says nothing
  const void* slot; ///< where the object keeps the function's address; or the function itself
  const void* target;
  unsigned others;
};

/// Functions without a hook, and who asks for them: of each the library's row plus one, the
/// function's name and the object's path, both closed by a zero. In pages of the kernel, of which
/// those that are not written cost nothing.
struct Unhooked {
  char text[1 << 20];
  size_t length;
  char line[4096];

  /// False where there is no room.
  bool add(int library, const char* function, const char* object) {
    const size_t function_size = text_length(function) + 1, object_size = text_length(object) + 1;
    if (sizeof text - length < 1 + function_size + object_size)
      return false;
    text[length] = static_cast<char>(library + 1);
    __builtin_memcpy(text + length + 1, function, function_size);
    __builtin_memcpy(text + length + 1 + function_size, object, object_size);
    length += 1 + function_size + object_size;
    return true;
  }

  /// Calls visit(library, function, object) for each, until it returns true.
  template <typename Visit>
  bool each(Visit visit) const {
    for (const char* at = text; at != text + length;) {
      const char* const object = at + text_length(at) + 1;
      if (visit(*at - 1, at + 1, object))
        return true;
      at = object + text_length(object) + 1;
    }
    return false;
  }

  void record(const char* how);
};

/// What is found under the loader's lock, to be recorded without it: another thread may take that
/// lock and the log's in the other order. In pages of the kernel, of which those that are not
/// written cost nothing.
struct Findings {
  static constexpr int most = 256; ///< as many objects as this, with a library each
  Bypass bypasses[most];
  int count;
  struct {
    char files[3000]; ///< the paths, each closed by a zero
    size_t length;
    int left_out; ///< paths for which there was no room
    bool is_loaded;
  } libraries[cuda_library_count];
  bool defined[4096]; ///< by the row of the hook
  char line[4096];
  Unhooked unhooked;

  Bypass* add(const Bypass& bypass) {
    if (count == most)
      return nullptr;
    bypasses[count] = bypass;
    return &bypasses[count++];
  }
};

class FindingsInPages {
public:
  FindingsInPages() : findings_(static_cast<Findings*>(sys::map(sizeof(Findings)))) {}
  ~FindingsInPages() {
    if (findings_ != nullptr)
      sys::unmap(findings_, sizeof(Findings));
  }
  FindingsInPages& operator=(FindingsInPages&&) = delete; // neither copied nor moved
  Findings* get() { return findings_; }

private:
  Findings* findings_;
};

bool comes_before(const char* a, const char* b) {
  while (*a != 0 && *a == *b)
    ++a, ++b;
  return *a < *b;
}

/// The row of the CUDA library that an object of that path is (a part of), or -1.
int library_of(const char* path) {
  const char* file = file_name(path);
  for (int i = 0; i < cuda_library_count; ++i)
    if (is_file_of(cuda_libraries[i], file))
      return i;
  return -1;
}

int library_named(const char* name) {
  for (int i = 0; i < cuda_library_count; ++i)
    if (same_text(cuda_libraries[i].name, name))
      return i;
  return -1;
}

/// Calls around the hooks of the runtime do not count: it reaches the driver by lookups, which are
/// answered. Those of the driver have something to do only where the user asked for it.
bool matters(int library) {
  const char* name = cuda_libraries[library].name;
  if (same_text(name, "cudart"))
    return false;
  return !same_text(name, "cuda") || options().fill != Fill::off || options().fingerprint;
}

/// The hook of a CUDA library of that name, unless it is switched off.
Hook* cuda_hook(const char* name, int& library) {
  bool may_be = false;
  for (const char* start : {"cu", "nccl", "pnccl", "__cu"})
    may_be |= starts_with(name, start);
  Hook* hook = may_be ? find_hook(name) : nullptr;
  if (hook == nullptr || hook->disabled)
    return nullptr;
  if (hook->info().action == Action::none && !options().fingerprint_calls)
    return nullptr; // it would do nothing
  library = library_named(hook->info().library);
  return library >= 0 && matters(library) ? hook : nullptr;
}

/// The row of the CUDA library that a function of that name belongs to, or -1; -1 for the runtime
/// and the driver, whose functions are not listed.
int library_of_function(const char* name) {
  int row = -1;
  size_t longest = 0;
  for (int i = 0; i < cuda_library_count; ++i) {
    const size_t length = text_length(cuda_libraries[i].prefix);
    if (length > longest && starts_with(name + (*name == 'p' ? 1 : 0), cuda_libraries[i].prefix))
      row = i, longest = length;
  }
  const bool is_listed = row >= 0 && !same_text(cuda_libraries[row].name, "cudart") &&
                         !same_text(cuda_libraries[row].name, "cuda");
  return is_listed ? row : -1;
}

/// The object's references to functions of CUDA's libraries that have no hook. One that is bound
/// when it is first called is bound to the object's own linkage table until then, and does not
/// count.
void find_unhooked(const Module& module, Unhooked& unhooked) {
  if (library_of(module.path) >= 0)
    return; // they call each other, and the hooked call outside counts
  char object[1024];
  module_path(module, object, sizeof object);
  each_binding(module, [&](const char* name, const void* target, const void*) {
    const int library = library_of_function(name);
    if (library < 0 || target == nullptr || module.holds(target) || find_hook(name) != nullptr)
      return false;
    Module of;
    if (!find_module(target, of) || library_of(of.path) != library)
      return false;
    return !unhooked.add(library, name, object);
  });
}

/// The object's references to hooked functions that are bound to something else than the hook.
void find_bypasses(const Module& module, Findings& findings) {
  const int own_library = library_of(module.path);
  Bypass* known[cuda_library_count] = {};
  each_binding(module, [&](const char* name, const void* target, const void* slot) {
    int library = -1;
    const Hook* hook = cuda_hook(name, library);
    // A library's parts call each other as they like.
    if (hook == nullptr || library == own_library || target == hook->wrapper())
      return false;
    Module at;
    // Its own linkage table: not called yet. Another's (which does not define the name): it goes on
    // from there.
    if (target == nullptr || module.holds(target) || !find_module(target, at) || is_own(at) ||
        at.symbol(name) != target)
      return false;
    Bypass* const bypass = known[library];
    if (bypass == nullptr)
      known[library] = findings.add({hook, slot, target, 0});
    else if (comes_before(name, bypass->hook->info().name))
      *bypass = {hook, slot, target, bypass->others + 1};
    else if (bypass->hook != hook) // one name may have several places
      ++bypass->others;
    return false;
  });
}

void find_library_files(const Module& module, int library, Findings& findings) {
  auto& of_library = findings.libraries[library];
  of_library.is_loaded = true;
  const size_t length = text_length(module.path) + 1;
  if (sizeof of_library.files - of_library.length < length)
    ++of_library.left_out;
  else
    __builtin_memcpy(of_library.files + of_library.length, module.path, length),
        of_library.length += length;
  int row = 0;
  for (const Hook& hook : HookTable{}) {
    if (same_text(hook.info().library, cuda_libraries[library].name) && !findings.defined[row])
      findings.defined[row] = module.symbol(hook.info().name) != nullptr;
    ++row;
  }
}

constexpr char fields[4][20] = {"function_of", "others"};

void record_bypass(const Bypass& bypass, Reason why) {
  Module at;
  if (!find_module(bypass.target, at))
    return;
  record({bypass.hook->info().library, bypass.hook->info().name, fields}, Action::uncovered,
         bypass.slot, why, {at.path[0] != 0 ? at.path : "(the program)", bypass.others});
}

/// Calls that reached a hook and were handed on untouched, because the function behind it is not
/// the library's: a copy that is linked into something else.
void record_shadowed() {
  if (!has_shadowed())
    return;
  for (const Hook& hook : HookTable{}) {
    if (hook.state != Hook::State::shadowed || hook.disabled)
      continue;
    const int library = library_named(hook.info().library);
    if (library < 0 || !matters(library))
      continue;
    record_bypass({&hook, hook.real, hook.real, 0}, Reason::not_the_library);
  }
}

void record_coverage_of(int library, Findings& findings) {
  const auto& of_library = findings.libraries[library];
  constexpr size_t line_is_long = 3900;
  TextWriter line(findings.line, sizeof findings.line);
  RecordWriter<RecordType::coverage> record(line);
  record.text("lib", cuda_libraries[library].name).begin("files").add('[');
  for (const char* path = of_library.files; path != of_library.files + of_library.length;
       path += text_length(path) + 1) {
    if (path != of_library.files)
      line.add(',');
    line.add('"').add_json(path, 3000).add('"');
  }
  line.add(']');
  if (of_library.left_out != 0)
    record.number("files_left_out", static_cast<uint64_t>(of_library.left_out));
  uint64_t defined = 0;
  int row = 0;
  record.begin("missing").add('[');
  bool is_first = true;
  for (const Hook& hook : HookTable{}) {
    const bool is_defined = findings.defined[row++];
    if (!same_text(hook.info().library, cuda_libraries[library].name))
      continue;
    if (is_defined) {
      ++defined;
      continue;
    }
    if (line.length() + text_length(hook.info().name) > line_is_long)
      continue;
    line.add(is_first ? "\"" : ",\"").add(hook.info().name).add('"');
    is_first = false;
  }
  line.add(']');
  record.number("hooks", defined).end();
  record_line(line.c_str(), line.length());
}

/// Writes `bound` records: of each library one for those that stand together and have the object in
/// common.
void Unhooked::record(const char* how) {
  constexpr size_t line_is_long = 3800;
  for (int row = 0; row < cuda_library_count; ++row) {
    TextWriter text_of(line, sizeof line);
    const char* last_object = nullptr;
    const auto finish = [&] {
      if (last_object == nullptr)
        return;
      text_of.add("]}");
      record_line(text_of.c_str(), text_of.length());
    };
    each([&](int library, const char* function, const char* object) {
      if (library != row)
        return false;
      const bool goes_on = last_object != nullptr && same_text(object, last_object) &&
                           text_of.length() < line_is_long;
      if (!goes_on) {
        finish();
        text_of.shorten(0);
        RecordWriter<RecordType::bound> record(text_of);
        record.text("lib", cuda_libraries[library].name).text("by", object, 1024).text("how", how);
        record.begin("functions").add('[');
      }
      text_of.add(goes_on ? ",\"" : "\"").add_json(function, 128).add('"');
      last_object = object;
      return false;
    });
    finish();
  }
}

/// Lookups: a program that makes none costs nothing.
struct Lookups {
  uint64_t lock = 0;
  Unhooked* made = nullptr;
};
constinit Lookups lookups;

void record_lookups() {
  if (lookups.made == nullptr)
    return;
  SignalSafeLock guard(lookups.lock);
  if (guard.held())
    lookups.made->record("lookup");
}

} // namespace

void note_lookup(const char* name, const void* caller) {
  const int library = library_of_function(name);
  Module by;
  if (library < 0 || options().off() || !find_module(caller, by) || library_of(by.path) >= 0)
    return;
  char object[1024];
  module_path(by, object, sizeof object);
  SignalSafeLock guard(lookups.lock);
  if (!guard.held())
    return;
  if (lookups.made == nullptr)
    lookups.made = static_cast<Unhooked*>(sys::map(sizeof(Unhooked)));
  const auto is_known = [&](int, const char* other, const char* asking) {
    return same_text(other, name) && same_text(asking, object);
  };
  if (lookups.made != nullptr && !lookups.made->each(is_known))
    lookups.made->add(library, name, object);
}

void record_coverage() {
  record_shadowed();
  if (has_log())
    record_lookups();
  if (!any_module_path([](const char* path, void*) {
        return library_of(path) >= 0;
      }))
    return;
  FindingsInPages pages;
  Findings* findings = pages.get();
  if (findings == nullptr ||
      HookTable{}.end() - HookTable{}.begin() > static_cast<long>(sizeof findings->defined))
    return;
  {
    const sys::SignalsBlocked
        no_signals; // a handler that left by longjmp would leave the loader locked
    each_module([&](const Module& module) {
      if (is_own(module))
        return false;
      if (const int library = library_of(module.path); library >= 0)
        find_library_files(module, library, *findings);
      find_bypasses(module, *findings);
      find_unhooked(module, findings->unhooked);
      return false;
    });
  }
  for (int i = 0; i < findings->count; ++i)
    record_bypass(findings->bypasses[i], Reason::bound_past_hook);
  if (!has_log())
    return;
  for (int i = 0; i < cuda_library_count; ++i)
    if (findings->libraries[i].is_loaded)
      record_coverage_of(i, *findings);
  findings->unhooked.record("linked");
}

} // namespace detshim
