// The two forms in which `detshim scan` prints what it found.
#pragma once

#include "scanner/scan.h"

namespace detshim {

/// For people. Of each kind of place in a file the first few, unless `all`.
void print_scan_text(const Scan& scan, bool all);

/// For programs: docs/schemas/scan.schema.json.
void print_scan_json(const Scan& scan);

} // namespace detshim
