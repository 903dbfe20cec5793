// Changes its environment as it is told, and prints what is in it.
//   setenv NAME VALUE | default NAME VALUE (without overwriting) | putenv NAME=VALUE | unsetenv
//   NAME | clearenv write NAME=VALUE (into environ itself) | remove NAME (from it) | edit NAME
//   VALUE (in place) array (another array for environ, with the same entries) | dangling (one that
//   is gone when main returns) thread, child (fork) and next (execve with an explicit environment):
//   the rest there load FILE (dlopen) print NAME
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char** environ;

namespace {

char** entry_of(const std::string& name) {
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (std::strncmp(*entry, (name + "=").c_str(), name.size() + 1) == 0)
      return entry;
  return nullptr;
}

void follow(char** order) {
  const char* given = nullptr;
  const auto next = [&] {
    return given = *order != nullptr ? *order++ : "", given;
  };
  while (*order != nullptr) {
    const std::string what = *order++;
    if (what == "setenv" || what == "default") {
      const std::string name = next();
      setenv(name.c_str(), next(), what == "setenv" ? 1 : 0);
    } else if (what == "putenv") {
      putenv(strdup(next()));
    } else if (what == "unsetenv") {
      unsetenv(next());
    } else if (what == "clearenv") {
      clearenv();
    } else if (what == "write") {
      const std::string entry = next();
      char** place = entry_of(entry.substr(0, entry.find('=')));
      if (place != nullptr)
        *place = strdup(entry.c_str());
    } else if (what == "remove") {
      for (char** place = entry_of(next()); place != nullptr && *place != nullptr; ++place)
        place[0] = place[1];
    } else if (what == "edit") {
      const std::string name = next();
      std::strcpy(getenv(name.c_str()), next());
    } else if (what == "array") {
      size_t count = 0;
      while (environ[count] != nullptr)
        ++count;
      auto** copy = static_cast<char**>(std::malloc((count + 1) * sizeof(char*)));
      for (size_t i = 0; i <= count; ++i)
        copy[i] = environ[i] != nullptr ? strdup(environ[i]) : nullptr;
      environ = copy;
    } else if (what == "dangling") {
      environ = reinterpret_cast<char**>(0x1000); // nothing is there
    } else if (what == "print") {
      const char* value = getenv(next());
      std::printf("%s\n", value != nullptr ? value : "(unset)");
    } else if (what == "load") {
      if (dlopen(next(), RTLD_NOW) == nullptr)
        std::abort();
    } else if (what == "thread") {
      std::thread([&] {
        follow(order);
      }).join();
      return;
    } else if (what == "child") {
      std::fflush(stdout);
      if (const pid_t child = fork(); child != 0) {
        waitpid(child, nullptr, 0);
        return;
      }
    } else if (what == "next") {
      // The preload alone, and what the order before it gave to this program.
      std::string preload =
          "LD_PRELOAD=" + std::string{std::getenv("LD_PRELOAD") ? std::getenv("LD_PRELOAD") : ""};
      std::string seed = "DETSHIM_SEED=42",
                  log = "DETSHIM_LOG=" +
                        std::string{std::getenv("DETSHIM_LOG") ? std::getenv("DETSHIM_LOG") : ""};
      std::string bad = "NCCL_ALGO=Tree", quiet = "DETSHIM_QUIET=1";
      char* environment[] = {preload.data(), seed.data(), log.data(),
                             quiet.data(),   bad.data(),  nullptr};
      std::string self = "environment";
      order[-1] = self.data();
      std::fflush(stdout);
      execve("/proc/self/exe", order - 1, environment);
    }
  }
}

} // namespace

int main(int, char** arguments) { follow(arguments + 1); }
