#include "supervisor/processes.h"

#include "common/cryptography.h"
#include "common/stream_kinds.h"
#include "scanner/elf_file.h"
#include "support/files.h"
#include "support/hash.h"
#include "support/wording.h"

#include <cinttypes>
#include <cstdio>

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/personality.h>
#include <sys/syscall.h>

namespace detshim {
namespace {

std::string proc(int pid, const char* name) { return "/proc/" + std::to_string(pid) + "/" + name; }

/// A file of /proc, whole; empty if it cannot be read.
std::string content(int folder, const char* name) {
  return read_all(OwnedDescriptor(::openat(folder, name, O_RDONLY | O_CLOEXEC)).number());
}

/// The last number in the line of /proc/PID/status that begins so: in the namespace of the process itself.
int last_number(const std::string& status, const std::string& key) {
  const std::size_t start = status.find("\n" + key + ":");
  if (start == std::string::npos) return 0;
  const std::string line = status.substr(start + 1, status.find('\n', start + 1) - start - 1);
  return std::atoi(line.c_str() + line.find_last_of("\t :") + 1);
}

bool has_thread(const Served& served, const seccomp_notif& call) {
  struct stat state;
  const std::string thread = "task/" + std::to_string(call.pid);
  return ::fstatat(served.folder.number(), thread.c_str(), &state, 0) == 0;
}

/// Where the executable lies in memory.
void read_addresses(Served& served, const Executable& executable, const struct stat& file) {
  bool has_base = executable.has_fixed_address;
  for (const std::string& line : split(content(served.folder.number(), "maps"), '\n')) {
    std::uint64_t begin, end, offset;
    unsigned major_number, minor_number;
    std::uint64_t inode;
    char rights[5];
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64, &begin, &end,
                    rights, &offset, &major_number, &minor_number, &inode) != 7)
      continue;
    if (inode != file.st_ino) continue;
    if (!has_base) served.base = begin - offset, has_base = true;
    if (rights[2] != 'x') continue;
    if (served.code_end == 0) served.code_begin = begin;
    served.code_end = end;
  }
}

/// True if an item of the comma-separated list fits.
template <typename Fits>
bool any_item(const std::string& list, Fits fits) {
  for (std::string& item : split(list, ',')) {
    std::erase(item, ' ');
    if (!item.empty() && fits(item)) return true;
  }
  return false;
}

/// Its kind is told by how it is loaded: the dynamic loader itself, started as a program, does preload.
Executable executable_of(const ElfFile& file) {
  const Answered answered = file.is_static_program() ? Answered::all
                            : file.is_go()           ? Answered::own_code
                                                     : Answered::none;
  return {answered, file.has_fixed_address()};
}

} // namespace

FileIdentity identity_of(const struct stat& state) {
  return {state.st_dev, state.st_ino, state.st_mtim.tv_sec, state.st_mtim.tv_nsec, state.st_size};
}

Executable Executables::look_up(const std::string& path, const struct stat& state) {
  const FileIdentity identity = identity_of(state);
  if (const auto found = known_.find(identity); found != known_.end()) return found->second;
  Executable executable;
  try {
    const ElfFile file(path);
    struct stat opened;
    if (::fstat(file.descriptor(), &opened) != 0 || identity_of(opened) != identity) return {};
    executable = executable_of(file);
  } catch (const ElfError&) { // another machine's, say
  }
  return known_[identity] = executable;
}

bool Served::makes_secrets() const {
  const std::string file = base_name(program);
  return (name.is_of_secret_script || is_secret_program(file.c_str())) &&
         !any_item(name.keep_entropy, [&](const std::string& item) {
           return item.starts_with('-') && file.starts_with(item.substr(1));
         });
}

bool Served::pins(const char* function) const {
  if (!name.pins()) return false;
  const std::string file = base_name(program);
  return !any_item(name.keep_entropy, [&](const std::string& item) {
    return file.starts_with(item);
  }) && !any_item(name.disabled, [&](const std::string& item) { return item == "libc" || item == function; });
}

std::string Served::place(std::uint64_t instruction) const {
  return program + "+0x" + hexadecimal(instruction - base);
}

Processes::Processes(const RunVariable& first, const struct stat& run_stderr, int watch)
    : namer_(first), stderr_device_(run_stderr.st_dev), stderr_inode_(run_stderr.st_ino), watch_(watch) {}

Served* Processes::known(const seccomp_notif& call, const FileIdentity& executable) {
  const auto found = by_thread_.find(static_cast<int>(call.pid));
  if (found == by_thread_.end()) return nullptr;
  Served* const served = found->second;
  return has_thread(*served, call) && served->executable == executable ? served : nullptr;
}

