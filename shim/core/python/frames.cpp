// Calls the interpreter's stable interface (Python/C API Reference Manual, "Frame Objects",
// CPython 3.6 and later) through addresses found in the process: the library links to no Python.
#include "core/python/frames.h"

#include "common/record_schema.h"
#include "common/sys.h"
#include "core/base/generations.h"
#include "core/base/hash.h"
#include "core/python/stack.h"

namespace detshim {
namespace {

using Object = void;
using ThreadState = void;

/// What is called of an interpreter.
struct Interpreter {
  int (*is_initialized)();
  int (*check)();
  ThreadState* (*of_this_thread)();
  ThreadState* (*current)();
  int (*ensure)();
  void (*release)(int);
  Object* (*current_frame)();                 // borrowed
  Object* (*attribute)(Object*, const char*); // new reference
  Object* (*item)(Object*, const char*);      // borrowed
  const char* (*utf8)(Object*);
  int (*frame_line)(Object*);
  void (*decrement)(Object*);
  void (*fetch_error)(Object**, Object**, Object**);
  void (*restore_error)(Object*, Object*, Object*);
  void (*clear_error)();

  // For PythonScope.
  bool has_scopes = true;
  Object* (*text_of)(Object*);                   // new reference
  Object* (*mapping_item)(Object*, const char*); // new reference
  Object* (*sequence_item)(Object*, ptrdiff_t);  // new reference
  ptrdiff_t (*sequence_size)(Object*);           // -1: it has none
  Object* (*modules)();                          // borrowed

  // For PythonStack; without a layout it is not used.
  const PythonLayout* layout;
  int (*line_of)(void*, int);
  long long (*whole)(Object*);
  int (*location_of)(const void*, int, int*, int*, int*, int*); // 3.11 on
  int (*bytes_of)(Object*, const char**, ptrdiff_t*);
  const void* code_type;

