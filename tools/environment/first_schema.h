// Environments of schema 1, whose subjects and states are texts.
#pragma once

#include "environment/environment.h"

#include <nlohmann/json_fwd.hpp>

namespace detshim {

inline constexpr int first_environment_schema = 1;

/// Reads the member `sections` of such a document. Throws what nlohmann-json throws for any other.
void read_first_sections(const nlohmann::json& sections, Environment& to);

} // namespace detshim
