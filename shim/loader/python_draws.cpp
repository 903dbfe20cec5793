// Decides from the 32 innermost frames of Python what a draw is for. A package that makes keys, or
// that the user has named, keeps the kernel's entropy. Functions that make names are listed; who
// wants the name is the first code that does not work for others. Where names are to be random, an
// installed package's stays the kernel's, unless that code may take it for a seed; the user's
// follows from the seed.
//
// It cannot know what becomes of a text. A package that makes keys and is in no table draws numbers
// here.
#include "loader/python_draws.h"

#include "common/text.h"
#include "core/log/log_file.h"
#include "core/log/repeated_names.h"
#include "core/policy/options.h"
#include "core/python/frames.h"

#include <cstdint>

namespace detshim {
namespace {

// ------------------------------------------------------------------ tables

/// The packages that make keys and passwords, by whatever they draw: of the entropy and the numbers
/// that they ask for, nothing else tells that they are no seeds.
constexpr const char* key_packages[] = {
    "argon2",    "asyncssh",      "authlib",     "bcrypt",       "bip_utils",       "bitcoinlib",
    "coincurve", "Crypto",        "Cryptodome",  "cryptography", "diceware",        "ecdsa",
    "ecpy",      "ellipticcurve", "eth_account", "eth_keys",     "fastecdsa",       "fido2",
    "hdwallet",  "jose",          "josepy",      "joserfc",      "jwcrypto",        "jwskate",
    "mnemonic",  "nacl",          "oauthlib",    "OpenSSL",      "paramiko",        "passlib",
    "pgpy",      "py_vapid",      "pyAesCrypt",  "pynostr",      "pyotp",           "pyseto",
    "pywebpush", "pyzipper",      "rsa",         "saml2",        "shamir_mnemonic", "shamirs",
    "spake2",    "srp",           "tinyec",      "trezorlib",    "xkcdpass",
};

/// Modules of Python's library that draw for whoever calls them: what they give is the caller's.
constexpr const char* drawing_modules[] = {"random", "secrets", "tempfile", "uuid"};

/// Their functions that make texts, which name things or are secrets. Those that make numbers are
/// not here: packages seed by them, NumPy's default_rng() by `secrets.randbits`. Nor is the choice
/// of an item: it may be of data.
struct NamingFunction {
  const char* module;
  const char* function; ///< nullptr: all that the module draws
  const char* letters =
      nullptr; ///< a variable; if what it holds is a text, its letters make another one
};
constexpr NamingFunction naming_functions[] = {
    {"uuid", nullptr},
    {"tempfile", nullptr},
    {"secrets", "token_bytes"},  // by which the other tokens draw
    {"random", "choice", "seq"}, // of SystemRandom: another generator's draws no entropy
    {"random", "choices", "population"},
    {"random", "sample", "population"},
};

/// Modules of packages with a generator of their own that makes nothing but names.
constexpr const char* naming_modules[] = {"datasets.fingerprint"};

/// Modules whose ids name nothing outside of the file that they write: they are part of a result.
constexpr const char* writing_modules[] = {
    "matplotlib.backends.backend_svg",
    "pandas.io.formats.style_render",
    "plotly.io._html",
};

/// Packages that call what the user's code has given them: `id: UUID =
/// Field(default_factory=uuid4)`.
constexpr const char* calling_back[] = {"attr", "attrs", "pydantic"};

// ------------------------------------------------------------------ who asks

constexpr int most_frames = 32;

/// "nacl.utils" is in "nacl".
bool is_in_package(const char* module, const char* package) {
  if (!starts_with(module, package))
    return false;
  const char after = module[text_length(package)];
  return after == 0 || after == '.';
}

template <size_t Count>
bool is_in_one(const char* module, const char* const (&packages)[Count]) {
  for (const char* const package : packages)
    if (is_in_package(module, package))
      return true;
  return false;
}

template <size_t Count>
bool is_one(const char* module, const char* const (&modules)[Count]) {
  for (const char* const known : modules)
    if (same_text(module, known))
      return true;
  return false;
}

bool is_naming(const PythonCode& code) {
  for (const NamingFunction& known : naming_functions)
    if (same_text(code.module(), known.module) &&
        (known.function == nullptr || same_text(code.function(), known.function)))
      return known.letters == nullptr || code.has_text(known.letters);
  return false;
}

/// True for code that does what other code wants: of Python's library, made and run by others,
/// called back.
bool is_for_others(const PythonCode& code) {
  if (is_in_one(code.module(), calling_back))
    return true;
  const PythonOrigin origin = python_origin(code.file());
  return origin == PythonOrigin::library ||
         (origin == PythonOrigin::text && !same_text(code.module(), "__main__"));
}

/// Whether what that code makes a name of may be a seed.
bool may_seed(const PythonCode& code) { return contains(code.function(), "seed") || code.seeds(); }

/// What is known of a draw, or of a call of those modules, once the frames were looked at.
struct Asked {
  Reason why = Reason::none;
  bool is_name = false;      ///< whoever asks wants a name
  bool is_temporary = false; ///< of a file
  bool is_token = false;

