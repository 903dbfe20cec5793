// The Python line that led to a call, in a process that runs Python.
#pragma once

#include "common/text.h"
#include "core/base/modules.h"

#include <cstddef>
#include <cstdint>

namespace detshim {

/// One line of Python code. The texts belong to the interpreter and hold until the frame is left.
struct PythonFrame {
  const char* file = nullptr;
  const char* function = nullptr;
  int line = 0;
};

/// Where the calling thread is in Python code: of its frames those that say most, innermost first.
/// They are the innermost one, the one that the user's code called, the user's, and a few behind
/// it; the machinery of imports is left out.
struct PythonCallSite {
  static constexpr int limit = 6;
  PythonFrame frames[limit];
  int count = 0;
  int user = -1; ///< the index of the innermost frame outside of Python's own library and installed
                 ///< packages

  /// Tells places apart by the user's line, without one by the innermost; 0 without frames.
  uint64_t key() const;
};

/// Adds the keys `py` and `user` of a record (docs/LOG_FORMAT.md), nothing without frames. The line
/// ends before `end` bytes where it leaves 260 for each frame; of files that find no room the ends
/// of their paths remain.
void add_python(TextWriter& line, const PythonCallSite& call_site, size_t end);

enum class PythonDetail : uint8_t {
  key, ///< the frame alone that the key is made of
  all,
};

/// Finds it, whether or not this thread holds the interpreter's lock. Where the interpreter's
/// version is not known, only if it does. No frames where there is no Python. `looks_for_python`:
/// whether to look for an interpreter if none was found before, which takes as long as there are
/// loaded objects.
void find_python_call_site(PythonCallSite& call_site, PythonDetail detail, bool looks_for_python);

/// Names for where the calling thread is in Python code, while that code lives: its innermost
/// frame's instruction, and with it those of the two frames behind. Zeros where frames cannot be
/// read without asking the interpreter.
struct PythonPlaceNames {
  uint64_t innermost = 0;
  uint64_t of_three = 0;
};
PythonPlaceNames python_place_names();

/// An instruction of Python's machine: its code object, and how many bytes of code lie before it.
struct PythonInstruction {
  const void* code = nullptr;
  int offset = 0;
};

/// The one that the user's innermost frame is at: of the call that led here. Nothing where this
/// thread does not hold the interpreter's lock.
PythonInstruction instruction_of_users_python();

/// True if `inner` stands within the expression of `outer`, which runs: an argument of that call,
/// or a part of one. By the positions that CPython 3.11 and later keep with the code (PEP 657); of
/// others nothing is known.
bool is_part_of(const PythonInstruction& inner, const PythonInstruction& outer);

/// True if what `inner` gives, a call too, is handed to that of `outer` and nowhere else: no other
/// instruction stands between the two.
bool is_handed_to(const PythonInstruction& inner, const PythonInstruction& outer);

/// Whose code it is, by its file.
enum class PythonOrigin : uint8_t {
  user,
  text,    ///< was never in a file: `python -c`, or what other code made and runs
  library, ///< Python's own
  package, ///< was installed
};
PythonOrigin python_origin(const char* file);

class PythonCode;
class PythonScope;

namespace detail {
void each_python_frame(int limit, void (*visit)(const PythonFrame&, void*), void* data);
void each_python_code(int limit, bool (*visit)(const PythonCode&, void*), void* data);
bool each_python_scope(int limit, bool (*visit)(const PythonScope&, void*), void* data);
} // namespace detail

/// Calls visit(frame) for at most `limit` frames of the calling thread, innermost first, where
/// find_python_call_site() finds any.
template <typename Visit>
void each_python_frame(int limit, Visit visit) {
  detail::each_python_frame(
      limit,
      [](const PythonFrame& frame, void* to) {
        (*static_cast<Visit*>(to))(frame);
      },
      &visit);
}

/// The first of those, with empty texts where no frame is found.
PythonFrame innermost_python_frame();

/// The code that a frame of the calling thread runs, while the interpreter's lock is held. The
/// texts belong to the interpreter and hold until the frame is left.
class PythonCode {
public:
  const char* module() const {
    return module_;
  } ///< `nacl.utils`, `__main__`; empty where it has no name
  const char* file() const { return file_; }
  const char* function() const { return function_; }

