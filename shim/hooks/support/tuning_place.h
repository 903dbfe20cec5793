// Where a choice of recorded tuning holds: on which device, for which version of a library.
#pragma once

#include "common/text.h"
#include "core/tuning/tuning_file.h"

namespace detshim {

/// Appends the name of the current context's device, which the driver that is in the process is
/// asked for; "unknown" without a driver or a context.
void add_device_name(TextWriter& text);

/// The device of the calling thread and the version of a library, as the tuning file names them.
class TuningPlace {
public:
  TuningPlace() { add_device_name(device_); }

  TextWriter& version() { return version_; }
  /// What `problem` of `operation` is called. The texts are not copied.
  TuningProblem name(const char* library, const char* operation, const char* problem) {
    return {device_.c_str(), library, version_.c_str(), operation, problem};
  }

private:
  Text<260> device_;
  Text<32> version_;
};

} // namespace detshim
