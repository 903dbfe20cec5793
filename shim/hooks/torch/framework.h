// What the hooks of PyTorch share: what the program itself asked for, and the record that says
// PyTorch is deterministic here.
#pragma once

#include "loader/hook.h"

namespace detshim::torch {

/// What the program has asked of use_deterministic_algorithms. What it was told before and gives
/// back (a guard that restores the setting) is no request.
enum class Request : uint8_t { none, warn_only, errors };

Request request();

/// The program calls setDeterministicAlgorithms.
void note_request(bool on, bool warn_only);

/// Whether Python is told that operators only warn. Remembers that it was.
bool tell_python_warn_only();

/// Writes the `framework` record, once in a process for each of the two answers.
void record_framework(const Hook& hook, bool deterministic);

/// The record of a process in which the hooks answer.
template <typename Call>
void record_forced(const Call& call) {
  record_framework(call.hook(), true);
}

} // namespace detshim::torch
