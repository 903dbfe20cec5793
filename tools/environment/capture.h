// Captures the environment that this process, or the run of a log, stands in.
#pragma once

#include "environment/environment.h"
#include "log_reader/log.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace detshim {

struct CaptureOptions {
  const Log* log = nullptr;                ///< of the run; without one nothing is known of what was mapped
  std::vector<std::string> known_settings; ///< variables that libdetshim.so sets or notes
  bool deep = false;                       ///< contents too: of caches, and of what wheels have installed
};

Environment capture_environment(const CaptureOptions& options);

// One function for each part; each fills sections of its own.

void capture_libraries(const CaptureOptions& options, Environment& to);
void capture_variables(const CaptureOptions& options, Environment& to);
void capture_distributions(const CaptureOptions& options, Environment& to);
void capture_code(const CaptureOptions& options, Environment& to);
void capture_caches(const CaptureOptions& options, Environment& to);
void capture_machine(const CaptureOptions& options, Environment& to);

/// True for a variable or an option whose value may be a secret, by its name.
bool names_a_secret(std::string_view name);
/// True for a value that looks drawn: a key or a token, whatever its name. Of such a hash says nothing.
bool looks_drawn(std::string_view value);
/// True for an address with a name and a password in it, which may be short.
bool holds_a_password(std::string_view value);

/// 64 bits in hexadecimal; for telling apart, not for security.
std::string hash_text(std::string_view bytes);

struct GitState {
  std::string text;    ///< "commit 1a2b…, changed 9f…, 2 untracked files 8e…"
  std::string problem; ///< why it is not known; empty: it is
};
/// Of the git repository that holds `folder`, with what is in its files that git does not follow; not in
/// those that it ignores.
GitState git_state(const std::string& folder);

/// Standard output of a program, without a shell; nothing where it cannot be run or fails.
std::optional<std::string> output_of(const std::vector<std::string>& command);

} // namespace detshim
