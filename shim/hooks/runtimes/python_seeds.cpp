// Calls the interpreter by its stable interface (Python/C API Reference Manual), through addresses found in
// it. What is not in there is the layout of three kinds of objects (cpython/Include/descrobject.h,
// methodobject.h, cpython/object.h; the same from 3.8 to 3.14): believed only where the names in it are those
// that are asked for.
#include "hooks/runtimes/python_seeds.h"

#include "common/text.h"
#include "core/base/modules.h"
#include "core/base/python_frames.h"
#include "core/seeds/python_readings.h"
#include "loader/hook.h"

namespace detshim {
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
  const void *whole_type, *real_type;
};
// clang-format off
constexpr char needs[][32] = {
    "PyImport_GetModuleDict", "PyDict_GetItemString", "PyObject_GetAttrString", "PyMapping_GetItemString",
    "PyUnicode_AsUTF8", "Py_DecRef", "PyErr_Occurred", "PyErr_Clear", "PyLong_AsUnsignedLongLong",
    "PyObject_Hash", "PyNumber_Absolute", "PyFloat_AsDouble", "PyLong_FromUnsignedLongLong", "PyTuple_Size",
    "PyTuple_GetItem", "PyTuple_Pack", "PyDict_Copy", "PyDict_SetItemString", "Py_GetVersion",
    "PyLong_Type", "PyFloat_Type"};
// clang-format on
static_assert(sizeof(Interpreter) == sizeof needs / sizeof *needs * sizeof(void*));
constinit Interpreter python = {};
constinit const void* python_is = nullptr; // its dynamic section

/// What was written for: CPython, with its lock.
bool is_known(const char* version) {
  if (sizeof(void*) != 8 || contains(version, "free-threading")) return false;
  for (const char* known : {"3.8.", "3.9.", "3.10.", "3.11.", "3.12.", "3.13.", "3.14."})
    if (starts_with(version, known)) return true;
  return false;
}

bool find_interpreter(const void* caller) {
  Module module;
  if (!find_module(caller, module) || !is_python(module)) return false;
  if (python_is == module.dynamic) return python.modules != nullptr;
  python_is = module.dynamic;
  python = {};
  const void* addresses[sizeof needs / sizeof *needs];
  for (size_t i = 0; i < sizeof needs / sizeof *needs; ++i)
    if ((addresses[i] = module.symbol(needs[i])) == nullptr) return false;
  Interpreter found;
  __builtin_memcpy(&found, addresses, sizeof found);
  if (!is_known(found.version())) return false;
  python = found;
  return true;
}

template <typename Value>
Value& at(void* object, uintptr_t offset) {
  return *reinterpret_cast<Value*>(static_cast<char*>(object) + offset);
}

// struct _object: the type.
constexpr uintptr_t type_of_object = 8;

