// Calls the interpreter by its stable interface (Python/C API Reference Manual), through addresses
// found in it. What is not in there is the layout of three kinds of objects
// (cpython/Include/descrobject.h, methodobject.h, cpython/object.h; the same from 3.8 to 3.14):
// believed only where the names in it are those that are asked for.
#include "hooks/runtimes/python_seeds.h"

#include "common/philox.h"
#include "common/text.h"
#include "core/base/modules.h"
#include "core/python/frames.h"
#include "core/seeds/python_readings.h"
#include "hooks/support/user_call_sites.h"
#include "loader/hook.h"

namespace detshim {
namespace hooks {
DETSHIM_DECLARE_HOOK(python_random_seed);
DETSHIM_DECLARE_HOOK(numpy_legacy_seeding);
DETSHIM_DECLARE_HOOK(numpy_SeedSequence);
DETSHIM_DECLARE_HOOK(jax_random_seed);
DETSHIM_DECLARE_HOOK(tensorflow_set_global_seed);
} // namespace hooks

namespace {

using Object = void;
/// Each of the functions takes no more than these; what one does not take it does not look at.
using Function = void*(Object* self, void* a, void* b, void* c);

/// What is called of an interpreter, in the order of `needs`.
struct Interpreter {
  Object* (*modules)();                          // borrowed
  Object* (*item)(Object*, const char*);         // borrowed
  Object* (*attribute)(Object*, const char*);    // new reference
  Object* (*mapping_item)(Object*, const char*); // new reference
  const char* (*utf8)(Object*);
  void (*decrement)(Object*);
  Object* (*pending_error)(); // borrowed
  void (*clear_error)();
  uint64_t (*as_whole)(Object*);
  ptrdiff_t (*hash)(Object*);
  Object* (*absolute)(Object*); // new reference
  double (*as_real)(Object*);
  Object* (*whole)(unsigned long long); // new reference
  ptrdiff_t (*tuple_size)(Object*);
  Object* (*tuple_item)(Object*, ptrdiff_t); // borrowed
  Object* (*tuple)(ptrdiff_t, ...);          // new reference
  Object* (*copy_of)(Object*);               // of a dictionary: new reference
  int (*set_item)(Object*, const char*, Object*);
  const char* (*version)();
  ptrdiff_t (*sequence_size)(Object*);
  Object* (*sequence_item)(Object*, ptrdiff_t);       // new reference
  Object* (*index)(Object*);                          // new reference
  Object* (*call)(Object*, Object*, Object*);         // new reference
  Object* (*function)(const void*, Object*, Object*); // new reference
  const void *whole_type, *real_type;
};
// clang-format off
constexpr char needs[][32] = {
    "PyImport_GetModuleDict", "PyDict_GetItemString", "PyObject_GetAttrString", "PyMapping_GetItemString",
    "PyUnicode_AsUTF8", "Py_DecRef", "PyErr_Occurred", "PyErr_Clear", "PyLong_AsUnsignedLongLong",
    "PyObject_Hash", "PyNumber_Absolute", "PyFloat_AsDouble", "PyLong_FromUnsignedLongLong", "PyTuple_Size",
    "PyTuple_GetItem", "PyTuple_Pack", "PyDict_Copy", "PyDict_SetItemString", "Py_GetVersion",
    "PySequence_Size", "PySequence_GetItem", "PyNumber_Index", "PyObject_Call", "PyCFunction_NewEx",
    "PyLong_Type", "PyFloat_Type"};
// clang-format on
static_assert(sizeof(Interpreter) == sizeof needs / sizeof *needs * sizeof(void*));

// PyMethodDef: the name, the function, how it is called (METH_VARARGS 1, KEYWORDS 2, O 8,
// FASTCALL 0x80), and its documentation.
struct Method {
  const char* name;
  const void* function;
  int flags;
  const char* documentation;
};

/// How a function takes its arguments.
enum class Shape : uint8_t { one, array, array_with_names, tuple };

/// A function that seeds, in the table of a class of that module, or of the module itself.
struct Exchanged {
  Hook& hook;
  Kind kind;
  const char* module;
  const char* type;     ///< nullptr: the function is the module's
  const char* method;   ///< of what initializes the class: `__init__`
  const char* argument; ///< the seed's name, where it may have one
  bool takes_any;       ///< real and negative numbers too
  bool takes_sequences; ///< of whole numbers
  uint64_t highest = ~uint64_t{0};
  const char* earlier_module = nullptr; ///< where older versions of the package have the function
  Shape shape = Shape::one;
  Function* real = nullptr;
  Method definition = {}; ///< of the function that stands in a module's place

