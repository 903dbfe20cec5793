// The file of recorded tuning: docs/TUNING_FILE.md.
#pragma once

#include "core/base/text_pages.h"

#include <cstdint>

namespace detshim {

/// One search. The texts may hold anything; together they may be 2000 bytes long.
struct TuningProblem {
  const char* device;    ///< its name, as the driver says it
  const char* library;   ///< as hooks call it: "cublaslt"
  const char* version;   ///< of the library
  const char* operation; ///< "matmul"
  const char* problem;   ///< layouts, types, modes
};

/// Bytes of a choice with its closing zero. A choice is of letters, digits, spaces and :=.,_-
inline constexpr size_t tuning_choice_size = 512;

/// The choices of one file, and those that this process appends to it. Not for two threads at once;
/// constant-initialised.
class TuningStore {
public:
  enum class State : uint8_t { fine, missing, unreadable, other_format, damaged };
  enum class Differs : uint8_t { no, device, version };

  static constexpr uint64_t own_format = 2;

  constexpr TuningStore() = default;
  ~TuningStore() = default;
  TuningStore& operator=(TuningStore&&) = delete; // neither copied nor moved

  /// Reads the file. `is_shared`: other processes may be appending, so that the last line may be
  /// unfinished and does not count.
  State read(const char* path, bool is_shared = false);
  /// Where a damaged file is damaged, the error of an unreadable one, and the format of another
  /// one.
  uint64_t line() const { return line_; }
  uint64_t format() const { return format_; }
  bool is_empty() const { return lines_.length() == 0; }

  /// Whether the file holds choices of the problem's library, and all of them were made elsewhere;
  /// copies what the first of them says.
  Differs differs(const TuningProblem& problem, char* there, size_t size) const;

  /// The last choice for the problem.
  bool find(const TuningProblem& problem, char* choice, size_t size) const;

  /// Appends the choice to the file, unless it is the last one for that problem. 0, or a negated
  /// errno: `is_no_choice` where the texts are too long or the choice is not valid, others where
  /// it cannot be written.
  int keep(const TuningProblem& problem, const char* choice, const char* path);
  static constexpr int is_no_choice = -22; // EINVAL

  /// Makes the file where it is missing: 0, or the negated errno with which it cannot be written.
  static int probe(const char* path);

  void clear() { lines_.clear(); }

private:
  TextPages lines_; // each closed by a newline
  uint64_t line_ = 0;
  uint64_t format_ = 0;
};

} // namespace detshim