/// An attribute, or with `is_item` what its dictionary holds, which binds nothing; given back at the end.
class Part {
public:
  Part(Object* of, const char* name, bool is_item = false) {
    if (of == nullptr) return;
    object_ = is_item ? python.mapping_item(of, name) : python.attribute(of, name);
    if (object_ == nullptr) python.clear_error();
  }
  ~Part() {
    if (object_ != nullptr) python.decrement(object_);
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  Object* get() const { return object_; }
  bool is_of_type(const char* name) const {
    if (object_ == nullptr) return false;
    const Part of(at<Object*>(object_, type_of_object), "__name__");
    const char* const text = of.get() != nullptr ? python.utf8(of.get()) : nullptr;
    return text != nullptr && same_text(text, name);
  }

private:
  Object* object_ = nullptr;
};

/// How a function takes its arguments.
enum class Shape : uint8_t { one, array, array_with_names, tuple };

/// A function that seeds, in the table of a class of that module.
struct Exchanged {
  Hook& hook;
  Kind kind;
  const char *module, *type;
  const char* method;   ///< of what initializes the class: `__init__`
  const char* argument; ///< the seed's name, where it may have one
  bool takes_any;       ///< real and negative numbers too
  uint64_t highest = ~uint64_t{0};
  Shape shape = Shape::one;
  Function* real = nullptr;
};

// PyMethodDef: the name, the function and how it is called (METH_VARARGS 1, KEYWORDS 2, O 8, FASTCALL 0x80).
struct Method {
  const char* name;
  const void* function;
  int flags;
};

/// True if the place lies in the part of a loaded object that is written to, which is no constant table.
bool is_data(const void* place) {
  Module module;
  if (!find_module(place, module)) return false;
  const auto offset = reinterpret_cast<uintptr_t>(place) - module.base;
  bool is_writable = false;
  for (int i = 0; i < module.header_count; ++i) {
    const ElfW(Phdr)& header = module.headers[i];
    if (offset < header.p_vaddr || offset - header.p_vaddr >= header.p_memsz) continue;
    if (header.p_type == PT_GNU_RELRO) return false;
    is_writable |= header.p_type == PT_LOAD && (header.p_flags & PF_W) != 0;
  }
  return is_writable;
}

void exchange(const void*& place, Exchanged& row) {
  if (place == row.hook.wrapper()) return;
  const void* const real = place;
  __builtin_memcpy(&row.real, &real, sizeof real);
  __atomic_store_n(&place, row.hook.wrapper(), __ATOMIC_RELEASE);
}

void exchange_method(const Part& found, Exchanged& row) {
  // PyMethodDescrObject.d_method; PyCFunctionObject.m_ml, with which Cython's own functions begin.
  const uintptr_t offset = found.is_of_type("method_descriptor")           ? 40
                           : found.is_of_type("cython_function_or_method") ? 16
                                                                           : 0;
  if (offset == 0) return;
  auto* const method = at<Method*>(found.get(), offset);
  if (!is_data(method) || !is_data(&method->flags) || !same_text(method->name, row.method)) return;
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

void exchange_initializer(Object* type, const Part& found, Exchanged& row) {
  // PyTypeObject.tp_init and .tp_vectorcall; PyWrapperDescrObject.d_wrapped, which is the same as the first.
  constexpr uintptr_t initializer = 296, constructor = 400, wrapped = 48;
  if (!found.is_of_type("wrapper_descriptor")) return;
  auto& place = at<const void*>(type, initializer);
  if (place != row.hook.wrapper() && place != at<const void*>(found.get(), wrapped)) return;
  // Newer NumPys have a constructor that goes past the initializer; without one the interpreter goes by it.
  auto& shortcut = at<const void*>(type, constructor);
  Module module;
  if (shortcut != nullptr && (!find_module(place, module) || !module.holds(shortcut))) return;
  row.shape = Shape::tuple;
  exchange(place, row);
  __atomic_store_n(&shortcut, nullptr, __ATOMIC_RELEASE);
}

void exchange(Exchanged& row) {
  if (row.hook.disabled) return;
  Object* const modules = python.modules();
  Object* const module = modules != nullptr ? python.item(modules, row.module) : nullptr;
  const Part type(module, row.type);
  const Part members(type.get(), "__dict__");
  const Part found(members.get(), row.method, true);
  if (same_text(row.method, "__init__"))
    exchange_initializer(type.get(), found, row);
  else
    exchange_method(found, row);
}

/// Of a number's hash, the sign is the number's (sys.hash_info).
void add_hash(Object* number, PythonSeed& seed) {
  const ptrdiff_t hash = python.hash(number);
  seed.is_negative = hash < 0;
  seed.hash = static_cast<uint64_t>(hash < 0 ? -hash : hash);
}

/// The number, if it is one and nothing but one: no class of the user's, no array.
bool read_seed(Object* given, PythonSeed& seed) {
  const void* const type = at<const void*>(given, type_of_object);
  if (type == python.whole_type) {
    seed.whole = python.as_whole(given);
    if (seed.whole != ~uint64_t{0} || python.pending_error() == nullptr) return true;
    python.clear_error(); // negative, or larger
    add_hash(given, seed);
    if (!seed.is_negative) return true;
    Object* const positive = python.absolute(given); // which random.seed takes
    if (positive == nullptr) return python.clear_error(), false;
    seed = {};
    read_seed(positive, seed);
    seed.is_negative = true;
    python.decrement(positive);
    return true;
  }
  if (type != python.real_type) return false;
  seed.real = python.as_real(given);
  if (seed.real != seed.real) return false; // its hash is another each time
  seed.is_real = seed.real >= 0 && seed.real < 1e19;
  seed.whole = seed.is_real ? static_cast<uint64_t>(seed.real) : 0;
  add_hash(given, seed);
  return true;
}

/// What the function is to get instead, a new reference; nullptr: what it is given.
Object* replacement(const Exchanged& row, Object* given, const void* caller) {
  PythonSeed seed;
  if (given == nullptr || python.pending_error() != nullptr || !read_seed(given, seed)) return nullptr;
  const bool is_taken = row.takes_any || !(seed.is_negative || seed.is_real || seed.name() > row.highest);
  if (!is_taken) return nullptr; // an error of its own
  ChosenSeed chosen;
  if (!choose_python_seed(row.kind, seed, caller, chosen) && !keep_for_comparison(seed, chosen))
    return nullptr;
  record({row.hook.info().library, row.hook.info().name, row.hook.info().fields}, chosen.action, caller,
         chosen.why, {chosen.why == Reason::clock_seed ? seed.whole : seed.name(), chosen.effective});
  if (chosen.action != Action::pin) return nullptr;
  Object* const instead = python.whole(chosen.effective);
  if (instead == nullptr) python.clear_error();
  return instead;
}

void* call(const Exchanged& row, Object* self, void* a, void* b, void* c, const void* caller) {
  const bool is_array = row.shape == Shape::array || row.shape == Shape::array_with_names;
  if (row.shape == Shape::one) {
    Object* const instead = replacement(row, a, caller);
    if (instead == nullptr) return row.real(self, a, b, c);
    void* const result = row.real(self, instead, b, c);
    python.decrement(instead);
    return result;
  }
  if (is_array) {
    const bool is_alone = reinterpret_cast<uintptr_t>(b) == 1 && (row.shape == Shape::array || c == nullptr);
    Object* instead = is_alone ? replacement(row, *static_cast<Object**>(a), caller) : nullptr;
    if (instead == nullptr) return row.real(self, a, b, c);
    void* const result = row.real(self, &instead, b, c);
    python.decrement(instead);
    return result;
  }
  // A tuple, and a dictionary or nullptr.
  const ptrdiff_t size = python.tuple_size(a);
  Object* const named = size == 0 && b != nullptr ? python.item(b, row.argument) : nullptr;
  Object* const instead = replacement(row, size == 1 ? python.tuple_item(a, 0) : named, caller);
  if (instead == nullptr) return row.real(self, a, b, c);
  Object* const arguments = size == 1 ? python.tuple(1, instead) : python.copy_of(b);
  if (arguments != nullptr && size == 0) python.set_item(arguments, row.argument, instead);
  python.decrement(instead);
  if (arguments == nullptr) {
    python.clear_error();
    return row.real(self, a, b, c);
  }
  void* const result = size == 1 ? row.real(self, arguments, b, c) : row.real(self, a, arguments, c);
  python.decrement(arguments);
  return result;
}

constexpr Description takes_clock = {
    .action = Action::pin,
    .fields = {"requested", "effective"},
    .summary = "Replaces a seed that comes from a clock, or that a comparison of runs saw change; a fixed "
               "one stays.",
};

extern Exchanged rows[3];

} // namespace
} // namespace detshim

