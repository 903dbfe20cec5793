// A folder in memory, the same for all inputs of a target.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

class MemoryFolder {
public:
  MemoryFolder() {
    if (::mkdtemp(name_.data()) == nullptr)
      std::abort();
  }
  ~MemoryFolder() { std::filesystem::remove_all(name_); }
  MemoryFolder(const MemoryFolder&) = delete;
  MemoryFolder& operator=(const MemoryFolder&) = delete;

  const std::string& name() const { return name_; }

  void write(const char* name, std::string_view bytes) const {
    const int file =
        ::open((name_ + "/" + name).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || ::write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
      std::abort();
    ::close(file);
  }

private:
  std::string name_ = "/dev/shm/detshim-fuzz-XXXXXX";
};
