// Decides by a table of rules, of which the first holds, about the object that the caller lies in:
// its name in the user's lists, a program that makes secrets, the names of cryptography libraries,
// functions that make identifiers, a copy of such a library within other code. There a generator of
// general use is told by the texts that its code refers to: it makes numbers and no keys.
//
// It cannot know what becomes of the bytes. Where other code of that object may have drawn, they
// stay the kernel's and the draw counts as nondeterministic.
#include "loader/cryptography.h"

#include "common/cryptography.h"
#include "common/text.h"
#include "core/base/modules.h"
#include "core/base/native_frames.h"
#include "core/base/string_references.h"
#include "core/policy/options.h"
#include "core/python/frames.h"
#include "core/seeds/clock_samples.h"
#include "loader/linked_cryptography.h"

#include <initializer_list>

namespace detshim {
namespace {

// ------------------------------------------------------------------ who keeps it

/// Beginnings of the names of libraries that compute as well: they keep it by std::random_device
/// alone. What else they ask for is asked for by the copy of OpenSSL and the allocator that are
/// linked into them.
constexpr const char* carrier_files[] = {"libarrow"};

/// Folders of such libraries whose files have names that say nothing.
constexpr const char* cryptography_folders[] = {"/cryptography/hazmat/bindings/"};

/// Where draws must differ between runs. NCCL names communicators by them, and two jobs on one host
/// with one seed would meet in one; PyTorch's shared memory is "torch_<pid>_<random>_<n>".
struct IdentifierFunction {
  const char* file_start;
  const char* symbol; ///< nullptr: all that the library draws
};
constexpr IdentifierFunction identifier_functions[] = {
    {"libnccl", nullptr},
    {"libtorch_cpu", "_ZN2at23NewProcessWideShmHandleB5cxx11Ev"},
    {"libtorch_cpu",
     "_ZN2at23NewProcessWideShmHandleEv"}, // of wheels with the older strings, to 2.6
    // What it draws itself is for a UUID of the time; random ones are made by its hooks. Without
    // its file of a clock, on a new machine, it would draw one number more.
    {"libuuid", nullptr},
};

// ------------------------------------------------------------------ a copy within other code

/// Whether a copy inside an object of other code could have made this call. The C++ library's
/// random device is no source of theirs; and of a Python with OpenSSL in it, only OpenSSL asks
/// getentropy.
bool may_belong_to_copy(const Hook& hook, const Module& module) {
  if (!same_text(hook.info().library, "libc"))
    return false;
  return !is_python(module) || same_text(hook.info().name, "getentropy");
}

/// Functions that draw for generators of general use, wherever they are linked: by the texts that
/// their code refers to, all of them. What is made from these are numbers, and no keys of the
/// libraries above, which draw for themselves.
constexpr const char* general_generators[][3] = {
    {"default", "/dev/urandom", "/dev/random"}, // std::random_device of libstdc++, its constructor
    {"random_device: getentropy failed"},       // and where that is its token
    {"could not initialize ThreadRng"},         // Rust's rand::rng()
    {"could not initialize thread_rng"},        // the same to version 0.8
};

/// True for what mimalloc draws, by which it lays out its heap: its function that does is called by
/// the one that would warn (src/random.c).
bool is_of_allocator(const Module& module, const void* caller) {
  NativeFrames frames;
  find_native_frames(caller, frames, 1);
  return frames.count > 0 &&
         refers_to_text(module, function_at(reinterpret_cast<const char*>(frames.addresses[0]) - 1),
                        "unable to use secure randomness\n");
}

bool is_general_generator(const Module& module, const void* caller) {
  constexpr ptrdiff_t longest = 8192;
  const CodeRange code = function_at(static_cast<const char*>(caller) - 1);
  if (code.end - code.begin > longest)
    return false;
  if (is_of_allocator(module, caller))
    return true;
  for (const auto& texts : general_generators) {
    bool has_all = true;
    for (const char* text : texts)
      has_all = has_all && (text == nullptr || refers_to_text(module, code, text));
    if (has_all)
      return true;
  }
  return false;
}

/// A generator with a state that the caller seeded: no entropy. What it gives follows from the
/// seed, which went to this library's own state and not to libc's.
bool draws_by_seed(const char* name) {
  return same_text(name, "rand") || same_text(name, "random") || same_text(name, "rand_r") ||
         contains(name, "rand48");
}

// ------------------------------------------------------------------ the rules

/// The code that draws.
struct DrawingCode {
  const Hook& hook;
  const void* caller;
  Purpose purpose;
  Module module;