  /// True if it uses a function that seeds a generator, by the names in it; and where these cannot
  /// be read.
  bool seeds() const;

  /// True if it uses a name that speaks of a clock; and where its names cannot be read.
  bool names_clock() const;

  /// True if that variable of it holds a text.
  bool has_text(const char* variable) const;

private:
  friend void detail::each_python_code(int limit, bool (*visit)(const PythonCode&, void*),
                                       void* data);
  PythonCode(const void* python, void* frame, const char* module, const PythonFrame& named)
      : python_(python), frame_(frame), module_(module), file_(named.file),
        function_(named.function) {}

  bool has_name(bool (*is_sought)(const char* name)) const;

  const void* python_;
  void* frame_;
  const char *module_, *file_, *function_;
};

/// Calls visit(code) for at most `limit` frames of the calling thread, innermost first, until it
/// returns false. Does nothing where there is no Python, or this thread does not hold the
/// interpreter's lock. Leaves a pending Python exception as it was.
template <typename Visit>
void each_python_code(int limit, Visit visit) {
  detail::each_python_code(
      limit,
      [](const PythonCode& code, void* to) {
        return (*static_cast<Visit*>(to))(code);
      },
      &visit);
}

/// A frame of the calling thread with its variables, while the interpreter's lock is held.
class PythonScope {
public:
  const char* file() const { return frame_.file; }
  const char* function() const { return frame_.function; }

  /// Appends what a variable of the frame holds ("config"), or an attribute of what it holds
  /// ("self.fn.__name__"), as `str()` says it, but of tensors their types and shapes, and without
  /// addresses. False, with nothing appended, where it is not there. Runs Python code where the
  /// class has its own `__str__`.
  bool add(TextWriter& to, const char* variable) const;

private:
  friend bool detail::each_python_scope(int limit, bool (*visit)(const PythonScope&, void*),
                                        void* data);
  PythonScope(const void* python, void* frame, const PythonFrame& described)
      : python_(python), variables_of_(frame), frame_(described) {}

  const void* python_;
  void* variables_of_;
  PythonFrame frame_;
};

/// Calls visit(scope) for at most `limit` frames of the calling thread, innermost first, until it
/// returns false. False where there is no Python, or this thread neither holds the interpreter's
/// lock nor has given it up for the call that it is in; in that case it is taken for as long, so
/// call it before any of our own locks is taken. Leaves a pending Python exception as it was.
template <typename Visit>
bool each_python_scope(int limit, Visit visit) {
  return detail::each_python_scope(
      limit,
      [](const PythonScope& scope, void* to) {
        return (*static_cast<Visit*>(to))(scope);
      },
      &visit);
}

/// Appends what an imported module's attribute holds ("triton", "__version__"), or an attribute of
/// that, as PythonScope::add() does; false where it is not there. As each_python_scope().
bool add_python_value(TextWriter& to, const char* module, const char* attribute);

/// True if the module is a Python interpreter.
bool is_python(const Module& module);

/// True if this thread holds the interpreter's lock, of the interpreter that was found before. Many
/// of its readings of clocks are made without: where it waits, for that lock too.
bool holds_python_lock();

/// Holds the interpreter's lock while it lives, so that frames can be looked at, where the
/// interpreter itself gave it up for a call of libc's (os.urandom does). Only for a call that came
/// from the interpreter's own code, which takes the lock next anyway, and before any of our own
/// locks.
class PythonLock {
public:
  explicit PythonLock(const Module& interpreter);
  ~PythonLock();
  PythonLock(const PythonLock&) = delete;
  PythonLock& operator=(const PythonLock&) = delete;

private:
  void (*release_)(int) = nullptr;
  int state_ = 0;
};

} // namespace detshim
