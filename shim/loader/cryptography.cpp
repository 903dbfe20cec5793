#include "loader/cryptography.h"

#include "common/cryptography.h"
#include "common/philox.h"
#include "common/text.h"
#include "core/base/modules.h"
#include "core/base/python_frames.h"
#include "core/base/string_references.h"
#include "core/log/log_file.h"
#include "core/policy/options.h"

#include <elf.h>
#include <initializer_list>

namespace detshim {
namespace {

// ------------------------------------------------------------------ a copy that hides its symbols

// All texts are sought at once (S. Wu and U. Manber, "A fast algorithm for multi-pattern searching", 1994,
// with blocks of two letters): what cannot be the end of a text's first letters is skipped.
constexpr size_t shortest = 8;
constexpr size_t hashes = 4096;
constexpr uint32_t block_hash(unsigned char a, unsigned char b) { return (a * 33u ^ b * 5u) % hashes; }

struct Skips {
  uint8_t table[hashes] = {};
  constexpr Skips() {
    for (uint8_t& skip : table) skip = shortest - 1;
    for (const CryptographyText& sought : cryptography_texts)
      for (size_t end = 2; end <= shortest; ++end) {
        uint8_t& skip = table[block_hash(static_cast<unsigned char>(sought.text[end - 2]),
                                         static_cast<unsigned char>(sought.text[end - 1]))];
        if (shortest - end < skip) skip = static_cast<uint8_t>(shortest - end);
      }
  }
};
constexpr Skips skips;

const char* find_library(const unsigned char* from, size_t size) {
  for (size_t end = shortest; end <= size;) {
    const uint8_t skip = skips.table[block_hash(from[end - 2], from[end - 1])];
    if (skip != 0) {
      end += skip;
      continue;
    }
    const unsigned char* const at = from + end - shortest;
    for (const CryptographyText& sought : cryptography_texts) {
      const size_t length = text_length(sought.text);
      if (length <= size - (end - shortest) && __builtin_memcmp(at, sought.text, length) == 0)
        return sought.library;
    }
    ++end;
  }
  return nullptr;
}

constexpr size_t search_limit = 64 << 20; // bytes of one object: 0.13 s, once

/// Where a module keeps its constants: what is only read, or, where the linker made no such segment, what
/// lies with the code.
const char* search(const Module& module) {
  for (const unsigned flags : {unsigned{PF_R}, unsigned{PF_R | PF_X}}) {
    size_t left = search_limit;
    size_t constants = 0; // the first page of each is headers
    for (int i = 0; i < module.header_count; ++i) {
      const ElfW(Phdr)& header = module.headers[i];
      if (header.p_type != PT_LOAD || (header.p_flags & (PF_R | PF_W | PF_X)) != flags) continue;
      constants += header.p_memsz;
      const size_t size = header.p_memsz < left ? header.p_memsz : left;
      left -= size;
      if (const char* library =
              find_library(reinterpret_cast<const unsigned char*>(module.base + header.p_vaddr), size))
        return library;
    }
    if (constants != 0) return nullptr;
  }
  return nullptr;
}

/// What was found in a module, kept for the whole process: a draw from a new place asks again.
struct Searched {
  uint64_t module; // 0: free
  const char* library;
};
constexpr size_t searched_limit = 64;
constinit Searched searched[searched_limit] = {};

/// The library whose code is linked into the module, or nullptr.
const char* cryptography_in(const Module& module) {
  const uint64_t key =
      fnv1a_text(module.path, derive(module.base, reinterpret_cast<uintptr_t>(module.dynamic))) | 1;
  Searched* free = nullptr;
  for (Searched& known : searched) {
    const uint64_t other = __atomic_load_n(&known.module, __ATOMIC_ACQUIRE);
    if (other == key) return known.library;
    if (other == 0) {
      free = &known;
      break;
    }
  }
  const char* const library = search(module);
  // Whoever else has the place keeps it, and searches again.
  uint64_t none = 0;
  constexpr uint64_t taken = 2; // no key: they are odd
  if (free != nullptr &&
      __atomic_compare_exchange_n(&free->module, &none, taken, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    free->library = library;
    __atomic_store_n(&free->module, key, __ATOMIC_RELEASE);
  }
  return library;
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

bool is_general_generator(const Module& module, const void* caller) {
  constexpr ptrdiff_t longest = 8192;
  const CodeRange code = function_at(static_cast<const char*>(caller) - 1);
  if (code.end - code.begin > longest) return false;
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

static_assert(is_secret_program("age") && is_secret_program("pwgen") && is_secret_program("zerotier-one"));

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
  for (const char* start : identifier_files)
    if (starts_with(file, start)) return {Reason::names_things};
  for (const IdentifierFunction& function : identifier_functions) {
    if (!starts_with(file, function.file_start)) continue;
    const void* start = module.symbol(function.symbol);
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
  if (!is_mixed && cryptography_in(module) == nullptr) return {};
  return is_general_generator(module, caller) ? KeptEntropy{} : mixed;
}

Reason why_python_keeps_entropy() {
  constexpr int limit = 8;
  struct Asked {
    Reason why = Reason::none;
    bool is_token = false;
  } asked;
  each_python_module(
      limit,
      [](const char* name, void* to) {
        Asked& found = *static_cast<Asked*>(to);
        Reason& reason = found.why;
        for (const char* package : cryptography_packages)
          if (is_in_package(name, package) && !gives_up_entropy(name)) reason = Reason::key;
        if (reason == Reason::none && keeps_entropy(name)) reason = Reason::named_by_user;
        found.is_token |= same_text(name, "secrets");
        // Who asked these two: what they give is the caller's.
        return reason == Reason::none && (same_text(name, "random") || same_text(name, "secrets"));
      },
      &asked);
  if (asked.is_token && asked.why == Reason::none) warn_of_tokens();
  return asked.why;
}

void note_listening() {
  uint8_t expected = Listening::no;
  __atomic_compare_exchange_n(&listening, &expected, Listening::yes, false, __ATOMIC_RELAXED,
                              __ATOMIC_RELAXED);
}

} // namespace detshim