  /// True if this thread holds the lock. The interpreter's own check answers 1 before it is up, and
  /// always once it has had a second interpreter in the process.
  bool held() const {
    ThreadState* const mine = is_initialized() != 0 ? of_this_thread() : nullptr;
    return mine != nullptr && current() == mine;
  }
  /// True if this thread certainly does not hold it, is known to the interpreter, and so may take
  /// it.
  bool given_up() const {
    ThreadState* const mine = is_initialized() != 0 ? of_this_thread() : nullptr;
    return mine != nullptr && (current() == nullptr || (current() != mine && check() == 0));
  }
};

/// Finds the functions in the object that defines them; false if one that is always needed is
/// missing.
bool find_functions(const Module& module, Interpreter& python) {
  constexpr int always = 14, for_scopes = 5;
  const struct {
    const char* name;
    void* to;
  } wanted[] = {
      {"PyEval_GetFrame", &python.current_frame},
      {"Py_IsInitialized", &python.is_initialized},
      {"PyGILState_Check", &python.check},
      {"PyGILState_GetThisThreadState", &python.of_this_thread},
      {"PyGILState_Ensure", &python.ensure},
      {"PyGILState_Release", &python.release},
      {"PyObject_GetAttrString", &python.attribute},
      {"PyDict_GetItemString", &python.item},
      {"PyUnicode_AsUTF8", &python.utf8},
      {"PyFrame_GetLineNumber", &python.frame_line},
      {"Py_DecRef", &python.decrement},
      {"PyErr_Fetch", &python.fetch_error},
      {"PyErr_Restore", &python.restore_error},
      {"PyErr_Clear", &python.clear_error},

      {"PyMapping_GetItemString", &python.mapping_item},
      {"PySequence_GetItem", &python.sequence_item},
      {"PySequence_Size", &python.sequence_size},
      {"PyImport_GetModuleDict", &python.modules},
      {"PyObject_Str", &python.text_of},

      {"PyCode_Addr2Line", &python.line_of},
      {"PyLong_AsLongLong", &python.whole},
      {"PyCode_Addr2Location", &python.location_of},
      {"PyBytes_AsStringAndSize", &python.bytes_of},
      {"PyCode_Type", &python.code_type},
  };
  int rows_read = 0;
  for (const auto& function : wanted) {
    const void* const address = module.symbol(function.name);
    __builtin_memcpy(function.to, &address, sizeof address);
    if (address == nullptr && rows_read < always)
      return false;
    ++rows_read;
    if (address == nullptr && rows_read <= always + for_scopes)
      python.has_scopes = false;
  }
  const void* current = module.symbol("PyThreadState_GetUnchecked"); // from 3.13 on
  if (current == nullptr)
    current = module.symbol("_PyThreadState_UncheckedGet");
  __builtin_memcpy(&python.current, &current, sizeof current);
  const void* const version = module.symbol("Py_GetVersion");
  if (version != nullptr && python.line_of != nullptr && python.code_type != nullptr) {
    const char* (*get_version)() = nullptr;
    __builtin_memcpy(&get_version, &version, sizeof version);
    python.layout = python_layout(get_version());
  }
  return current != nullptr;
}

/// Whether what PythonStack reads is what the interpreter itself says: not yet known, yes, no.
enum class Trust : uint8_t { unknown, yes, no };

/// The process's interpreter: looked for at each draw, it would cost more than the draw.
struct KnownInterpreter {
  Interpreter functions = {};
  uintptr_t object = 0;   ///< its dynamic section; 1 while `functions` is written
  uint32_t seen_in = ~0u; ///< the epoch in which its object was last seen loaded
  Trust trust = Trust::unknown;
};
constinit KnownInterpreter known_interpreter;

Trust known_trust() {
  Trust now;
  __atomic_load(&known_interpreter.trust, &now, __ATOMIC_RELAXED);
  return now;
}

bool find_functions_once(const Module& module, Interpreter& python) {
  const uintptr_t at = __atomic_load_n(&known_interpreter.object, __ATOMIC_ACQUIRE);
  if (at == reinterpret_cast<uintptr_t>(module.dynamic)) {
    python = known_interpreter.functions;
    return true;
  }
  if (!find_functions(module, python))
    return false;
  uintptr_t none = 0;
  if (__atomic_compare_exchange_n(&known_interpreter.object, &none, uintptr_t{1}, false,
                                  __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    known_interpreter.functions = python;
    __atomic_store_n(&known_interpreter.object, reinterpret_cast<uintptr_t>(module.dynamic),
                     __ATOMIC_RELEASE);
  }
  return true;
}

/// An object that is given back at the end.
class Owned {
public:
  Owned(const Interpreter& python, Object* object) : python_(python), object_(object) {
    if (object == nullptr)
      python.clear_error();
  }
  /// An attribute of an object; nothing of nothing.
  Owned(const Interpreter& python, Object* of, const char* name)
      : Owned(python, of != nullptr ? python.attribute(of, name) : nullptr) {}
  ~Owned() {
    if (object_ != nullptr)
      python_.decrement(object_);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;

  Object* get() const { return object_; }
  const char* text() const { return object_ != nullptr ? python_.utf8(object_) : nullptr; }
  void take(Object* object) {
    if (object_ != nullptr)
      python_.decrement(object_);
    if ((object_ = object) == nullptr)
      python_.clear_error();
  }

private:
  const Interpreter& python_;
  Object* object_;
};

/// The process's interpreter; false if it has none, or if it was not found before and is not looked
/// for.
bool find_interpreter(Interpreter& python, bool looks_for_it) {
  const uintptr_t at = __atomic_load_n(&known_interpreter.object, __ATOMIC_ACQUIRE);
  if (at > 1) {
    // Nothing was unloaded in this epoch, so it was not either.
    const uint32_t epoch = draw_epoch();
    Module of_known;
    if (__atomic_load_n(&known_interpreter.seen_in, __ATOMIC_RELAXED) == epoch ||
        (find_module(reinterpret_cast<const void*>(known_interpreter.functions.current_frame),
                     of_known) &&
         reinterpret_cast<uintptr_t>(of_known.dynamic) == at)) {
      __atomic_store_n(&known_interpreter.seen_in, epoch, __ATOMIC_RELAXED);
      python = known_interpreter.functions;
      return true;
    }
  }
  if (!looks_for_it)
    return false;
  const sys::SignalsBlocked
      no_signals; // a handler that left by longjmp would leave the loader's lock held
  return each_module([&](const Module& module) {
    return find_functions_once(module, python);
  });
}

/// Keeps an error that is set for the program, and drops those that come up meanwhile: of a file's
/// name that is no UTF-8, say. With the interpreter's lock, or not `is_held`.
class ErrorsKept {
public:
  ErrorsKept(const Interpreter& python, bool is_held) : python_(is_held ? &python : nullptr) {
    if (is_held)
      python.fetch_error(&type_, &value_, &trace_);
  }
  ~ErrorsKept() {
    if (python_ == nullptr)
      return;
    python_->clear_error();
    python_->restore_error(type_, value_, trace_);
  }
  ErrorsKept(const ErrorsKept&) = delete;
  ErrorsKept& operator=(const ErrorsKept&) = delete;

private:
  const Interpreter* python_;
  Object *type_ = nullptr, *value_ = nullptr, *trace_ = nullptr;
};

/// Calls visit(python, frame) for frames of this thread, innermost first, until it returns false.
template <typename Visit>
void each_frame(int limit, Visit visit) {
  Interpreter python = {};
  if (!find_interpreter(python, true) || !python.held())
    return;
  const ErrorsKept errors(python, true);
  Object* frame = python.current_frame();
  bool owned = false;
  for (int i = 0; frame != nullptr && i < limit; ++i) {
    Object* const back = visit(python, frame) ? python.attribute(frame, "f_back") : nullptr;
    if (owned)
      python.decrement(frame);
    owned = true;
    frame = back;
  }
  if (owned && frame != nullptr)
    python.decrement(frame);
}

/// The same with the frame's file and function: texts of its code, which runs. A frame without them
/// ends it.
template <typename Visit>
void each_named_frame(int limit, Visit visit) {
  each_frame(limit, [&](const Interpreter& python, Object* frame) {
    const Owned code(python, frame, "f_code");
    const Owned file(python, code.get(), "co_filename");
    const Owned function(python, code.get(), "co_name");
    if (file.get() == nullptr || function.get() == nullptr)
      return false;
    const auto named = [](const char* text) {
      return text != nullptr ? text : PythonStack::no_utf8;
    };
    return visit(python, frame, PythonFrame{named(file.text()), named(function.text()), 0});
  });
}

/// The text lives as long as the frame's globals; empty where they have no name.
const char* module_of(const Interpreter& python, Object* frame) {
  const Owned globals(python, frame, "f_globals");
  Object* const name = globals.get() != nullptr ? python.item(globals.get(), "__name__") : nullptr;
  const char* const text = name != nullptr ? python.utf8(name) : nullptr;
  return text != nullptr ? text : "";
}

/// Parts of the names of what reads a clock.
constexpr const char* names_of_clocks[] = {"time",  "clock",   "now",      "date",
                                           "today", "counter", "monotonic"};

/// What seeds a generator.
constexpr const char* seeding_names[] = {
    "Random", "RandomState", "SeedSequence", "default_rng", "manual_seed", "PRNGKey", "seed"};

// ------------------------------------------------------------------ call sites

/// "<frozen importlib._bootstrap>"
bool is_import_machinery(const char* file) { return starts_with(file, "<frozen "); }

/// Code that was never in a file, which may be the user's: `python -c`, an interactive one.
bool is_text(const char* file) {
  return same_text(file, "<string>") || same_text(file, "<stdin>") ||
         starts_with(file, "<ipython-input");
}

bool is_library(const char* file) { return python_origin(file) != PythonOrigin::user; }

constexpr int no_frame = -1;
constexpr int farthest_frame = 200;

/// Finds, innermost first, the frames that say where a call was made; by their numbers.
class TellingFrames {
public:
  /// False behind the frame of the user's own file: no further one says more.
  bool look_at(const char* file) {
    const int index = next_++;
    if (is_import_machinery(file))
      return next_ < farthest_frame;
    if (first_ == no_frame)
      first_ = index;
    if (!is_library(file)) {
      user_ = {index, last_};
      return false;
    }
    if (text_.frame == no_frame && is_text(file))
      text_ = {index, last_};
    if (contains(file, "/torch/utils/data/"))
      loader_ = index;
    last_ = index;
    return next_ < farthest_frame;
  }

  /// Of the user's code: of a file of theirs, or of a text that may be theirs.
  int user() const { return users().frame; }
  /// The one that says most.
  int telling() const {
    if (user() != no_frame)
      return user();
    return has_only_machinery() ? 0 : first_;
  }
  /// Whether the frame is shown beside the one that says most: the first, the one that the user's
  /// code called, those behind; and PyTorch's DataLoader, which deals its tasks in a fixed order,
  /// whatever goes through it (tqdm).
  bool is_shown(int index, const char* file) const {
    if (index == first_ || index == users().called || index == loader_)
      return true;
    return index > telling() && (has_only_machinery() || !is_import_machinery(file));
  }

private:
  /// A frame, and the one that it called, past the machinery.
  struct Caller {
    int frame = no_frame;
    int called = no_frame;
  };

  const Caller& users() const { return user_.frame != no_frame ? user_ : text_; }
  bool has_only_machinery() const { return first_ == no_frame; }

  int next_ = 0;
  int first_ = no_frame; ///< that is not of the machinery
  int last_ = no_frame;  ///< the same, before the one that is looked at
  int loader_ = no_frame;
  Caller user_;
  Caller text_;
};

/// How many frames a call site may have.
int most_frames(const PythonCallSite& call_site, PythonDetail detail) {
  if (detail == PythonDetail::key)
    return 1;
  const int most = call_site.user < 0 ? 4 : call_site.user + 4;
  return most < PythonCallSite::limit ? most : PythonCallSite::limit;
}

/// Picks the frames of a call site out of `walk`, which calls visit(file, describe) for all of
/// them, innermost first, until visit returns false; describe() gives the frame.
template <typename Walk>
void pick_frames(PythonCallSite& call_site, PythonDetail detail, Walk walk) {
  TellingFrames frames;
  walk([&](const char* file, auto) {
    return frames.look_at(file);
  });
  int index = 0;
  walk([&](const char* file, auto describe) {
    const bool is_chosen =
        index == frames.telling() || (detail == PythonDetail::all && frames.is_shown(index, file));
    if (is_chosen) {
      if (index == frames.user())
        call_site.user = call_site.count;
      call_site.frames[call_site.count++] = describe();
    }
    return ++index < farthest_frame && call_site.count < most_frames(call_site, detail);
  });
}

/// Calls visit(file, describe) for the thread's frames, innermost first, until visit returns false;
/// describe() gives the frame.
template <typename Visit>
void walk_by_reading(const Interpreter& python, const void* state, bool is_held, Visit visit) {
  const ErrorsKept errors(python, is_held);
  PythonStack stack(python.layout, python.code_type, python.line_of,
                    is_held ? python.utf8 : nullptr, known_trust() == Trust::yes);
  for (bool is_there = stack.begin(state); is_there; is_there = stack.next()) {
    const char* const file = stack.file();
    if (file == nullptr)
      return;
    const auto describe = [&] {
      const char* const function = stack.function();
      return PythonFrame{file, function != nullptr ? function : "?", stack.line()};
    };
    if (!visit(file, describe))
      return;
  }
}

/// The same where the thread holds the interpreter's lock.
template <typename Visit>
void walk_by_asking(Visit visit) {
  each_named_frame(200, [&](const Interpreter& python, Object* frame, const PythonFrame& named) {
    const auto describe = [&] {
      return PythonFrame{named.file, named.function, python.frame_line(frame)};
    };
    return visit(named.file, describe);
  });
}

bool is_same(const PythonCallSite& a, const PythonCallSite& b) {
  if (a.count != b.count || a.user != b.user)
    return false;
  for (int i = 0; i < a.count; ++i)
    if (a.frames[i].line != b.frames[i].line || !same_text(a.frames[i].file, b.frames[i].file) ||
        !same_text(a.frames[i].function, b.frames[i].function))
      return false;
  return true;
}

} // namespace

PythonOrigin python_origin(const char* file) {
  if (*file == '<')
    return is_import_machinery(file) ? PythonOrigin::library : PythonOrigin::text;
  // ".../lib64/python3.11/site-packages/torch/nn/init.py",
  // "/usr/lib/python3/dist-packages/numpy/__init__.py"
  if (contains(file, "/site-packages/") || contains(file, "/dist-packages/"))
    return PythonOrigin::package;
  // ".../lib/python3.11/random.py", ".../lib/python311.zip/os.py"
  for (const char* at = file; *at != 0; ++at) {
    if (!starts_with(at, "/lib/python3") && !starts_with(at, "/lib64/python3"))
      continue;
    const char* end = at + text_length("/lib/python3");
    while (*end != 0 && *end != '/')
      ++end;
    if (*end == '/')
      return PythonOrigin::library;
  }
  return PythonOrigin::user;
}

void add_python(TextWriter& line, const PythonCallSite& call_site, size_t end) {
  if (call_site.count == 0)
    return;
  constexpr size_t rest = 100; // a frame's line, its function, what is around them
  constexpr size_t least = 160, most = 1024;
  for (int i = 0; i < call_site.count; ++i) {
    const PythonFrame& frame = call_site.frames[i];
    const size_t room =
        end > line.length() ? (end - line.length()) / static_cast<size_t>(call_site.count - i) : 0;
    const size_t limit = room < least + rest ? least : room > most + rest ? most : room - rest;
    if (i == 0)
      add_key(line, "py").add("[\"");
    else
      line.add(",\"");
    line.add_json_path(frame.file, limit).add(':');
    line.add(static_cast<uint64_t>(frame.line > 0 ? frame.line : 0)).add(' ');
    line.add_json(frame.function, 60).add('"');
  }
  line.add(']');
  if (call_site.user >= 0)
    add_key(line, "user").add(static_cast<uint64_t>(call_site.user));
}

uint64_t PythonCallSite::key() const {
  if (count == 0)
    return 0;
  const PythonFrame& frame = frames[user < 0 ? 0 : user];
  return fnv1a_text(frame.file, static_cast<uint64_t>(frame.line) + 1) | 1;
}

namespace {

/// Walks by what is trusted, and holds what is read to what the interpreter itself says, until they
/// have agreed once.
void find_call_site(const Interpreter& python, PythonDetail detail, PythonCallSite& call_site) {
  const bool is_held = python.held();
  const Trust trusted = known_trust();
  const auto ask = [&](PythonCallSite& to) {
    pick_frames(to, detail, [](auto visit) {
      walk_by_asking(visit);
    });
  };
  if (python.layout == nullptr || trusted == Trust::no) {
    if (is_held)
      ask(call_site);
    return;
  }
  const void* const state = python.of_this_thread();
  if (state == nullptr)
    return;
  pick_frames(call_site, detail, [&](auto visit) {
    walk_by_reading(python, state, is_held, visit);
  });
  if (trusted != Trust::unknown || !is_held)
    return;
  PythonCallSite asked;
  ask(asked);
  if (asked.count > 0) {
    Trust now = is_same(asked, call_site) ? Trust::yes : Trust::no;
    __atomic_store(&known_interpreter.trust, &now, __ATOMIC_RELAXED);
  }
  call_site = asked;
}

} // namespace

void find_python_call_site(PythonCallSite& call_site, PythonDetail detail, bool looks_for_python) {
  call_site = {};
  Interpreter python = {};
  if (!looks_for_python && __atomic_load_n(&known_interpreter.object, __ATOMIC_ACQUIRE) <= 1)
    return;
  if (find_interpreter(python, looks_for_python) && python.is_initialized() != 0)
    find_call_site(python, detail, call_site);
}

void detail::each_python_frame(int limit, void (*visit)(const PythonFrame&, void*), void* data) {
  Interpreter python = {};
  if (!find_interpreter(python, false) || python.is_initialized() == 0)
    return;
  const bool is_held = python.held();
  int seen = 0;
  const auto take = [&](const char*, auto describe) {
    visit(describe(), data);
    return ++seen < limit;
  };
  const void* const state = python.of_this_thread();
  if (python.layout != nullptr && known_trust() != Trust::no) {
    if (state != nullptr)
      walk_by_reading(python, state, is_held, take);
  } else if (is_held) {
    walk_by_asking(take);
  }
}

PythonFrame innermost_python_frame() {
  PythonFrame innermost = {"", "", 0};
  each_python_frame(1, [&](const PythonFrame& frame) {
    innermost = frame;
  });
  return innermost;
}

// ------------------------------------------------------------------ variables

namespace {

/// A text without the addresses that `object.__repr__` puts in it.
void add_without_addresses(TextWriter& to, const char* text) {
  constexpr const char* before = " at 0x";
  for (; *text != 0; ++text) {
    to.add(*text);
    if (!starts_with(text, before))
      continue;
    to.add(before + 1);
    text += text_length(before);
    while ((*text >= '0' && *text <= '9') || (*text >= 'a' && *text <= 'f'))
      ++text;
    --text;
  }
}

/// Appends what `str()` says of the object; false where it says nothing.
bool add_text_of(const Interpreter& python, Object* object, TextWriter& to) {
  const Owned text(python, python.text_of(object));
  const char* const utf8 = text.text();
  if (utf8 == nullptr) {
    python.clear_error();
    return false;
  }
  add_without_addresses(to, utf8);
  return true;
}

/// Appends an object's text; of a tensor its type and shape, because its own text is made of what
/// it holds.
bool add_object(const Interpreter& python, Object* object, TextWriter& to, int depth = 0) {
  const Owned type(python, object, "__class__");
  const Owned name(python, type.get(), "__name__");
  const char* const of = name.text();
  if (of != nullptr && (same_text(of, "tuple") || same_text(of, "list")) && depth < 4) {
    const ptrdiff_t size = python.sequence_size(object);
    to.add('(');
    for (ptrdiff_t i = 0; i < size && !to.cut(); ++i) {
      const Owned item(python, python.sequence_item(object, i));
      if (i != 0)
        to.add(", ");
      if (item.get() == nullptr || !add_object(python, item.get(), to, depth + 1))
        to.add('?');
    }
    to.add(')');
    return true;
  }
  const Owned shape(python, object, "shape");
  const Owned element(python, shape.get() != nullptr ? object : nullptr, "dtype");
  if (element.get() == nullptr)
    return add_text_of(python, object, to);
  if (!add_text_of(python, element.get(), to))
    to.add('?');
  return add_text_of(python, shape.get(), to);
}

/// Appends the object that a mapping has under a name ("fn"), or an attribute of it
/// ("fn.__name__").
bool add_value(const Interpreter& python, Object* mapping, const char* path, TextWriter& to) {
  Text<64> part;
  Owned object(python, nullptr);
  for (const char* at = path;; ++at) {
    if (*at != '.' && *at != 0) {
      part.add(*at);
      continue;
    }
    Object* const from = mapping != nullptr ? mapping : object.get();
    if (from == nullptr)
      return false;
    object.take(mapping != nullptr ? python.mapping_item(from, part.c_str())
                                   : python.attribute(from, part.c_str()));
    mapping = nullptr;
    part.shorten(0);
    if (*at == 0)
      return object.get() != nullptr && add_object(python, object.get(), to);
  }
}

/// Runs `act` with the process's interpreter, its lock held and without a pending exception; false
/// where that cannot be.
template <typename Act>
bool with_interpreter(Act act) {
  Interpreter python = {};
  if (!find_interpreter(python, false) || !python.has_scopes || python.is_initialized() == 0)
    return false;
  const bool takes = !python.held();
  if (takes && !python.given_up())
    return false;
  const int state = takes ? python.ensure() : 0;
  {
    const ErrorsKept errors(python, true);
    act(python);
  }
  if (takes)
    python.release(state);
  return true;
}

} // namespace

bool PythonScope::add(TextWriter& to, const char* variable) const {
  const Interpreter& python = *static_cast<const Interpreter*>(python_);
  const Owned variables(python, variables_of_, "f_locals");
  return add_value(python, variables.get(), variable, to);
}

bool detail::each_python_scope(int limit, bool (*visit)(const PythonScope&, void*), void* data) {
  return with_interpreter([&](const Interpreter&) {
    each_named_frame(limit,
                     [&](const Interpreter& python, Object* frame, const PythonFrame& named) {
                       return visit(PythonScope(&python, frame, named), data);
                     });
  });
}

bool add_python_value(TextWriter& to, const char* module, const char* attribute) {
  bool is_there = false;
  with_interpreter([&](const Interpreter& python) {
    Object* const modules = python.modules();
    Object* const imported = modules != nullptr ? python.item(modules, module) : nullptr;
    const Owned variables(python, imported, "__dict__");
    is_there = add_value(python, variables.get(), attribute, to);
  });
  return is_there;
}

bool is_python(const Module& module) { return module.symbol("PyEval_GetFrame") != nullptr; }

void detail::each_python_code(int limit, bool (*visit)(const PythonCode&, void*), void* data) {
  each_named_frame(limit, [&](const Interpreter& python, Object* frame, const PythonFrame& named) {
    return visit(PythonCode(&python, frame, module_of(python, frame), named), data);
  });
}

bool PythonCode::has_text(const char* variable) const {
  const Interpreter& python = *static_cast<const Interpreter*>(python_);
  if (!python.has_scopes)
    return false;
  const Owned variables(python, frame_, "f_locals");
  const Owned held(python, variables.get() != nullptr
                               ? python.mapping_item(variables.get(), variable)
                               : nullptr);
  const Owned type(python, held.get(), "__class__");
  const Owned name(python, type.get(), "__name__");
  return name.text() != nullptr && same_text(name.text(), "str");
}

/// True if the code uses such a global or attribute; and where its names cannot be read.
bool PythonCode::has_name(bool (*is_sought)(const char* name)) const {
  const Interpreter& python = *static_cast<const Interpreter*>(python_);
  const Owned code(python, frame_, "f_code");
  const Owned names(python, code.get(), "co_names");
  const ptrdiff_t count =
      names.get() != nullptr && python.has_scopes ? python.sequence_size(names.get()) : -1;
  if (count < 0)
    return true;
  for (ptrdiff_t i = 0; i < count; ++i) {
    const Owned name(python, python.sequence_item(names.get(), i));
    const char* const text = name.text();
    if (text != nullptr && is_sought(text))
      return true;
  }
  return false;
}

bool PythonCode::seeds() const {
  return has_name([](const char* name) {
    for (const char* seeding : seeding_names)
      if (same_text(name, seeding))
        return true;
    return false;
  });
}

bool PythonCode::names_clock() const {
  return has_name([](const char* name) {
    for (const char* of_clocks : names_of_clocks)
      if (contains(name, of_clocks))
        return true;
    return false;
  });
}

PythonPlaceNames python_place_names() {
  PythonPlaceNames names;
  Interpreter python = {};
  if (known_trust() != Trust::yes || !find_interpreter(python, false) || python.layout == nullptr)
    return names;
  PythonStack stack(python.layout, python.code_type, python.line_of, nullptr, true);
  if (!stack.begin(python.of_this_thread()))
    return names;
  names.innermost = names.of_three = stack.place();
  constexpr int frames_behind = 2;
  for (int i = 0; i < frames_behind && stack.next(); ++i)
    names.of_three = mix(names.of_three, stack.place());
  return names;
}

PythonInstruction instruction_of_users_python() {
  PythonInstruction at;
  bool is_found = false;
  each_named_frame(farthest_frame,
                   [&](const Interpreter& python, Object* frame, const PythonFrame& named) {
                     const bool is_users = !is_library(named.file);
                     const bool may_be_users = at.code == nullptr && is_text(named.file);
                     if (is_found || !(is_users || may_be_users) || python.whole == nullptr)
                       return !is_found;
                     const Owned code(python, frame, "f_code");
                     const Owned offset(python, frame, "f_lasti");
                     if (offset.get() != nullptr)
                       at = {code.get(), static_cast<int>(python.whole(offset.get()))};
                     is_found = is_users;
                     return !is_found;
                   });
  return at;
}

namespace {

/// From where to where an expression stands.
struct Extent {
  int line, end_line, column, end_column;

  bool is_known() const { return line > 0 && column >= 0; }
  bool begins_before(const Extent& other) const {
    return line != other.line ? line < other.line : column <= other.column;
  }
  bool ends_behind(const Extent& other) const {
    return end_line != other.end_line ? end_line > other.end_line : end_column >= other.end_column;
  }
};

} // namespace

bool is_part_of(const PythonInstruction& inner, const PythonInstruction& outer) {
  Interpreter python = {};
  const bool is_same_code = inner.code != nullptr && inner.code == outer.code;
  if (!is_same_code || inner.offset >= outer.offset || !find_interpreter(python, false) ||
      python.location_of == nullptr)
    return false;
  const auto extent_of = [&](const PythonInstruction& of) {
    Extent extent = {0, 0, -1, -1};
    python.location_of(of.code, of.offset, &extent.line, &extent.column, &extent.end_line,
                       &extent.end_column);
    return extent;
  };
  const Extent call = extent_of(outer);
  const Extent part = extent_of(inner);
  return call.is_known() && part.is_known() && call.begins_before(part) && call.ends_behind(part);
}

namespace {

/// The code of a frame's function as it was compiled: pairs of an instruction and its argument,
/// with zeros where the interpreter keeps what it learns (dis, "CACHE").
class Bytecode {
public:
  Bytecode(const Interpreter& python, const void* code)
      : bytes_(python, const_cast<void*>(code), "co_code") {
    if (bytes_.get() == nullptr || python.bytes_of == nullptr ||
        python.bytes_of(bytes_.get(), &text_, &size_) != 0)
      size_ = 0;
  }

  bool holds(int offset) const { return offset >= 0 && offset + 1 < size_; }
  unsigned char at(int offset) const { return static_cast<unsigned char>(text_[offset]); }

private:
  const Owned bytes_;
  const char* text_ = nullptr;
  ptrdiff_t size_ = 0;
};

// A call is two instructions in 3.11 alone, and a frame may be at either (CPython 3.11, opcode.h).
constexpr unsigned char no_instruction = 0, precall = 166, call_behind_precall = 171;
constexpr int pair = 2;

int offset_of_call(const Bytecode& code, int offset) {
  while (offset > 0 && code.at(offset) == no_instruction)
    offset -= pair; // while the function that is called runs, 3.11 points behind the call
  if (code.at(offset) != precall)
    return offset;
  int next = offset + pair;
  while (code.holds(next) && code.at(next) == no_instruction)
    next += pair;
  return next;
}

} // namespace

bool is_handed_to(const PythonInstruction& inner, const PythonInstruction& outer) {
  Interpreter python = {};
  if (inner.code == nullptr || inner.code != outer.code || !find_interpreter(python, false))
    return false;
  const Bytecode code(python, inner.code);
  if (!code.holds(inner.offset) || !code.holds(outer.offset))
    return false;
  const int first = offset_of_call(code, inner.offset);
  const int last = offset_of_call(code, outer.offset);
  if (!code.holds(first) || !code.holds(last) || code.at(first) != code.at(last))
    return false;
  const bool is_in_two = code.at(first) == call_behind_precall;
  for (int at = first + pair; at < last; at += pair)
    if (code.at(at) != no_instruction && !(is_in_two && code.at(at) == precall))
      return false;
  return first < last;
}

bool holds_python_lock() {
  Interpreter python = {};
  return find_interpreter(python, false) && python.held();
}

PythonLock::PythonLock(const Module& interpreter) {
  Interpreter python;
  if (interpreter.dynamic == nullptr || !find_functions_once(interpreter, python) ||
      !python.given_up())
    return;
  state_ = python.ensure();
  release_ = python.release;
}

PythonLock::~PythonLock() {
  if (release_ != nullptr)
    release_(state_);
}

} // namespace detshim
