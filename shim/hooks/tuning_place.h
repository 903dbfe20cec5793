// Where a choice of recorded tuning holds: on which device, for which version of a library.
#pragma once

#include "common/text.h"
#include "core/base/modules.h"
#include "core/tuning/tuning_file.h"

namespace detshim {

/// Asks the driver that is in the process (the CUDA libraries open it themselves; nothing is linked or loaded
/// here). Source: cuda.h, cuCtxGetDevice and cuDeviceGetName.
class DeviceNamer {
public:
  /// Looks for the driver among the loaded objects; false if it is not there (yet).
  bool find() {
    current_ = reinterpret_cast<Current*>(const_cast<void*>(find_symbol("cuCtxGetDevice")));
    name_ = reinterpret_cast<Name*>(const_cast<void*>(find_symbol("cuDeviceGetName")));
    return current_ != nullptr && name_ != nullptr;
  }

  /// Appends the name of the current context's device; "unknown" without a driver or a context.
  void add_name(TextWriter& text) const {
    char name[256] = {};
    int device = 0;
    if (current_ != nullptr && name_ != nullptr && current_(&device) == 0 &&
        name_(name, sizeof name - 1, device) == 0 && *name != 0)
      text.add(name);
    else
      text.add("unknown");
  }

private:
  using Current = int(int* device);
  using Name = int(char* name, int size, int device);
  Current* current_ = nullptr;
  Name* name_ = nullptr;
};

/// The device of the calling thread and the version of a library, as the tuning file names them.
class TuningPlace {
public:
  explicit TuningPlace(const DeviceNamer& device) { device.add_name(device_); }
  TuningPlace() : TuningPlace(found_device()) {}

  TextWriter& version() { return version_; }
  /// What `problem` of `operation` is called. The texts are not copied.
  TuningProblem name(const char* library, const char* operation, const char* problem) {
    return {device_.c_str(), library, version_.c_str(), operation, problem};
  }

private:
  static DeviceNamer found_device() {
    DeviceNamer device;
    device.find();
    return device;
  }

  Text<260> device_;
  Text<32> version_;
};

} // namespace detshim
