// What the programs and libraries that a log names draw by, around every hook, and what they have
// to do with CUDA's libraries.
#pragma once

#include "log_reader/summary.h"
#include "scanner/scan.h"
#include "verdict/cuda_symbols.h"

#include <set>
#include <string>
#include <vector>

namespace detshim {

struct LoadedCode {
  std::vector<FileScan> uncovered; ///< only files with places that are a gap; the user's own first
  std::size_t own = 0;   ///< so many of them: programs, and libraries that no package brought
  std::size_t files = 0; ///< that were looked at
  std::vector<std::string> missing; ///< named by the log, and not there any more or not readable
  std::set<std::string>
      changed; ///< not what ran, by build id or time: nothing that stands in them counts
  std::vector<FileScan> reading; ///< the user's own files that read around every library
  std::size_t undecoded = 0;
  bool is_decoded = true;        ///< false: no instructions were looked at
  std::vector<CudaSymbols> cuda; ///< only files that have something to do with CUDA's libraries
  std::set<std::string> without_draws; ///< programs that no preload reached, and that draw nothing
  std::set<std::string> binds_now;     ///< files whose references are all bound at the start

  std::size_t own_places() const;
  std::size_t system_places()
      const; ///< in libraries that packages brought, which hold much that a program never reaches

  /// True if the call, of the action `uncovered`, executed nothing but programs that draw nothing.
  bool is_harmless(const SymbolSummary& symbol) const;
};

/// Whose instructions are decoded. What packages brought holds much that a program never reaches,
/// and a gigabyte of it takes seconds, so that a verdict does without.
enum class Decode { nothing, own_code, everything };

/// Looks into all files that `log` names: programs, loaded modules, and where calls came from,
/// which is all that a killed process leaves. At the symbols of each, and at the instructions of
/// those that `decode` says.
LoadedCode scan_loaded_code(const Log& log, const Summary& summary, Decode decode);

} // namespace detshim
