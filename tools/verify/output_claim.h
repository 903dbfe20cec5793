// One command at a time moves the files of an output: of two, each would take what the other one's
// program has made for the user's own.
#pragma once

#include "support/descriptor.h"
#include "verify/set_aside.h"

#include <filesystem>
#include <string>
#include <vector>

namespace detshim {

/// Says to the user's other commands on this machine which outputs are taken, for as long as it
/// lives.
class OutputClaim {
public:
  /// Throws UsageError if another command is at work on a file that one of the patterns may match.
  /// Of one that was killed, what it set aside is put back first; `kept` is where that of this one
  /// will be. Throws UsageError too where no folder can be had in which to tell the others.
  OutputClaim(const std::vector<std::string>& patterns, const std::filesystem::path& kept);
  ~OutputClaim();
  OutputClaim& operator=(OutputClaim&&) = delete; // neither copied nor moved

  /// Puts back what commands that were killed have set aside of these outputs, of files here, or in
  /// folders in `kept_beside`, which leads through no link. What it found, of all: what a line was
  /// said of before what is at work.
  static SetAside::Found recover(std::vector<std::string> patterns,
                                 const std::filesystem::path& kept_beside);

private:
  std::filesystem::path file_;
  OwnedDescriptor claim_;
};

} // namespace detshim