Served* Processes::find(const Listener& listener, const seccomp_notif& call) {
  const int thread = static_cast<int>(call.pid);
  const std::string link = proc(thread, "exe");
  struct stat file;
  if (::stat(link.c_str(), &file) != 0) return nullptr;
  const Executable executable = executables_.look_up(link, file);
  if (executable.answered == Answered::none || !listener.still_waits(call)) return nullptr;
  const FileIdentity identity = identity_of(file);
  Served* served = known(call, identity);
  if (served == nullptr) {
    const int pid = last_number(content(AT_FDCWD, proc(thread, "status").c_str()), "Tgid");
    const auto of_process = by_pid_.find(pid);
    if (of_process != by_pid_.end() && has_thread(*of_process->second, call) &&
        of_process->second->executable == identity) {
      served = of_process->second.get();
    } else {
      if (of_process != by_pid_.end()) end(pid); // it is another program now
      std::unique_ptr<Served> fresh = look_at(pid, call, executable, identity);
      if (fresh == nullptr) return nullptr;
      served = (by_pid_[pid] = std::move(fresh)).get();
      epoll_event event = {EPOLLIN, {.u64 = static_cast<std::uint64_t>(pid)}};
      if (served->life) ::epoll_ctl(watch_, EPOLL_CTL_ADD, served->life.number(), &event);
    }
    by_thread_[thread] = served;
    // Kept even so: it has its name now, and an interrupted call comes again.
    if (!listener.still_waits(call)) return nullptr;
  }
  const std::uint64_t at = call.data.instruction_pointer;
  const bool is_foreign =
      served->answered == Answered::own_code && (at < served->code_begin || at > served->code_end);
  return is_foreign ? nullptr : served;
}

std::unique_ptr<Served> Processes::look_at(int pid, const seccomp_notif& call, const Executable& executable,
                                           const FileIdentity& identity) {
  auto served = std::make_unique<Served>();
  served->pid = pid;
  served->folder = OwnedDescriptor(::open(proc(pid, "").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  served->life = OwnedDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  struct stat file;
  const int folder = served->folder.number();
  if (!served->folder || !has_thread(*served, call) || ::fstatat(folder, "exe", &file, 0) != 0 ||
      identity_of(file) != identity)
    return nullptr;
  served->executable = identity;
  served->answered = executable.answered;
  char path[4096];
  const ssize_t length = ::readlinkat(folder, "exe", path, sizeof path);
  served->program.assign(path, length > 0 ? static_cast<std::size_t>(length) : 0);
  read_addresses(*served, executable, file);

  const int own_number = last_number(content(folder, "status"), "NStgid");
  Variables environment;
  for (const std::string& entry : split(content(folder, "environ"), '\0'))
    if (const std::size_t end = entry.find('='); end != entry.npos)
      environment.emplace(entry.substr(0, end), entry.substr(end + 1));
  const std::string command = content(folder, "cmdline");
  struct stat owner;
  const bool is_same_user = ::fstat(folder, &owner) == 0 && owner.st_uid == ::geteuid();
  served->name = namer_.name(environment, command, own_number == 0 ? pid : own_number, is_same_user);
  // As the main thread's streams are named, of kinds of their own.
  served->getrandom = Stream(
      derive(derive(derive(served->name.key, 0), static_cast<std::uint64_t>(Kind::kernel_getrandom)), 0));

  StartRecord start = {own_number == 0 ? pid : own_number, served->program, "", command, ""};
  const ssize_t folder_length = ::readlinkat(folder, "cwd", path, sizeof path);
  start.working_directory.assign(path, folder_length > 0 ? static_cast<std::size_t>(folder_length) : 0);
  const std::string personality = content(folder, "personality");
  if (!personality.empty())
    start.layout = (std::stoul(personality, nullptr, 16) & ADDR_NO_RANDOMIZE) != 0 ? "fixed" : "random";
  const Served* const speaker = served.get();
  served->log = std::make_unique<ProcessLog>(
      served->name, std::move(start), [this, speaker](const std::string& line) { say(*speaker, line); });
  return served;
}

/// The process's own descriptor 2 is borrowed for the line: the supervisor keeps none open, or it would keep
/// the readers of a pipe waiting.
void Processes::say(const Served& served, const std::string& line) const {
  const OwnedDescriptor out(static_cast<int>(::syscall(SYS_pidfd_getfd, served.life.number(), 2, 0)));
  struct stat state;
  if (!out || ::fstat(out.number(), &state) != 0 || state.st_dev != stderr_device_ ||
      state.st_ino != stderr_inode_)
    return;
  pollfd ready = {out.number(), POLLOUT, 0}; // never waits for a reader
  if (::poll(&ready, 1, 0) == 1 && ::write(out.number(), line.data(), line.size()) < 0) return;
}

void Processes::end(int pid) {
  const auto found = by_pid_.find(pid);
  if (found == by_pid_.end()) return;
  found->second->log->end();
  std::erase_if(by_thread_, [&](const auto& entry) { return entry.second == found->second.get(); });
  by_pid_.erase(found);
}

void Processes::end_if_dead(int pid) {
  const auto found = by_pid_.find(pid);
  if (found == by_pid_.end()) return;
  pollfd life = {found->second->life.number(), POLLIN,
                 0}; // another process may have got the number meanwhile
  if (::poll(&life, 1, 0) == 1) end(pid);
}

void Processes::end_all() {
  while (!by_pid_.empty()) end(by_pid_.begin()->first);
}

} // namespace detshim
