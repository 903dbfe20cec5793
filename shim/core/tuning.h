// Recorded tuning, DETSHIM_AUTOTUNE=record:FILE and replay:FILE: what a program chose among timed candidates,
// kept in a file for later runs. Format of FILE: docs/TUNING_FILE.md.
//
// How a hook of a search (cublasLtMatmulAlgoGetHeuristic, a cudnnFind*, a list of engine configs) uses it:
//
//   switch (autotune()) {
//   case Autotune::off:    hand on, record `unfixed`: the program times them
//   case Autotune::first:  give one candidate, the library's first
//   case Autotune::replay: if (find_tuning(problem, choice, sizeof choice)) give the candidate that `choice`
//                          names, found again in the library's own list; else, or without one, as `first`
//   case Autotune::record: hand the whole list on; where the program then executes one of its candidates,
//                          keep_tuning(problem, choice): of several the last stays
//   }
//
// A problem is everything that the choice may depend on, and nothing that differs between two runs: no
// address, no time. A choice is whatever names the candidate in the library's list, in any order of the list.
// Neither function draws, and both are for slow paths: they take a lock and look through the file's text.
#pragma once

#include "core/options.h"

#include <cstddef>
#include <cstdint>

namespace detshim {

/// What becomes of searches here: options().autotune, where the mode forces algorithms. In the others a
/// program's search is left to it, and its choices may still be recorded.
Autotune autotune();

/// One search. The texts may hold anything; together they may be 2000 bytes long.
struct TuningProblem {
  const char* device;    ///< its name, as the driver says it
  const char* library;   ///< as hooks call it: "cublaslt"
  const char* version;   ///< of the library
  const char* operation; ///< "matmul"
  const char* shape;     ///< layouts, types, modes
};

/// Bytes of a choice with its closing zero. A choice is of letters, digits, spaces and :=.,_-
inline constexpr size_t tuning_choice_size = 512;

/// Copies the kept choice for a problem; false if there is none. The first call of a process reads FILE, and
/// ends the process with one line on stderr and status 2 if FILE is missing (replay), damaged or of another
/// format; so does the first call for a library whose choices in FILE are all from other devices or versions.
bool find_tuning(const TuningProblem& problem, char* choice, size_t size);

/// Keeps a choice, instead of an earlier one for the same problem. It reaches FILE half a second later at the
/// earliest, by the next keep_tuning() or flush_tuning_if_due(), and at the end of the process: a program
/// that tries its candidates in turn is not held up by a write at each. Reads FILE first as find_tuning().
/// False where it cannot be kept: the device or the version is not known, the texts are too long, no memory.
bool keep_tuning(const TuningProblem& problem, const char* choice);

/// Writes what waits if it has waited for long enough. Cheap where nothing waits.
void flush_tuning_if_due();

/// Writes what waits. When a process ends.
void flush_tuning();

/// Text in pages of the kernel, as long as there is memory.
class TextPages {
public:
  constexpr TextPages() = default;
  ~TextPages() = default; // what is static stays; others call clear()
  TextPages(const TextPages&) = delete;
  TextPages& operator=(const TextPages&) = delete;

  /// Makes room for `length` bytes in all; false without memory.
  bool reserve(size_t length);
  bool insert(size_t at, const char* text, size_t length);
  bool add(const char* text, size_t length) { return insert(length_, text, length); }
  void remove(size_t at, size_t length);
  void clear();
  void swap(TextPages& other);

  char* data() { return data_; }
  const char* data() const { return data_; }
  size_t length() const { return length_; }
  /// After writing into what was reserved.
  void set_length(size_t length) { length_ = length; }

private:
  char* data_ = nullptr;
  size_t length_ = 0;
  size_t capacity_ = 0;
};

/// The choices of one file. Not for two threads at once; constant-initialised.
class TuningStore {
public:
  enum class State : uint8_t { fine, missing, unreadable, other_format, damaged };
  enum class Differs : uint8_t { no, device, version };

  constexpr TuningStore() = default;
  ~TuningStore() = default;
  TuningStore(const TuningStore&) = delete;
  TuningStore& operator=(const TuningStore&) = delete;

  /// Reads the file; what waits to be written stays.
  State read(const char* path);
  /// Where a damaged file is damaged, and the format of another one.
  uint64_t line() const { return line_; }
  uint64_t format() const { return format_; }

  /// Whether the file holds choices of the problem's library, and all of them were made elsewhere; copies what
  /// the first of them says.
  Differs differs(const TuningProblem& problem, char* there, size_t size) const;

  bool find(const TuningProblem& problem, char* choice, size_t size) const;
  /// False where the texts are too long, the choice is none, or there is no memory.
  bool keep(const TuningProblem& problem, const char* choice);
  bool has_unwritten() const { return unwritten_.length() != 0; }
  void forget_unwritten() { unwritten_.clear(); }

  /// Writes what waits into the file as it is by then, so that several processes lose nothing. 0, or a
  /// negated errno; then the file is as it was, and what waits goes on waiting.
  int write(const char* path);

  void clear();

private:
  TextPages known_;     // the file's entries, in order, each line closed by a newline, without commas
  TextPages unwritten_; // the same, of this process
  uint64_t line_ = 0;
  uint64_t format_ = 0;
};

} // namespace detshim