  const char* file() const { return file_name(module.path); }
  bool draws_from_libc() const { return same_text(hook.info().library, "libc"); }
};

/// OpenSSL asked the kernel before; what it gives now may be a key.
bool is_of_openssl(const DrawingCode& code) {
  return same_text(code.hook.info().library, "openssl");
}

/// Whether the user's lists of names have the code's file: with the program's own name too.
bool is_named(const DrawingCode& code, bool (*list_has)(const char* name)) {
  if (*options().keep_entropy == 0)
    return false;
  char path[600];
  module_path(code.module, path, sizeof path);
  return list_has(file_name(path));
}

bool is_cryptography_library(const DrawingCode& code) {
  for (const char* start : cryptography_files)
    if (starts_with(code.file(), start))
      return true;
  for (const char* folder : cryptography_folders)
    if (contains(code.module.path, folder))
      return true;
  return false;
}

bool is_carrier(const DrawingCode& code) {
  for (const char* start : carrier_files)
    if (starts_with(code.file(), start))
      return true;
  return false;
}

bool is_at(const IdentifierFunction& function, const DrawingCode& code) {
  if (!starts_with(code.file(), function.file_start))
    return false;
  if (function.symbol == nullptr)
    return true;
  const void* const start = code.module.symbol(function.symbol);
  return start != nullptr && function_at(start).holds(static_cast<const char*>(code.caller) - 1);
}

bool makes_identifiers(const DrawingCode& code) {
  for (const IdentifierFunction& function : identifier_functions)
    if (is_at(function, code))
      return true;
  return false;
}

/// True for the tool that names files, where it makes names of a clock. It asks the kernel too, now
/// and then, where such a name was of no use: if that counted as a draw, the next child would have
/// another name. (Of `mktemp -u` all names are drawn, and no clock is read.)
bool names_files_by_clock(const DrawingCode& code) {
  char path[600];
  module_path(code.module, path, sizeof path);
  if (!same_text(file_name(path), "mktemp"))
    return false;
  const ClockSamples* const samples = own_clock_samples();
  bool has_read = false;
  if (samples != nullptr)
    for (const ClockSample& latest : samples->latest)
      has_read |= latest.source != Source::none;
  return has_read;
}

/// arc4random is how programs from OpenBSD make their keys themselves (ssh-keygen).
bool is_from_openbsd(const DrawingCode& code) {
  if (!starts_with(code.hook.info().name, "arc4random"))
    return false;
  for (const char* start : cryptography_files)
    if (code.module.needs(start))
      return true;
  return false;
}

bool has_copy(const Module& module) {
  for (const char* symbol : cryptography_symbols)
    if (module.symbol(symbol) != nullptr)
      return true;
  return holds_cryptography(module);
}

/// True for what the user did not write, and for no module of Python's: that is asked by a line.
bool is_installed(const DrawingCode& code) {
  if (contains(code.module.path, "/lib-dynload/"))
    return false;
  for (const char* folder : {"/usr/lib", "/lib", "/usr/sbin/"})
    if (starts_with(code.module.path, folder))
      return true;
  return contains(code.module.path, "-packages/");
}

struct KeepingRule {
  bool (*holds)(const DrawingCode&);
  KeptEntropy kept;
};

constexpr KeptEntropy mixed = {Reason::may_be_key, true};

// The first that holds answers.
constexpr KeepingRule keeping_rules[] = {
    {[](const DrawingCode& code) {
       return is_named(code, keeps_entropy);
     },
     {Reason::named_by_user}},
    {[](const DrawingCode& code) {
       return is_named(code, gives_up_entropy);
     },
     {}},
    {[](const DrawingCode&) {
       return makes_secrets();
     },
     {Reason::secret_program}},
    {is_cryptography_library, {Reason::key}},
    {[](const DrawingCode& code) {
       return is_of_openssl(code) && is_installed(code);
     },
     {Reason::key}},
    {is_of_openssl, mixed},
    {[](const DrawingCode& code) {
       return code.draws_from_libc() && is_carrier(code) &&
              !is_general_generator(code.module, code.caller);
     },
     {Reason::key}},
    {makes_identifiers, {Reason::names_things}},
    {names_files_by_clock, {Reason::names_things}},
    {is_from_openbsd, mixed},
    {[](const DrawingCode& code) {
       return code.purpose != Purpose::no_key && may_belong_to_copy(code.hook, code.module) &&
              has_copy(code.module) && !is_general_generator(code.module, code.caller);
     },
     mixed},
};

} // namespace

KeptEntropy why_entropy_is_kept(const Hook& hook, const void* caller, Purpose purpose) {
  DrawingCode code = {hook, caller, purpose, {}};
  if (draws_by_seed(hook.info().name) || !find_module(caller, code.module))
    return {};
  for (const KeepingRule& rule : keeping_rules)
    if (rule.holds(code))
      return rule.kept;
  return {};
}

} // namespace detshim
