// From the places in a log, "/path/of/module+0x1a2b", to lines of source.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace detshim {

/// The name of a C++ function as its source has it; any other name as it is.
std::string demangled(const char* symbol);

/// The same without its parameters, which make a line long and say little there:
/// "namespace::function".
std::string without_parameters(const std::string& symbol);

/// What is known of one place. Without debug information `file` is empty; without a symbol,
/// `function` too.
struct SourceLine {
  std::string file;
  int line = 0;
  std::string function;
  std::uint64_t distance = 0; ///< bytes from the symbol's start, where there is no line
  std::vector<SourceLine>
      inlined_into; ///< callers into whose code the function was inlined, innermost first
};

/// The line of the user's own code that led to a call.
struct UserLine {
  std::string place; ///< the one that it was found for
  SourceLine line;

  std::string text() const; ///< "train.cpp:12"
};

/// Looks places up in the modules that are on disk now. Keeps each module open, so ask one object
/// for all.
class SourceLines {
public:
  /// Nothing is looked up in the `changed` files: what stands in them now is not what ran.
  explicit SourceLines(std::set<std::string> changed = {});
  ~SourceLines();
  SourceLines& operator=(SourceLines&&) = delete; // neither copied nor moved

  /// Nothing if the module is gone or says nothing of that place.
  std::optional<SourceLine> find(const std::string& place);

  /// The innermost line that is no library's, among those of a place and of the frames behind it,
  /// with what was inlined there. Nothing where no file with debug information has one.
  std::optional<UserLine> find_user(const std::string& place,
                                    const std::vector<std::string>& frames);

  /// "train.cpp:12 main", with "<- caller" behind it where the function was inlined; else
  /// "libtrain.so(main+0x1b)"; else the place itself.
  std::string describe(const std::string& place);

  /// The same of a call, where the code at `place` is not the user's: "train.cpp:12 main ->
  /// random.h:1651 operator()". What is between the two is left out. If that line is in a library,
  /// the one that led there from outside of it is before it.
  std::string describe(const std::string& place, const std::vector<std::string>& frames);

private:
  class Module;
  std::string describe_innermost(const std::string& place);
  std::set<std::string> changed_;
  std::map<std::string, std::optional<SourceLine>> found_;
  std::map<std::string, std::unique_ptr<Module>> modules_;
};

} // namespace detshim
