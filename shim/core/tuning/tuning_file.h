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

/// The choices of one file. Not for two threads at once; constant-initialised.
class TuningStore {
public:
  enum class State : uint8_t { fine, missing, unreadable, other_format, damaged };
  enum class Differs : uint8_t { no, device, version };

  static constexpr uint64_t own_format = 1;

  constexpr TuningStore() = default;
  ~TuningStore() = default;
  TuningStore(const TuningStore&) = delete;
  TuningStore& operator=(const TuningStore&) = delete;

  /// Reads the file; what waits to be written stays.
  State read(const char* path);
  /// Where a damaged file is damaged, and the format of another one.
  uint64_t line() const { return line_; }
  uint64_t format() const { return format_; }

  /// Whether the file holds choices of the problem's library, and all of them were made elsewhere; copies
  /// what the first of them says.
  Differs differs(const TuningProblem& problem, char* there, size_t size) const;

  bool find(const TuningProblem& problem, char* choice, size_t size) const;
  /// False where the texts are too long, the choice is none, or there is no memory.
  bool keep(const TuningProblem& problem, const char* choice);
  bool has_unwritten() const { return unwritten_.length() != 0; }
  void forget_unwritten() { unwritten_.clear(); }

  /// Writes what waits into the file as it is by then, so that several processes lose nothing. 0, or a
  /// negated errno; then the file is as it was, and what waits goes on waiting.
  int write(const char* path);

  /// Whether the file could be written: 0, or a negated errno; `busy` where another process writes just now.
  static int probe(const char* path);
  static constexpr int busy = -11; // EAGAIN

  void clear();

private:
  TextPages known_;     // the file's entries, in order, each line closed by a newline, without commas
  TextPages unwritten_; // the same, of this process
  uint64_t line_ = 0;
  uint64_t format_ = 0;
};

} // namespace detshim
