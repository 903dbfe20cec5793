// detshim scan: what in programs and libraries no preload can intercept, found by decoding their code.
#include "report/scan_report.h"
#include "verbs/verbs.h"

namespace detshim {

int scan(const ScanOptions& options) {
  if (options.files.empty())
    throw UsageError("no file to look at: detshim scan [options] FILE..., programs or shared libraries");
  const Scan scan = scan_files({options.files.begin(), options.files.end()}, options.alone);
  if (options.json)
    print_scan_json(scan);
  else
    print_scan_text(scan, options.all);
  return scan.is_uncovered() ? check_failed : done;
}

} // namespace detshim
