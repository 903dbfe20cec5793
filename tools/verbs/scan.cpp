// detshim scan: what in programs and libraries no preload can intercept, found by decoding their
// code; with --gpu, which kernels of files and folders depend on the order of threads.
#include "artifact_formats/artifact_formats.h"
#include "report/kernel_report.h"
#include "report/scan_report.h"
#include "support/files.h"
#include "support/mapped_file.h"
#include "support/progress.h"
#include "support/wording.h"
#include "verbs/verbs.h"

#include <algorithm>
#include <iostream>
#include <set>

namespace detshim {
namespace {

/// The number of "sm_90", "compute_90", "90" or "90a".
unsigned architecture_number(const std::string& text) {
  std::string_view number = text;
  for (const std::string_view prefix : {"sm_", "compute_"})
    if (number.starts_with(prefix))
      number.remove_prefix(prefix.size());
  if (number.ends_with('a') || number.ends_with('f'))
    number.remove_suffix(1);
  const auto architecture = number_in<unsigned>(number);
  if (!architecture || *architecture < 10 || *architecture > 999)
    throw UsageError("--arch " + text +
                     ": no architecture; accepted are sm_70, sm_90 and the like");
  return *architecture;
}

class GpuScanner {
public:
  explicit GpuScanner(const ScanOptions& options) {
    for (const std::string& text : options.architectures)
      architectures_.insert(architecture_number(text));
  }

  /// What is found of other files is printed in any case.
  void look_at(const std::string& path) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      std::vector<std::string> files;
      for (const fs::directory_entry& entry :
           fs::recursive_directory_iterator(path, fs::directory_options::skip_permission_denied))
        if (progress_.say("listing " + path); entry.is_regular_file() && !entry.is_symlink())
          files.push_back(entry.path());
      std::ranges::sort(files);
      for (const std::string& file : files)
        look_at_file(file);
    } else if (const fs::file_status status = fs::status(path, error);
               !fs::is_regular_file(status)) {
      problem =
          in_quotes(path) + (fs::exists(status) ? " is no file to read" : ": " + error.message());
    } else if (!look_at_file(path)) {
      problem = in_quotes(path) +
                " holds no code for a GPU; accepted is a program, a library, an object or an "
                "archive of them, a .cubin, .fatbin or .ptx, a wheel, or a folder";
    }
  }

  std::string problem; ///< of a file that was named; empty: none
  std::vector<FileKernels> result;

private:
  /// Nothing is printed of a file without kernels.
  bool look_at_file(const std::string& path) {
    progress_.say(path);
    const MappedFile file(fs::canonical(path));
    FileKernels of_file{path, {}};
    const auto scan = [&](std::string_view bytes) {
      return scan_kernels(
          bytes,
          [&](unsigned number) {
            return architectures_.empty() || architectures_.contains(number);
          },
          of_file.scan,
          [&] {
            progress_.say(base_name(path) + ": " + counted(++pieces_, "piece") + " of code");
            file.forget();
          });
    };
    bool is_code = false;
    if (path.ends_with(".whl") || path.ends_with(".zip")) {
      const std::optional<Contents> contents = read_archive(file.bytes());
      if (contents)
        for (const Part& part : contents->parts)
          is_code |= scan(part.bytes);
    } else {
      is_code = scan(file.bytes());
    }
    const bool has_any = !of_file.scan.kernels.empty() || !of_file.scan.problems.empty();
    if (has_any)
      result.push_back(std::move(of_file));
    return is_code && has_any;
  }

  std::set<unsigned> architectures_;
  Progress progress_;
  std::size_t pieces_ = 0;
};

int scan_gpu(const ScanOptions& options) {
  GpuScanner scanner(options);
  for (const std::string& file : options.files)
    scanner.look_at(file);
  if (options.json)
    print_kernels_json(scanner.result, options.all);
  else
    print_kernels_text(scanner.result, options.all);
  std::cout.flush();
  if (!scanner.problem.empty())
    throw UsageError(scanner.problem);
  const bool is_clean = std::ranges::all_of(scanner.result, [](const FileKernels& file) {
    return file.scan.problems.empty() &&
           std::ranges::all_of(file.scan.kernels, [](const auto& kernel) {
             return kernel.second.answer == KernelAnswer::none;
           });
  });
  return is_clean ? done : check_failed;
}

} // namespace

int scan(const ScanOptions& options) {
  if (options.files.empty())
    throw UsageError(
        "no file to look at: detshim scan [options] FILE..., programs or shared libraries");
  if (options.gpu)
    return scan_gpu(options);
  for (const std::string& file : options.files)
    require_readable(file);
  const Scan scan = scan_files({options.files.begin(), options.files.end()}, options.alone);
  if (options.json)
    print_scan_json(scan);
  else
    print_scan_text(scan, options.all);
  return scan.is_uncovered() ? check_failed : done;
}

} // namespace detshim