  /// A module's own function is exchanged once a clock was read: a mapping of all seeds would begin
  /// in the middle.
  bool sees_first_seed(SeedPolicy policy) const {
    return type != nullptr || policy != SeedPolicy::vary;
  }
};

struct PythonSeeding {
  Interpreter api = {};
  const void* asked = nullptr; ///< the interpreter that was looked at: its dynamic section
  bool may_be_passed = false;  ///< a clock was read by the process's Python
  /// What seeds: random.seed, random.Random(x); numpy.random.seed, RandomState(x); default_rng,
  /// each bit generator; jax.random.key, PRNGKey; tensorflow.random.set_seed.
  Exchanged rows[5] = {
      {hooks::python_random_seed, Kind::python_seed, "_random", "Random", "seed", "", true, false},
      {hooks::numpy_legacy_seeding, Kind::numpy_seed, "numpy.random._mt19937", "MT19937",
       "_legacy_seeding", "seed", false, true, 0xffffffff},
      {hooks::numpy_SeedSequence, Kind::numpy_seed, "numpy.random.bit_generator", "SeedSequence",
       "__init__", "entropy", false, true},
      {hooks::jax_random_seed, Kind::jax_seed, "jax._src.random.prng", nullptr, "random_seed",
       "seeds", false, false, 0x7fffffffffffffff, "jax._src.prng"},
      {hooks::tensorflow_set_global_seed, Kind::tensorflow_seed, "tensorflow.python.eager.context",
       nullptr, "set_global_seed", "seed", false, false, 0x7fffffffffffffff},
  };
};
constinit PythonSeeding python;

/// What was written for: CPython, with its lock.
bool is_known(const char* version) {
  if (sizeof(void*) != 8 || contains(version, "free-threading"))
    return false;
  for (const char* known : {"3.8.", "3.9.", "3.10.", "3.11.", "3.12.", "3.13.", "3.14."})
    if (starts_with(version, known))
      return true;
  return false;
}

bool find_interpreter(const void* caller) {
  Module module;
  if (!find_module(caller, module) || !is_python(module))
    return false;
  if (python.asked == module.dynamic)
    return python.api.modules != nullptr;
  python.asked = module.dynamic;
  python.api = {};
  const void* addresses[sizeof needs / sizeof *needs];
  for (size_t i = 0; i < sizeof needs / sizeof *needs; ++i)
    if ((addresses[i] = module.symbol(needs[i])) == nullptr)
      return false;
  Interpreter interpreter;
  __builtin_memcpy(&interpreter, addresses, sizeof interpreter);
  if (!is_known(interpreter.version()))
    return false;
  python.api = interpreter;
  return true;
}

template <typename Value>
Value& at(void* object, uintptr_t offset) {
  return *reinterpret_cast<Value*>(static_cast<char*>(object) + offset);
}

// struct _object: the type.
constexpr uintptr_t type_of_object = 8;

/// An attribute, or with `is_item` what its dictionary holds, which binds nothing; given back at
/// the end.
class Part {
public:
  Part(Object* of, const char* name, bool is_item = false) {
    if (of == nullptr)
      return;
    object_ = is_item ? python.api.mapping_item(of, name) : python.api.attribute(of, name);
    if (object_ == nullptr)
      python.api.clear_error();
  }
  /// Of a reference that is new.
  explicit Part(Object* made) : object_(made) {
    if (made == nullptr)
      python.api.clear_error();
  }
  ~Part() {
    if (object_ != nullptr)
      python.api.decrement(object_);
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  Object* get() const { return object_; }
  bool is_of_type(const char* name) const {
    if (object_ == nullptr)
      return false;
    const Part of(at<Object*>(object_, type_of_object), "__name__");
    const char* const text = of.get() != nullptr ? python.api.utf8(of.get()) : nullptr;
    return text != nullptr && same_text(text, name);
  }

private:
  Object* object_ = nullptr;
};

/// True if the place lies in the part of a loaded object that is written to, which is no constant
/// table.
bool is_data(const void* place) {
  Module module;
  if (!find_module(place, module))
    return false;
  const auto offset = reinterpret_cast<uintptr_t>(place) - module.base;
  bool is_writable = false;
  for (int i = 0; i < module.header_count; ++i) {
    const ElfW(Phdr)& header = module.headers[i];
    if (offset < header.p_vaddr || offset - header.p_vaddr >= header.p_memsz)
      continue;
    if (header.p_type == PT_GNU_RELRO)
      return false;
    is_writable |= header.p_type == PT_LOAD && (header.p_flags & PF_W) != 0;
  }
  return is_writable;
}

void exchange(const void*& place, Exchanged& row) {
  if (place == row.hook.wrapper())
    return;
  const void* const real = place;
  __builtin_memcpy(&row.real, &real, sizeof real);
  __atomic_store_n(&place, row.hook.wrapper(), __ATOMIC_RELEASE);
}

void exchange_method(const Part& method_object, Exchanged& row) {
  // PyMethodDescrObject.d_method; PyCFunctionObject.m_ml, with which Cython's own functions begin.
  const uintptr_t offset = method_object.is_of_type("method_descriptor")           ? 40
                           : method_object.is_of_type("cython_function_or_method") ? 16
                                                                                   : 0;
  if (offset == 0)
    return;
  auto* const method = at<Method*>(method_object.get(), offset);
  if (!is_data(method) || !is_data(&method->flags) || !same_text(method->name, row.method))
    return;
  switch (method->flags) {
  case 0x08:
    row.shape = Shape::one;
    break;
  case 0x80:
    row.shape = Shape::array;
    break;
  case 0x82:
    row.shape = Shape::array_with_names;
    break;
  case 0x01:
  case 0x03:
    row.shape = Shape::tuple;
    break;
  default:
    return;
  }
  exchange(method->function, row);
}

void exchange_initializer(Object* type, const Part& descriptor, Exchanged& row) {
  // PyTypeObject.tp_init and .tp_vectorcall; PyWrapperDescrObject.d_wrapped, which is the same as
  // the first.
  constexpr uintptr_t initializer = 296, constructor = 400, wrapped = 48;
  if (!descriptor.is_of_type("wrapper_descriptor"))
    return;
  auto& place = at<const void*>(type, initializer);
  if (place != row.hook.wrapper() && place != at<const void*>(descriptor.get(), wrapped))
    return;
  // Newer NumPys have a constructor that calls no initializer; without one the interpreter
  // depends on it.
  auto& shortcut = at<const void*>(type, constructor);
  Module module;
  if (shortcut != nullptr && (!find_module(place, module) || !module.holds(shortcut)))
    return;
  row.shape = Shape::tuple;
  exchange(place, row);
  __atomic_store_n(&shortcut, nullptr, __ATOMIC_RELEASE);
}

/// As PyCFunctionWithKeywords: `self` is the function that stood there before.
void* call_python_function(Object* self, void* a, void* b, void*) {
  return python.api.call(self, a, b);
}

/// Puts a function of ours where the module has one in Python. Its own code, and whoever asks the
/// module at each call, calls ours from now on; a name that was imported from it before does not.
void exchange_function(Object* module, Exchanged& row) {
  constexpr int takes_tuple_and_names = 3;
  const Part function(module, row.method);
  if (!function.is_of_type("function"))
    return; // there is none, or it is ours
  row.definition = {row.method, row.hook.wrapper(), takes_tuple_and_names, nullptr};
  row.shape = Shape::tuple;
  row.real = call_python_function;
  const Part instead(python.api.function(&row.definition, function.get(), nullptr));
  const Part names(module, "__dict__");
  if (instead.get() != nullptr && names.get() != nullptr)
    python.api.set_item(names.get(), row.method, instead.get());
}

void exchange(Exchanged& row) {
  if (row.hook.disabled)
    return;
  Object* const modules = python.api.modules();
  Object* module = modules != nullptr ? python.api.item(modules, row.module) : nullptr;
  if (module == nullptr && modules != nullptr && row.earlier_module != nullptr)
    module = python.api.item(modules, row.earlier_module);
  if (row.type == nullptr)
    return exchange_function(module, row);
  const Part type(module, row.type);
  const Part members(type.get(), "__dict__");
  const Part member(members.get(), row.method, true);
  if (same_text(row.method, "__init__"))
    exchange_initializer(type.get(), member, row);
  else
    exchange_method(member, row);
}

/// Of a number's hash, the sign is the number's (sys.hash_info).
void add_hash(Object* number, PythonSeed& seed) {
  const ptrdiff_t hash = python.api.hash(number);
  seed.is_negative = hash < 0;
  seed.hash = static_cast<uint64_t>(hash < 0 ? -hash : hash);
}

const char* text_of(const Part& text) {
  const char* const utf8 = text.get() != nullptr ? python.api.utf8(text.get()) : nullptr;
  if (utf8 == nullptr)
    python.api.clear_error();
  return utf8 != nullptr ? utf8 : "";
}

bool read_seed(Object* given, PythonSeed& seed);

/// What NumPy takes besides numbers: lists and tuples of them.
bool read_sequence(Object* given, PythonSeed& seed) {
  const ptrdiff_t size = python.api.sequence_size(given);
  seed.is_sequence = seed.has_low_parts = true;
  seed.hash = static_cast<uint64_t>(size) + 1;
  for (ptrdiff_t i = 0; i < size; ++i) {
    const Part item(python.api.sequence_item(given, i));
    PythonSeed number;
    if (item.get() == nullptr || !read_seed(item.get(), number))
      return false;
    if (number.is_sequence || number.is_real || number.is_negative)
      return false; // which NumPy refuses
    seed.has_low_parts &= number.is_low();
    seed.hash = derive(seed.hash, number.name()) | 1;
  }
  return size > 0;
}

/// NumPy's own whole numbers, and sequences.
bool read_other_seed(Object* given, PythonSeed& seed) {
  Object* const type = at<Object*>(given, type_of_object);
  const Part name(type, "__name__");
  const Part module(type, "__module__");
  const char* const of = text_of(module);
  if (same_text(of, "builtins"))
    return (same_text(text_of(name), "list") || same_text(text_of(name), "tuple")) &&
           read_sequence(given, seed);
  if (!same_text(of, "numpy") || !contains(text_of(name), "int"))
    return false;
  const Part whole(python.api.index(given));
  return whole.get() != nullptr && read_seed(whole.get(), seed);
}

/// The number, if it is one and nothing but one, or a sequence of them: no class of the user's, no
/// array.
bool read_seed(Object* given, PythonSeed& seed) {
  const void* const type = at<const void*>(given, type_of_object);
  if (type != python.api.whole_type && type != python.api.real_type)
    return read_other_seed(given, seed);
  if (type == python.api.whole_type) {
    seed.whole = python.api.as_whole(given);
    if (seed.whole != ~uint64_t{0} || python.api.pending_error() == nullptr)
      return true;
    python.api.clear_error(); // negative, or larger
    add_hash(given, seed);
    if (!seed.is_negative)
      return true;
    Object* const positive = python.api.absolute(given); // which random.seed takes
    if (positive == nullptr)
      return python.api.clear_error(), false;
    seed = {};
    read_seed(positive, seed);
    seed.is_negative = true;
    python.api.decrement(positive);
    return true;
  }
  seed.real = python.api.as_real(given);
  if (seed.real != seed.real)
    return false; // its hash is another each time
  seed.is_real = seed.real >= 0 && seed.real < 1e19;
  seed.whole = seed.is_real ? static_cast<uint64_t>(seed.real) : 0;
  add_hash(given, seed);
  return true;
}

/// True if the user's line calls what seeds, with nothing between but Python's own `random`: what a
/// package's function was handed, that may use for more.
bool is_called_at_once() {
  PythonCallSite place;
  find_python_call_site(place, PythonDetail::all, false);
  for (int i = 0; i < place.user; ++i)
    if (!ends_with(place.frames[i].file, "/random.py") ||
        python_origin(place.frames[i].file) != PythonOrigin::library)
      return false;
  return place.user >= 0;
}

/// Whether the function takes such a seed.
bool is_taken(const Exchanged& row, const PythonSeed& seed) {
  if (seed.is_sequence)
    return row.takes_sequences;
  return row.takes_any || !(seed.is_negative || seed.is_real || seed.name() > row.highest);
}

/// What the function is to get instead, a new reference; nullptr: what it is given.
Object* replacement(const Exchanged& row, Object* given, const void* caller) {
  PythonSeed seed;
  if (given == nullptr || python.api.pending_error() != nullptr || !read_seed(given, seed))
    return nullptr;
  if (!is_taken(row, seed))
    return nullptr; // an error of its own
  ChosenSeed chosen;
  if (!choose_python_seed(row.kind, seed, caller, chosen) &&
      (!row.sees_first_seed(options().policy) || !choose_own_python_seed(row.kind, seed, chosen)))
    return nullptr;
  record({row.hook.info().library, row.hook.info().name, row.hook.info().fields}, chosen.action,
         caller, chosen.why,
         {chosen.why == Reason::clock_seed ? seed.whole : seed.name(), chosen.effective});
  if (chosen.action != Action::pin)
    return nullptr;
  if (chosen.takes_reading && is_called_at_once())
    drop_reading_of_seed();
  Object* const instead = python.api.whole(chosen.effective);
  if (instead == nullptr)
    python.api.clear_error();
  return instead;
}

/// Calls a function that takes the seed alone.
void* call_with_one(const Exchanged& row, Object* self, void* a, void* b, void* c,
                    const void* caller) {
  Object* const instead = replacement(row, a, caller);
  if (instead == nullptr)
    return row.real(self, a, b, c);
  void* const result = row.real(self, instead, b, c);
  python.api.decrement(instead);
  return result;
}

/// Calls a function that takes an array of arguments, and how many they are.
void* call_with_array(const Exchanged& row, Object* self, void* a, void* b, void* c,
                      const void* caller) {
  const bool has_names = row.shape == Shape::array_with_names && c != nullptr;
  const bool is_alone = reinterpret_cast<uintptr_t>(b) == 1 && !has_names;
  Object* instead = is_alone ? replacement(row, *static_cast<Object**>(a), caller) : nullptr;
  if (instead == nullptr)
    return row.real(self, a, b, c);
  void* const result = row.real(self, &instead, b, c);
  python.api.decrement(instead);
  return result;
}

/// The arguments with another seed: a tuple, or a dictionary where the seed is named there. nullptr
/// with an error set where there is no memory.
Object* arguments_with(const Exchanged& row, Object* instead, bool is_named, void* names) {
  if (!is_named)
    return python.api.tuple(1, instead);
  Object* const arguments = python.api.copy_of(names);
  if (arguments != nullptr)
    python.api.set_item(arguments, row.argument, instead);
  return arguments;
}

/// Calls a function that takes a tuple, and a dictionary or nullptr.
void* call_with_tuple(const Exchanged& row, Object* self, void* a, void* b, void* c,
                      const void* caller) {
  const ptrdiff_t size = python.api.tuple_size(a);
  const bool is_named = size == 0;
  Object* seed = nullptr;
  if (size == 1)
    seed = python.api.tuple_item(a, 0);
  else if (is_named && b != nullptr)
    seed = python.api.item(b, row.argument);
  Object* const instead = replacement(row, seed, caller);
  if (instead == nullptr)
    return row.real(self, a, b, c);
  Object* const arguments = arguments_with(row, instead, is_named, b);
  python.api.decrement(instead);
  if (arguments == nullptr) {
    python.api.clear_error();
    return row.real(self, a, b, c);
  }
  void* const result = is_named ? row.real(self, a, arguments, c) : row.real(self, arguments, b, c);
  python.api.decrement(arguments);
  return result;
}

void* call(const Exchanged& row, Object* self, void* a, void* b, void* c, const void* caller) {
  switch (row.shape) {
  case Shape::one:
    return call_with_one(row, self, a, b, c, caller);
  case Shape::array:
  case Shape::array_with_names:
    return call_with_array(row, self, a, b, c, caller);
  default:
    return call_with_tuple(row, self, a, b, c, caller);
  }
}

constexpr Description takes_clock = {
    .action = Action::pin,
    .fields = {"requested"_in, "effective"_out},
    .summary =
        "Replaces a seed that comes from a clock, or that a comparison of runs saw change; a fixed "
        "one stays.",
};

} // namespace
} // namespace detshim

using namespace detshim;

// No symbols of anybody's: what these functions are called in the tables that they are put into is
// in `rows`.
DETSHIM_HOOK(python, void*, python_random_seed, (void* self, void* a, void* b, void* c),
             takes_clock) {
  return call(python.rows[0], self, a, b, c, __builtin_return_address(0));
}
DETSHIM_HOOK(python, void*, numpy_legacy_seeding, (void* self, void* a, void* b, void* c),
             takes_clock) {
  return call(python.rows[1], self, a, b, c, __builtin_return_address(0));
}
DETSHIM_HOOK(python, void*, numpy_SeedSequence, (void* self, void* a, void* b, void* c),
             takes_clock) {
  return call(python.rows[2], self, a, b, c, __builtin_return_address(0));
}
DETSHIM_HOOK(python, void*, jax_random_seed, (void* self, void* a, void* b, void* c), takes_clock) {
  return call(python.rows[3], self, a, b, c, __builtin_return_address(0));
}
DETSHIM_HOOK(python, void*, tensorflow_set_global_seed, (void* self, void* a, void* b, void* c),
             takes_clock) {
  return call(python.rows[4], self, a, b, c, __builtin_return_address(0));
}

namespace detshim {

void exchange_python_seeds(const void* caller) {
  __atomic_store_n(&python.may_be_passed, true, __ATOMIC_RELAXED);
  if (!find_interpreter(caller) || python.api.pending_error() != nullptr)
    return;
  for (Exchanged& row : python.rows)
    exchange(row);
}

void exchange_imported_seeds(const void* caller) {
  const bool are_wanted = __atomic_load_n(&python.may_be_passed, __ATOMIC_RELAXED) ||
                          options().policy == SeedPolicy::vary;
  if (__builtin_expect(!are_wanted, 1))
    return;
  Module module;
  if (!find_module(caller, module) || !is_python(module))
    return;
  const PythonLock lock(module);
  if (holds_python_lock())
    exchange_python_seeds(caller);
}

} // namespace detshim
