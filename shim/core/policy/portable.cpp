#include "core/policy/portable.h"

#include "common/run_agreements.h"
#include "common/run_variable.h"
#include "common/sys.h"
#include "common/version_range.h"
#include "core/base/environment.h"
#include "core/policy/options.h"
#include "core/policy/settings.h"
#include "core/policy/settings_table.h"

namespace detshim {
namespace {

/// A variable, the entry that is set for the oldest processors and for those with AVX2, and values
/// that must be replaced: those that leave the choice to the processor, separated by |.
struct Portable {
  const char* name;
  const char* entry;
  const char* entry_avx2;
  const char* replaced;
};

// Of the oldest processors that the libraries still have code for: SSE4.2 on x86-64. One thread,
// because OpenBLAS and others take no more than there are processors, and the number decides how
// sums are divided. MKL: its code for AVX2 is for the processors of its own maker, and others get
// another one.
constexpr char mkl[] = "MKL_CBWR=COMPATIBLE";
constexpr char one_dnn[] = "ONEDNN_MAX_CPU_ISA=SSE41";
constexpr char aten[] = "ATEN_CPU_CAPABILITY=default";
constexpr char threads[] = "OMP_NUM_THREADS=1";
// What comes after SSE4.2, which newer NumPys are built with, by the names of versions before and
// from 2.4 on. Names that a version does not know are passed over.
constexpr char numpy[] =
    "NPY_DISABLE_CPU_FEATURES=AVX F16C FMA3 AVX2 AVX512F AVX512CD AVX512_SKX AVX512_CLX "
    "AVX512_CNL AVX512_ICL AVX512_SPR X86_V3 X86_V4";
constexpr char numpy_avx2[] =
    "NPY_DISABLE_CPU_FEATURES=AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL "
    "AVX512_ICL AVX512_SPR X86_V4";
#if defined(__x86_64__)
constexpr char openblas[] = "OPENBLAS_CORETYPE=Nehalem";
#else
constexpr char openblas[] = "OPENBLAS_CORETYPE=ARMV8";
#endif

constexpr Portable portables[] = {
    {"MKL_CBWR", mkl, mkl, "AUTO|AUTO,STRICT|BRANCH=AUTO|OFF|BRANCH=OFF"},
    {"ONEDNN_MAX_CPU_ISA", one_dnn, "ONEDNN_MAX_CPU_ISA=AVX2", "DEFAULT|ALL|default|all"},
    {"OPENBLAS_CORETYPE", openblas, "OPENBLAS_CORETYPE=Haswell", ""},
    {"ATEN_CPU_CAPABILITY", aten, "ATEN_CPU_CAPABILITY=avx2", ""},
    {"NPY_DISABLE_CPU_FEATURES", numpy, numpy_avx2, ""},
    {"OMP_NUM_THREADS", threads, threads, ""},
};

// libm's functions with FMA, and libmvec's: glibc chooses them as the loader starts a program,
// which is before any preload. So this reaches the programs that this one starts; `detshim run`
// sets it for the first.
constexpr const char* tunables = "GLIBC_TUNABLES";
static_assert(is_portable_setting(tunables) && [] {
  for (const Portable& portable : portables)
    if (!is_portable_setting(portable.name))
      return false;
  return true;
}());
constexpr const char* hwcaps = "glibc.cpu.hwcaps=";

void set(const char* name, const char* was, const char* entry) {
  note_setting_change({name, was, entry + text_length(name) + 1});
  put_in_environment(const_cast<char*>(entry)); // written to by nobody: setenv makes its own
}

bool is_avx2() { return options().portable == PortableLevel::avx2; }

/// The user's tunables stay in front.
void set_tunables() {
  const char* const was = environment_value(tunables);
  if (setting_is_disabled(tunables) || (was != nullptr && contains(was, hwcaps)))
    return;
  const char* const own = is_avx2() ? portable_hwcaps_avx2 : portable_hwcaps;
  const size_t size = text_length(own) + (was == nullptr ? 0 : text_length(was)) + 64;
  auto* const room = static_cast<char*>(sys::map(size));
  if (room == nullptr)
    return;
  TextWriter entry(room, size);
  entry.add(tunables).add('=');
  if (was != nullptr && *was != 0)
    entry.add(was).add(':');
  entry.add(own).c_str();
  set(tunables, was, room);
}

} // namespace

void apply_portable_settings() {
  if (options().portable == PortableLevel::off || !options().forces())
    return;
  for (const Portable& portable : portables) {
    if (setting_is_disabled(portable.name))
      continue;
    const char* const value = environment_value(portable.name);
    if (value == nullptr || *value == 0 || is_one_of(value, portable.replaced, false))
      set(portable.name, value, is_avx2() ? portable.entry_avx2 : portable.entry);
  }
  if (has_hwcaps)
    set_tunables();
}

} // namespace detshim
