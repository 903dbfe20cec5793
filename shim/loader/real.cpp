// Decides which definition is the function behind a hook, by load order and by the names of files.
// Behind this library the next definition counts for libc and its like; for CUDA's libraries and
// frameworks the first one of a file with the library's name. Another library's definition makes
// the hook shadowed, and a sanitizer's is as good as libc's.
//
// It cannot know whether a file that is named like a library is that library.
#include "loader/real.h"

#include "common/cuda_libraries.h"
#include "common/text.h"
#include "core/base/placement.h"

#include <initializer_list>

namespace detshim {
namespace {

/// How the objects of a library are called on disk, whatever the version. A new library adds a row,
/// one of CUDA's in common/cuda_libraries.h.
struct Library {
  char name[12];
  char file_starts[6][24];
  /// True: take the next definition in load order, whoever's it is. False: look for the library's
  /// own first, because frameworks define stubs under its names.
  bool next_in_order;
  int cuda = -1; ///< of cuda_libraries, which says the files of one of CUDA's
};
constexpr Library other_libraries[] = {
    // libbsd has an arc4random of its own. Before glibc 2.34 what is libc.so alone today was in
    // several files.
    {"libc", {"libc.so", "libbsd.so", "libpthread.so", "librt.so", "libdl.so", "libutil.so"}, true},
    {"libstdcxx", {"libstdc++.so"}, true},
    {"libcxx", {"libc++.so"}, true},
    {"libuuid", {"libuuid"}, true},
    {"libR", {"libR.so"}, true},
    {"openssl", {"libcrypto"}, true},
    // A profiler stands in front with functions of the same names that hand on to it.
    {"mpi", {"libmpi"}, true},
    {"tensorflow", {"libtensorflow_framework"}, false},
    {"mindspore", {"libmindspore_core"}, false},
    {"tensorrt", {"libnvinfer"}, false},
    {"cusparselt", {"libcusparseLt"}, false},
    {"torch", {"libtorch", "libc10"}, false}, // torch_npu's is libtorch_npu.so
    {"onemkl", {"libmkl_sycl"}, false},
    {"lightgbm", {"lib_lightgbm"}, false},
    {"xgboost", {"libxgboost"}, false},
    {"openmp", {"libgomp", "libomp", "libiomp5", "libnvomp"}, false},
};
constexpr int other_library_count = sizeof other_libraries / sizeof other_libraries[0];

struct Libraries {
  Library rows[other_library_count + cuda_library_count] = {};
  constexpr Libraries() {
    Library* row = rows;
    for (const Library& library : other_libraries)
      *row++ = library;
    for (int i = 0; i < cuda_library_count; ++i, ++row) {
      for (size_t k = 0; k < sizeof row->name; ++k)
        row->name[k] = cuda_libraries[i].name[k];
      row->cuda = i;
    }
  }
};
constexpr Libraries libraries;

/// Sanitizers stand in front of libc with functions of the same names that hand on to it: they are
/// as good as libc's.
bool is_sanitizer(const Module& module) {
  for (const char* start :
       {"libasan.so", "libtsan.so", "libubsan.so", "liblsan.so", "libhwasan.so", "libclang_rt."})
    if (starts_with(file_name(module.path), start))
      return true;
  return false;
}

const Library* find_library(const char* name) {
  for (const Library& library : libraries.rows)
    if (same_text(library.name, name))
      return &library;
  return nullptr;
}

bool is_of(const Module& module, const Library& library) {
  if (library.cuda >= 0)
    return is_file_of(cuda_libraries[library.cuda], file_name(module.path));
  for (const char* start : library.file_starts)
    if (*start != 0 && starts_with(file_name(module.path), start))
      return true;
  return false;
}

bool same_folder(const char* a, const char* b) {
  const auto length_a = file_name(a) - a;
  const auto length_b = file_name(b) - b;
  if (length_a != length_b)
    return false;
  for (long i = 0; i < length_a; ++i)
    if (a[i] != b[i])
      return false;
  return true;
}

void publish(Hook& hook, const void* real, Hook::State state) {
  __atomic_store_n(&hook.real, real, __ATOMIC_RELEASE);
  __atomic_store(&hook.state, &state, __ATOMIC_RELEASE);
}

DETSHIM_STARTUP_DATA constinit bool shadowed_seen = false;

/// The definitions of a name that come behind us in load order.
class Definitions {
public:
  Definitions(const char* name, const Library* library)
      : name_(name), library_(library), takes_next_(library != nullptr && library->next_in_order) {}

