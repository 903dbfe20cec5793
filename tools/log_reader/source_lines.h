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

/// What is known of one place. Without debug information `file` is empty; without a symbol, `function` too.
struct SourceLine {
  std::string file;
  int line = 0;
  std::string function;
  std::uint64_t distance = 0;           ///< bytes from the symbol's start, where there is no line
  std::vector<SourceLine> inlined_into; ///< callers into whose code the function was inlined, innermost first
};

/// Looks places up in the modules that are on disk now. Keeps each module open, so ask one object for all.
class SourceLines {
public:
  /// Nothing is looked up in the `changed` files: what stands in them now is not what ran.
  explicit SourceLines(std::set<std::string> changed = {});
  ~SourceLines();
  SourceLines(const SourceLines&) = delete;
  SourceLines& operator=(const SourceLines&) = delete;

  /// Nothing if the module is gone or says nothing of that place.
  std::optional<SourceLine> find(const std::string& place);

  /// "train.cpp:12 main", with "<- caller" behind it where the function was inlined; else
  /// "libtrain.so(main+0x1b)"; else the place itself.
  std::string describe(const std::string& place);

private:
  class Module;
  std::set<std::string> changed_;
  std::map<std::string, std::unique_ptr<Module>> modules_;
};

} // namespace detshim
