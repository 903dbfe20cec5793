// The functions of CUDA's libraries that the hooks were written against: the lists in known_functions/, built
// in.
#pragma once

#include <string_view>
#include <vector>

namespace detshim {

/// What functions without a hook have in common.
struct FunctionClass {
  std::string_view name;
  std::string_view verdict; ///< harmless, told (by another function's hook) or unverified
  std::string_view reason;
};

struct KnownFunction {
  std::string_view name, function_class;
};

/// One library, of all versions that were looked at.
struct KnownFunctions {
  std::string_view library; ///< the hook table's name of it
  std::string_view version; ///< the last of them, as the library itself says it
  std::vector<FunctionClass> classes;
  std::vector<KnownFunction> functions; ///< by name

  bool has(std::string_view name) const;

  /// The class of a function that has no hook; nullptr for one that has, or that is not known.
  const FunctionClass* class_of(std::string_view name) const;
};

/// All libraries of which there is a list. cudart and cuda are none of them: the runtime reaches the driver
/// by lookups that are answered, and the driver's hooks force nothing.
const std::vector<KnownFunctions>& known_functions();

/// The list of one library, or nullptr.
const KnownFunctions* known_functions(std::string_view library);

/// True if `version` is later than `than`, both numbers separated by dots; nothing else counts as later than
/// anything: what cannot be read is not known.
bool is_later(std::string_view version, std::string_view than);

} // namespace detshim