  /// Looks at the next frame; false if it is the last one to be looked at.
  bool look(const PythonCode& code) {
    const char* const module = code.module();
    if (is_in_one(module, key_packages) && !gives_up_entropy(module))
      why = Reason::key;
    else if (keeps_entropy(module))
      why = Reason::named_by_user;
    if (why != Reason::none)
      return false;
    if (is_one(module, drawing_modules)) {
      is_name |= is_naming(code);
      is_temporary |= same_text(module, "tempfile");
      is_token |= same_text(module, "secrets");
      return true;
    }
    if (is_one(module, naming_modules))
      is_name = is_generator = true;
    if (!is_name)
      return false;
    if (is_for_others(code))
      return true;
    if (is_left_to_kernel(code))
      why = Reason::names_things;
    return false;
  }

private:
  bool is_left_to_kernel(const PythonCode& code) const {
    return options().names == Names::random &&
           python_origin(code.file()) == PythonOrigin::package &&
           !gives_up_entropy(code.module()) && !is_one(code.module(), writing_modules) &&
           (is_generator || !may_seed(code));
  }

  bool is_generator = false; ///< is asked for, that makes nothing but names
};

/// Whether the calling thread's last draw is a package's name.
thread_local constinit bool is_package_name = false;

Asked ask() {
  Asked asked;
  each_python_code(most_frames, [&](const PythonCode& code) {
    return asked.look(code);
  });
  is_package_name = asked.why == Reason::names_things;
  return asked;
}

struct PythonDraws {
  enum Listening : uint8_t { no, yes, warned };
  /// Whether a package's name has come from tempfile's generator, which then is the kernel's.
  bool has_kernels_temporary_names = false;
  uint8_t listening = no; ///< on a socket: then tokens are a server's
};
constinit PythonDraws python_draws;

void warn_of_tokens() {
  uint8_t expected = PythonDraws::Listening::yes;
  if (!options().pins() || options().quiet ||
      !__atomic_compare_exchange_n(&python_draws.listening, &expected,
                                   PythonDraws::Listening::warned, false, __ATOMIC_RELAXED,
                                   __ATOMIC_RELAXED))
    return;
  Text<400> line;
  line.add("detshim: this process listens on a socket and draws tokens by Python's secrets: "
           "whoever knows the "
           "seed predicts them; DETSHIM_KEEP_ENTROPY=secrets keeps them random\n");
  log_file::say(line);
}

} // namespace

Reason why_python_keeps_entropy() {
  const Asked asked = ask();
  if (asked.why == Reason::names_things && asked.is_temporary)
    __atomic_store_n(&python_draws.has_kernels_temporary_names, true, __ATOMIC_RELAXED);
  if (asked.is_name && asked.why == Reason::none && options().pins())
    note_pinned_name();
  if (asked.is_token && asked.why == Reason::none)
    warn_of_tokens();
  return asked.why;
}

bool python_package_names_things() { return ask().why == Reason::names_things; }

bool took_package_name() {
  const bool was_taken = is_package_name;
  is_package_name = false;
  return was_taken;
}

bool is_users_temporary_name() {
  if (__builtin_expect(
          !__atomic_load_n(&python_draws.has_kernels_temporary_names, __ATOMIC_RELAXED), 1))
    return false;
  bool is_generator = false;
  each_python_code(1, [&](const PythonCode& code) {
    is_generator = same_text(code.module(), "tempfile") && same_text(code.function(), "rng");
    return false;
  });
  return is_generator && ask().why == Reason::none;
}

void note_listening() {
  uint8_t expected = PythonDraws::Listening::no;
  __atomic_compare_exchange_n(&python_draws.listening, &expected, PythonDraws::Listening::yes,
                              false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

} // namespace detshim
