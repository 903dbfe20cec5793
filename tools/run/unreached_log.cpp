#include "run/unreached_log.h"

#include "common/log_folder.h"
#include "common/record_schema.h"
#include "common/secrets.h"
#include "common/text.h"
#include "common/version.h"
#include "environment/capture.h"
#include "environment/kept_environments.h"
#include "scanner/preloading.h"
#include "support/descriptor.h"
#include "support/exit_status.h"
#include "support/variable.h"
#include "support/wording.h"

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include <fcntl.h>
#include <unistd.h>

namespace detshim {
namespace {

void write_records(int file, const std::string& run, const std::vector<std::string>& command,
                   Reason why) {
  const std::string program = find_executable(command.front());
  const auto pid = static_cast<std::uint64_t>(::getpid());
  const auto now = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::system_clock::now().time_since_epoch());
  const std::optional<std::uint64_t> seed = read_seed(variable("DETSHIM_SEED"));
  std::string arguments;
  for (const std::string& word : command)
    arguments.append(word).push_back('\0');
  const std::size_t size = arguments.size();
  arguments.push_back('\0');
  std::error_code error;
  Text<8192> lines;
  RecordWriter<RecordType::start> start(lines);
  start.number("v", log_format).text("detshim", detshim_version).text("run", run.c_str());
  start.number("begun", static_cast<std::uint64_t>(now.count()))
      .number("pid", pid)
      .number("rank", 0);
  start.text("path", "0").text("program", program.c_str());
  start.text("cwd", std::filesystem::current_path(error).c_str());
  const Unshown unshown = add_arguments(lines, arguments.data(), size, DrawnParts::hidden);
  if (unshown.is_cut)
    start.flag("args_cut", true);
  start.text("mode", variable("DETSHIM_MODE", seed ? "enforce" : "record").c_str());
  start.text("policy", variable("DETSHIM_SEED_POLICY", "fixed").c_str());
  if (seed)
    start.decimal("seed", *seed).text("seed_from", "DETSHIM_SEED");
  start.end();
  lines.add('\n');
  RecordWriter<RecordType::lost>(lines)
      .text("path", "0")
      .number("pid", pid)
      .text("program", program.c_str())
      .text("why", reason_code(why))
      .end();
  lines.add('\n');
  if (::write(file, lines.c_str(), lines.length()) < 0)
    return; // a full disk: there is no log
}

} // namespace

void leave_unreached_log(const std::vector<std::string>& command, Reason why) {
  if (std::getenv("DETSHIM_RUN") != nullptr)
    return; // within a run, whose log says it
  const std::string run = new_run_name(std::time(nullptr));
  const char* const named = std::getenv("DETSHIM_LOG");
  std::error_code error;
  std::string folder =
      std::filesystem::absolute(named != nullptr ? named : "detshim-log/" + run, error).string();
  bool made = false;
  const std::string name = folder;
  const OwnedDescriptor opened(open_log_folder(folder.data(), named == nullptr, true, made));
  if (!opened)
    return;
  bool is_new = false;
  const std::string file_name = "0-0-" + std::to_string(::getpid()) + ".jsonl";
  const OwnedDescriptor file(
      open_own_file(opened.number(), file_name.c_str(), O_WRONLY | O_APPEND, is_new));
  if (!file)
    return;
  write_records(file.number(), run, command, why);
  if (made && named == nullptr)
    link_latest(opened.number(), run.c_str(), ::getpid());
  try {
    Environment environment = capture_start(command);
    environment.run = run;
    capture_likely_files(command, true, environment);
    write_whole(place_to_keep(name, environment), environment_json(environment));
  } catch (const UsageError&) { // a full disk
  }
}

} // namespace detshim
