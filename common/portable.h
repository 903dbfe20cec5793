// What `detshim run` sets for the first program of a run, and the library for those that it starts.
#pragma once

namespace detshim {

/// glibc's tunable by which it takes none of the code that it has for newer processors; the names are those
/// of glibc 2.33 and later, and of 2.26 to 2.32. Unknown ones are passed over.
inline constexpr const char* portable_hwcaps =
    "glibc.cpu.hwcaps=-AVX,-AVX2,-FMA,-FMA4,-AVX512F,-AVX512VL,-AVX512DQ,-AVX512BW,-AVX_Usable,-AVX2_Usable,"
    "-FMA_Usable,-FMA4_Usable,-AVX512F_Usable";

/// The same for the level avx2: none of the code for AVX-512, nor that for AMD's FMA4.
inline constexpr const char* portable_hwcaps_avx2 =
    "glibc.cpu.hwcaps=-FMA4,-AVX512F,-AVX512VL,-AVX512DQ,-AVX512BW,-FMA4_Usable,-AVX512F_Usable";

/// Whether glibc has that tunable here.
#if defined(__x86_64__)
inline constexpr bool has_hwcaps = true;
#else
inline constexpr bool has_hwcaps = false;
#endif

} // namespace detshim