  /// To be called with each object in load order, until it returns true: no further one counts.
  bool add(const Module& module) {
    if (is_own(module)) {
      is_behind_us_ = true;
      return false;
    }
    // The main program's own definition is never reached through us.
    const void* const address = is_behind_us_ ? module.symbol(name_) : nullptr;
    if (address == nullptr)
      return false;
    const bool is_of_library =
        library_ != nullptr && (is_of(module, *library_) || is_sanitizer(module));
    if (next_ == nullptr) {
      next_ = address;
      next_is_own_ = is_of_library;
    }
    if (is_of_library)
      own_ = address;
    return own_ != nullptr || takes_next_;
  }

  Hook::State state() const {
    if (own_ != nullptr && (next_is_own_ || !takes_next_))
      return Hook::State::hooked;
    return next_ != nullptr ? Hook::State::shadowed : Hook::State::missing;
  }
  /// The library's own definition, or else another library's.
  const void* real() const { return state() == Hook::State::hooked ? own_ : next_; }

private:
  const char* name_;
  const Library* library_;
  bool takes_next_; ///< the next definition counts, whoever's it is
  const void* own_ = nullptr;
  const void* next_ = nullptr;
  bool next_is_own_ = false;
  bool is_behind_us_ = false;
};

} // namespace

bool has_shadowed() { return __atomic_load_n(&shadowed_seen, __ATOMIC_RELAXED); }

bool is_of_library(const Module& module, const char* library) {
  const Library* row = find_library(library);
  return row != nullptr && is_of(module, *row);
}

void find_real(Hook& hook) {
  const Library* const library = find_library(hook.info().library);
  if (library != nullptr)
    hook.cuda_library = static_cast<uint8_t>(library->cuda + 1);
  Definitions definitions(hook.info().name, library);
  each_module([&](const Module& module) {
    return definitions.add(module);
  });
  publish(hook, definitions.real(), definitions.state());
  if (definitions.state() == Hook::State::shadowed)
    __atomic_store_n(&shadowed_seen, true, __ATOMIC_RELAXED);
}

Found adopt_real(Hook& hook, const void* function) {
  Module module;
  if (!find_module(function, module) || !is_of_library(module, hook.info().library))
    return Found::shadowed;
  if (hook.state != Hook::State::hooked)
    find_real(hook);
  if (hook.state != Hook::State::hooked) {
    publish(hook, function, Hook::State::hooked);
    return Found::fronted;
  }
  if (hook.real == function)
    return Found::fronted;
  // Two objects of one installation (libcudnn.so.9 and its libcudnn_graph.so.9) serve the same
  // handles.
  Module known;
  return find_module(hook.real, known) && same_folder(known.path, module.path) ? Found::fronted
                                                                               : Found::second_copy;
}

void forget_unloaded() {
  for (Hook& hook : HookTable{}) {
    const Library* library = find_library(hook.info().library);
    if (hook.real == nullptr || (library != nullptr && library->next_in_order))
      continue; // those stay loaded
    // Another object may lie at the address by now.
    Module module;
    if (find_module(hook.real, module) && module.symbol(hook.info().name) == hook.real)
      continue;
    publish(hook, nullptr, Hook::State::unknown);
  }
}

const void* find_sibling(const Hook& hook, const char* name) {
  Module module;
  return find_module(hook.real, module) ? module.symbol(name) : nullptr;
}

} // namespace detshim