using namespace detshim;

// No symbols of anybody's: what these functions are called in the tables that they are put into is in `rows`.
DETSHIM_HOOK(python, void*, python_random_seed, (void* self, void* a, void* b, void* c), takes_clock) {
  return call(rows[0], self, a, b, c, __builtin_return_address(0));
}
DETSHIM_HOOK(python, void*, numpy_legacy_seeding, (void* self, void* a, void* b, void* c), takes_clock) {
  return call(rows[1], self, a, b, c, __builtin_return_address(0));
}
DETSHIM_HOOK(python, void*, numpy_SeedSequence, (void* self, void* a, void* b, void* c), takes_clock) {
  return call(rows[2], self, a, b, c, __builtin_return_address(0));
}

namespace detshim {
namespace {

// random.seed, random.Random(x); numpy.random.seed, RandomState(x); default_rng, each bit generator.
constinit Exchanged rows[3] = {
    {hooks::python_random_seed, Kind::python_seed, "_random", "Random", "seed", "", true},
    {hooks::numpy_legacy_seeding, Kind::numpy_seed, "numpy.random._mt19937", "MT19937", "_legacy_seeding",
     "seed", false, 0xffffffff},
    {hooks::numpy_SeedSequence, Kind::numpy_seed, "numpy.random.bit_generator", "SeedSequence", "__init__",
     "entropy", false},
};

/// Whether a clock was read by the process's Python.
constinit bool may_be_passed = false;

} // namespace

void exchange_python_seeds(const void* caller) {
  __atomic_store_n(&may_be_passed, true, __ATOMIC_RELAXED);
  if (!find_interpreter(caller) || python.pending_error() != nullptr) return;
  for (Exchanged& row : rows) exchange(row);
}

void exchange_imported_seeds(const void* caller) {
  if (__builtin_expect(!__atomic_load_n(&may_be_passed, __ATOMIC_RELAXED), 1)) return;
  Module module;
  if (!find_module(caller, module) || !is_python(module)) return;
  const PythonLock lock(module);
  if (holds_python_lock()) exchange_python_seeds(caller);
}

} // namespace detshim
