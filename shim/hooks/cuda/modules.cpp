// Code for the GPU that a program hands to the driver: by NVRTC, nvJitLink, Triton, CuPy, Numba,
// JAX, or out of a file of its own. What is loaded is kept, since no file that the log names holds
// it.
//
// Symbols: cuda.h of CUDA 13.0, cuda_runtime_api.h of 12.8 on. A fat binary's header:
// tools/gpu_code/README.md.
#include "common/sys.h"
#include "common/text.h"
#include "core/base/hash.h"
#include "core/base/signal_safe_lock.h"
#include "core/log/log_file.h"
#include "hooks/cuda/driver.h"
#include "loader/infrastructure.h"

#include <elf.h>

namespace detshim {
namespace {

using namespace abi;

struct FatHeader {
  uint32_t magic;
  uint16_t version, header_size;
  uint64_t size;
};
constexpr uint32_t wrapper_magic = 0x466243B1, fat_magic = 0xBA55ED50;

/// Writes the bytes to `kernels/` in the log's folder, under their hash, unless they are there,
/// whole or not at all: a kernel whose code is nowhere counts as unknown.
void keep_code(const void* bytes, size_t size) {
  constexpr size_t largest = size_t{64} << 20; // a library's, which brings its code in a file
  if (size == 0 || size > largest)
    return;
  Text<32> name;
  name.add("kernels/").add_hex(fnv1a(bytes, size));
  SignalSafeLock guard(log_file::lock);
  if (!guard.held())
    return;
  const int folder = log_file::open_folder(true);
  if (folder < 0)
    return;
  sys::call(SYS_mkdirat, folder, sys::address("kernels"), 0700);
  constexpr int make = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  if (const int fd = sys::openat(folder, name.c_str(), make, 0600); fd >= 0) {
    const bool is_whole =
        sys::may_grow_to(size) && sys::write(fd, bytes, size) == static_cast<long>(size);
    sys::close(fd);
    if (!is_whole)
      sys::call(SYS_unlinkat, folder, sys::address(name.c_str()), 0);
  }
  sys::close(folder);
}

size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/// The driver has read it: what its tables name is there.
size_t elf_size(const unsigned char* code) {
  const auto& header = *reinterpret_cast<const Elf64_Ehdr*>(code);
  size_t end = larger(header.e_shoff + size_t{header.e_shnum} * header.e_shentsize,
                      header.e_phoff + size_t{header.e_phnum} * header.e_phentsize);
  const auto* const sections = reinterpret_cast<const Elf64_Shdr*>(code + header.e_shoff);
  for (int i = 0; i < header.e_shnum; ++i)
    if (sections[i].sh_type != SHT_NOBITS)
      end = larger(end, sections[i].sh_offset + sections[i].sh_size);
  return end;
}

void keep(const void* code) {
  if (code == nullptr)
    return;
  uint32_t magic = 0;
  __builtin_memcpy(&magic, code, sizeof magic);
  if (magic == wrapper_magic) {
    code = static_cast<const void* const*>(code)[1]; // fatbinary_section.h: magic, version, data
    __builtin_memcpy(&magic, code, sizeof magic);
  }
  if (magic == fat_magic) {
    Module module;
    const auto* const header = static_cast<const FatHeader*>(code);
    // In a file it is in a section of its own, where the command finds it.
    if (!find_module(code, module))
      keep_code(code, header->header_size + header->size);
  } else if (__builtin_memcmp(&magic, ELFMAG, SELFMAG) == 0) {
    keep_code(code, elf_size(static_cast<const unsigned char*>(code)));
  } else {
    keep_code(code, text_length(static_cast<const char*>(code))); // PTX
  }
}

template <typename Call, typename Handle, typename... Arguments>
auto load_code(const Call& call, Handle handle, const void* code, Arguments... arguments) {
  const auto status = call.real(handle, code, arguments...);
  if (call.passes() || status != decltype(status)::success || is_of_infrastructure(call.caller()))
    return status;
  call.record(Action::observe, Reason::launched, {}); // a log has begun: its folder is a run's
  keep(code);
  return status;
}

template <typename Call, typename Handle, typename... Arguments>
auto load_file(const Call& call, Handle handle, const char* path, Arguments... arguments) {
  const auto status = call.real(handle, path, arguments...);
  if (call.passes() || status != decltype(status)::success)
    return status;
  call.record(Action::observe, Reason::launched, {});
  const int fd = sys::openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  struct stat state;
  if (fd < 0)
    return status;
  if (sys::fstat(fd, state) == 0 && state.st_size > 0) {
    const auto size = static_cast<size_t>(state.st_size);
    const long at = sys::call(SYS_mmap, 0, static_cast<long>(size), PROT_READ, MAP_PRIVATE, fd, 0);
    if (!sys::failed(at)) {
      auto* const bytes = reinterpret_cast<void*>(static_cast<uintptr_t>(at));
      keep_code(bytes, size);
      sys::unmap(bytes, size);
    }
  }
  sys::close(fd);
  return status;
}

constexpr Description keeps = {
    .action = Action::observe,
    .summary = "Keeps the code beside the log, for the verdict on its kernels.",
};
using LoadModule = CudaCall<CUresult(CUmodule* module, const void* code)>;
using LoadModuleWithOptions =
    CudaCall<CUresult(CUmodule* module, const void* code, unsigned, Word, Word)>;
using LoadModuleFile = CudaCall<CUresult(CUmodule* module, const char* path)>;
template <typename Status, typename Code>
using LoadLibrary =
    CudaCall<Status(CUlibrary* library, Code code, Word, Word, unsigned, Word, Word, unsigned)>;

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(cuda, LoadModule, cuModuleLoadData, load_code, keeps);
DETSHIM_TEMPLATE_HOOK(cuda, LoadModule, cuModuleLoadFatBinary, load_code, keeps);
DETSHIM_TEMPLATE_HOOK(cuda, LoadModuleWithOptions, cuModuleLoadDataEx, load_code, keeps);
using LibraryOfDriver = LoadLibrary<CUresult, const void*>;
DETSHIM_TEMPLATE_HOOK(cuda, LibraryOfDriver, cuLibraryLoadData, load_code, keeps);
using LibraryOfRuntime = LoadLibrary<cudaError, const void*>;
DETSHIM_TEMPLATE_HOOK(cudart, LibraryOfRuntime, cudaLibraryLoadData, load_code, keeps);
DETSHIM_TEMPLATE_HOOK(cuda, LoadModuleFile, cuModuleLoad, load_file, keeps);
using LibraryFileOfDriver = LoadLibrary<CUresult, const char*>;
DETSHIM_TEMPLATE_HOOK(cuda, LibraryFileOfDriver, cuLibraryLoadFromFile, load_file, keeps);
