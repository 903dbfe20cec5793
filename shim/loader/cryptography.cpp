#include "loader/cryptography.h"

#include "common/cryptography.h"
#include "common/philox.h"
#include "common/text.h"
#include "core/base/modules.h"
#include "core/base/native_frames.h"
#include "core/base/python_frames.h"
#include "core/base/string_references.h"
#include "core/log/log_file.h"
#include "core/policy/options.h"

#include <elf.h>
#include <initializer_list>
#include <string.h>

namespace detshim {
namespace {

// ------------------------------------------------------------------ who keeps it

/// Beginnings of the names of libraries that compute as well: they keep it by std::random_device alone. What
/// else they ask for is asked for by the copy of OpenSSL and the allocator that are linked into them.
constexpr const char* carrier_files[] = {"libarrow"};

/// Folders of such libraries whose files have names that say nothing.
constexpr const char* cryptography_folders[] = {"/cryptography/hazmat/bindings/"};

/// The Python packages that make keys by os.urandom, whose caller is the interpreter.
constexpr const char* cryptography_packages[] = {
    "nacl",  "Crypto", "Cryptodome", "cryptography", "paramiko", "bcrypt",    "OpenSSL", "asyncssh",
    "ecdsa", "rsa",    "jwcrypto",   "jose",         "argon2",   "coincurve", "passlib",
};

/// Where draws must differ between runs. NCCL names communicators by them, and two jobs on one host with one
/// seed would meet in one; PyTorch's shared memory is "torch_<pid>_<random>_<n>".
struct IdentifierFunction {
  const char* file_start;
  const char* symbol; ///< nullptr: all that the library draws
};
constexpr IdentifierFunction identifier_functions[] = {
    {"libnccl", nullptr},
    {"libtorch_cpu", "_ZN2at23NewProcessWideShmHandleB5cxx11Ev"},
    {"libtorch_cpu", "_ZN2at23NewProcessWideShmHandleEv"}, // of wheels with the older strings, to 2.6
};

// ------------------------------------------------------------------ a copy that hides its symbols

/// Texts that lie in such a library's code for drawing, or are linked with it, and in no program that only
/// uses the library.
constexpr const char* cryptography_texts[] = {
    "OpenSSL NIST SP 800-90A DRBG", // 1.1.1 and later
    "entropy fill failed",          // BoringSSL, AWS-LC
    "LibsodiumDRG",
    "/ring-0.", // where cargo keeps it: the place that a panic names
    "/rustls-0.",
};

bool holds_library(const void* from, size_t size) {
  for (const char* const sought : cryptography_texts)
    if (memmem(from, size, sought, text_length(sought)) != nullptr) return true;
  return false;
}

constexpr size_t search_limit = 64 << 20; // bytes of one object: 0.08 to 0.15 s, once

/// Where a module keeps its constants: what is only read, or, where the linker made no such segment, what
/// lies with the code.
bool search(const Module& module) {
  for (const unsigned flags : {unsigned{PF_R}, unsigned{PF_R | PF_X}}) {
    size_t left = search_limit;
    size_t constants = 0; // the first page of each is headers
    for (int i = 0; i < module.header_count; ++i) {
      const ElfW(Phdr)& header = module.headers[i];
      if (header.p_type != PT_LOAD || (header.p_flags & (PF_R | PF_W | PF_X)) != flags) continue;
      constants += header.p_memsz;
      const size_t size = header.p_memsz < left ? header.p_memsz : left;
      left -= size;
      if (holds_library(reinterpret_cast<const void*>(module.base + header.p_vaddr), size)) return true;
    }
    if (constants != 0) return false;
  }
  return false;
}

/// What was found in a module, kept for the whole process: a draw from a new call site asks again.
struct Searched {
  uint64_t module; // 0: free
  bool is_found;
};
constexpr size_t searched_limit = 64;
constinit Searched searched[searched_limit] = {};

/// True if such a library is linked into the module.
bool holds_cryptography(const Module& module) {
  const uint64_t key =
      fnv1a_text(module.path, derive(module.base, reinterpret_cast<uintptr_t>(module.dynamic))) | 1;
  Searched* free = nullptr;
  for (Searched& known : searched) {
    const uint64_t other = __atomic_load_n(&known.module, __ATOMIC_ACQUIRE);
    if (other == key) return known.is_found;
    if (other == 0) {
      free = &known;
      break;
    }
  }
  const bool is_found = search(module);
  // Whoever else has the place keeps it, and searches again.
  uint64_t none = 0;
  constexpr uint64_t taken = 2; // no key: they are odd
  if (free != nullptr &&
      __atomic_compare_exchange_n(&free->module, &none, taken, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    free->is_found = is_found;
    __atomic_store_n(&free->module, key, __ATOMIC_RELEASE);
  }
  return is_found;
}

/// Whether a copy inside an object of other code could have made this call. The C++ library's random device
/// is no source of theirs; and of a Python with OpenSSL in it, only OpenSSL asks getentropy.
bool may_belong_to_copy(const Hook& hook, const Module& module) {
  if (!same_text(hook.info().library, "libc")) return false;
  return !is_python(module) || same_text(hook.info().name, "getentropy");
}

/// Functions that draw for generators of general use, wherever they are linked: by the texts that their code
/// refers to, all of them. What is made from these are numbers, and no keys of the libraries above, which
/// draw for themselves.
constexpr const char* general_generators[][3] = {
    {"default", "/dev/urandom", "/dev/random"}, // std::random_device of libstdc++, its constructor
    {"random_device: getentropy failed"},       // and where that is its token
    {"could not initialize ThreadRng"},         // Rust's rand::rng()
    {"could not initialize thread_rng"},        // the same to version 0.8
};

/// True for what mimalloc draws, by which it lays out its heap: its function that does is called by the one
/// that would warn (src/random.c).
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
  if (code.end - code.begin > longest) return false;
  if (is_of_allocator(module, caller)) return true;
  for (const auto& texts : general_generators) {
    bool has_all = true;
    for (const char* text : texts)
      has_all = has_all && (text == nullptr || refers_to_text(module, code, text));
    if (has_all) return true;
  }
  return false;
}

/// A generator with a state that the caller seeded: no entropy. What it gives follows from the seed, which
/// went to this library's own state and not to libc's.
bool draws_by_seed(const char* name) {
  return same_text(name, "rand") || same_text(name, "random") || same_text(name, "rand_r") ||
         contains(name, "rand48");
}

/// "nacl.utils" is in "nacl".
bool is_in_package(const char* module, const char* package) {
  if (!starts_with(module, package)) return false;
  const char after = module[text_length(package)];
  return after == 0 || after == '.';
}

enum Listening : uint8_t { no, yes, warned };
constinit uint8_t listening = Listening::no;

void warn_of_tokens() {
  uint8_t expected = Listening::yes;
  if (!options().pins() || options().quiet ||
      !__atomic_compare_exchange_n(&listening, &expected, Listening::warned, false, __ATOMIC_RELAXED,
                                   __ATOMIC_RELAXED))
    return;
  Text<400> line;
  line.add(
      "detshim: this process listens on a socket and draws tokens by Python's secrets: whoever knows the "
      "seed predicts them; DETSHIM_KEEP_ENTROPY=secrets keeps them random\n");
  log_file::say(line);
}

} // namespace

KeptEntropy why_entropy_is_kept(const Hook& hook, const void* caller, Purpose purpose) {
  Module module;
  if (draws_by_seed(hook.info().name) || !find_module(caller, module)) return {};
  if (*options().keep_entropy != 0) { // the user's word comes first
    char path[600];
    module_path(module, path, sizeof path);
    if (keeps_entropy(file_name(path))) return {Reason::named_by_user};
    if (gives_up_entropy(file_name(path))) return {};
  }
  if (makes_secrets()) return {Reason::secret_program};
  const char* const file = file_name(module.path);
  for (const char* start : cryptography_files)
    if (starts_with(file, start)) return {Reason::key};
  for (const char* folder : cryptography_folders)
    if (contains(module.path, folder)) return {Reason::key};
  if (same_text(hook.info().library, "libc"))
    for (const char* start : carrier_files)
      if (starts_with(file, start) && !is_general_generator(module, caller)) return {Reason::key};
  for (const IdentifierFunction& function : identifier_functions) {
    if (!starts_with(file, function.file_start)) continue;
    const void* start = function.symbol != nullptr ? module.symbol(function.symbol) : nullptr;
    if (function.symbol == nullptr) return {Reason::names_things};
    if (start != nullptr && function_at(start).holds(static_cast<const char*>(caller) - 1))
      return {Reason::names_things};
  }
  constexpr KeptEntropy mixed = {Reason::may_be_key, true};
  // arc4random is how programs from OpenBSD make their keys themselves (ssh-keygen).
  if (starts_with(hook.info().name, "arc4random"))
    for (const char* start : cryptography_files)
      if (module.needs(start)) return mixed;
  if (purpose == Purpose::no_key || !may_belong_to_copy(hook, module)) return {};
  bool is_mixed = false;
  for (const char* symbol : cryptography_symbols) is_mixed = is_mixed || module.symbol(symbol) != nullptr;
  if (!is_mixed && !holds_cryptography(module)) return {};
  return is_general_generator(module, caller) ? KeptEntropy{} : mixed;
}

Reason why_python_keeps_entropy() {
  constexpr int limit = 8;
  Reason why = Reason::none;
  bool is_token = false;
  each_python_module(limit, [&](const char* name) {
    for (const char* package : cryptography_packages)
      if (is_in_package(name, package) && !gives_up_entropy(name)) why = Reason::key;
    if (why == Reason::none && keeps_entropy(name)) why = Reason::named_by_user;
    is_token |= same_text(name, "secrets");
    // Who asked these two: what they give is the caller's.
    return why == Reason::none && (same_text(name, "random") || same_text(name, "secrets"));
  });
  if (is_token && why == Reason::none) warn_of_tokens();
  return why;
}

void note_listening() {
  uint8_t expected = Listening::no;
  __atomic_compare_exchange_n(&listening, &expected, Listening::yes, false, __ATOMIC_RELAXED,
                              __ATOMIC_RELAXED);
}

} // namespace detshim
