// Reads a folder in the way named by the first argument and prints the names as they come.
#include <dirent.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

using Names = std::vector<std::string>;

std::string folder;

DIR* open_folder() {
  DIR* const stream = opendir(folder.c_str());
  if (stream == nullptr) std::exit(3);
  return stream;
}

void print(const Names& names) {
  for (const std::string& name : names) std::printf("%s\n", name.c_str());
}

Names read_from(DIR* stream, std::size_t limit = ~std::size_t{0}) {
  Names names;
  errno = 0;
  while (names.size() < limit) {
    const dirent* const entry = readdir(stream);
    if (entry == nullptr) break;
    names.emplace_back(entry->d_name);
  }
  if (errno != 0) std::printf("errno %d\n", errno);
  return names;
}

void read_all() {
  DIR* const stream = open_folder();
  print(read_from(stream));
  std::printf("at the end: %d\n", readdir(stream) == nullptr);
  std::printf("closed: %d\n", closedir(stream));
}

void read_64() {
  DIR* const stream = open_folder();
  while (const dirent64* const entry = readdir64(stream))
    std::printf("%s %d\n", entry->d_name, entry->d_type);
  closedir(stream);
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
void read_into() {
  DIR* const stream = open_folder();
  dirent room;
  dirent* result = nullptr;
  while (readdir_r(stream, &room, &result) == 0 && result != nullptr) std::printf("%s\n", room.d_name);
  closedir(stream);
}

void hand_over() {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY);
  DIR* const stream = fdopendir(dup(fd));
  print(read_from(stream));
  std::printf("the same descriptor: %d\n", dirfd(stream) != fd);
  closedir(stream);
  DIR* const at_end = fdopendir(dup(fd)); // shares the offset, which is at the end
  std::printf("then %zu\n", read_from(at_end).size());
  rewinddir(at_end);
  std::printf("and again from the start\n");
  print(read_from(at_end));
  closedir(at_end);
}

void rewind_stream() {
  DIR* const stream = open_folder();
  print(read_from(stream, 5));
  const std::string added = folder + "/added";
  fclose(fopen(added.c_str(), "w"));
  rewinddir(stream);
  print(read_from(stream));
  unlink(added.c_str());
  rewinddir(stream);
  print(read_from(stream));
  closedir(stream);
}

/// Goes back to each place, last first, by what telldir said and by what each entry said of the next.
void tell() {
  DIR* const stream = open_folder();
  std::vector<long> places, following;
  for (;;) {
    places.push_back(telldir(stream));
    const dirent* const entry = readdir(stream);
    if (entry == nullptr) break;
    following.push_back(entry->d_off);
  }
  for (std::size_t i = places.size(); i-- > 0;) {
    seekdir(stream, places[i]);
    const dirent* const entry = readdir(stream);
    std::printf("%s\n", entry == nullptr ? "the end" : entry->d_name);
  }
  for (const long place : following) {
    seekdir(stream, place);
    const dirent* const entry = readdir(stream);
    std::printf("%s\n", entry == nullptr ? "the end" : entry->d_name);
  }
  closedir(stream);
}

void read_in_child() {
  DIR* const stream = open_folder();
  print(read_from(stream, 5));
  std::fflush(stdout);
  if (fork() == 0) {
    print(read_from(stream));
    std::fflush(stdout);
    _exit(0);
  }
  wait(nullptr);
  closedir(stream);
}

void read_two() {
  DIR* const one = open_folder();
  DIR* const other = opendir((folder + "/..").c_str());
  const Names outside = read_from(other, 2);
  DIR* const again = open_folder();
  for (;;) {
    const dirent* const a = readdir(one);
    const dirent* const b = readdir(again);
    if (a == nullptr || b == nullptr) break;
    std::printf("%s %s\n", a->d_name, b->d_name);
  }
  for (DIR* const stream : {one, other, again}) closedir(stream);
}

/// Two threads share a stream: each entry comes once.
void share() {
  DIR* const stream = open_folder();
  Names of[2];
  std::thread threads[2];
  for (int i = 0; i < 2; ++i) threads[i] = std::thread([&, i] { of[i] = read_from(stream); });
  for (std::thread& thread : threads) thread.join();
  of[0].insert(of[0].end(), of[1].begin(), of[1].end());
  std::ranges::sort(of[0]);
  print(of[0]);
  closedir(stream);
}

void remove_while_reading() {
  const std::string copy = folder + "-copy";
  std::filesystem::copy(folder, copy);
  DIR* const stream = opendir(copy.c_str());
  int removed = 0;
  while (const dirent* const entry = readdir(stream))
    if (entry->d_type == DT_REG) removed += unlinkat(dirfd(stream), entry->d_name, 0) == 0;
  rewinddir(stream);
  std::printf("removed %d, then %zu\n", removed, read_from(stream).size());
  std::printf("%d\n", rmdir(copy.c_str()));
  rewinddir(stream);
  std::printf("of a removed folder: %zu\n", read_from(stream).size());
  closedir(stream);
}

ssize_t by_number(int fd, void* room, std::size_t size) { return syscall(SYS_getdents64, fd, room, size); }

void kernel_entries(std::size_t size, ssize_t (*read)(int, void*, std::size_t) = getdents64) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY);
  std::vector<char> room(size);
  for (int round = 0; round < 2; ++round) {
    for (;;) {
      const ssize_t got = read(fd, room.data(), size);
      if (got <= 0) {
        if (got < 0) std::printf("errno %d\n", errno);
        break;
      }
      for (ssize_t at = 0; at < got;) {
        const auto* const entry = reinterpret_cast<const dirent64*>(room.data() + at);
        std::printf("%s\n", entry->d_name);
        at += entry->d_reclen;
      }
    }
    lseek(fd, 0, SEEK_SET);
  }
  close(fd);
}

int is_no_folder(const dirent* entry) { return entry->d_name[0] != '.'; }
int alike(const dirent**, const dirent**) { return 0; }

void scan(int (*select)(const dirent*), int (*compare)(const dirent**, const dirent**), bool is_at) {
  dirent** entries = nullptr;
  const int count = is_at ? scandirat(AT_FDCWD, folder.c_str(), &entries, select, compare)
                          : scandir(folder.c_str(), &entries, select, compare);
  for (int i = 0; i < count; ++i) {
    std::printf("%s\n", entries[i]->d_name);
    free(entries[i]);
  }
  free(entries);
}

void find(int flags) {
  glob_t found;
  if (glob((folder + "/*").c_str(), flags, nullptr, &found) != 0) return;
  for (std::size_t i = 0; i < found.gl_pathc; ++i)
    std::printf("%s\n", std::strrchr(found.gl_pathv[i], '/') + 1);
  globfree(&found);
}

void walk_fts() {
  std::string above = folder + "/..", of_file = folder + "/zeta";
  char* paths[] = {of_file.data(), folder.data(), nullptr}; // stay in this order
  FTS* const tree = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, nullptr);
  while (const FTSENT* const entry = fts_read(tree)) std::printf("%d %s\n", entry->fts_info, entry->fts_name);
  fts_close(tree);
}

void walk_nftw() {
  nftw(
      folder.c_str(),
      [](const char* path, const struct stat*, int, FTW* at) {
        std::printf("%s\n", path + at->base);
        return 0;
      },
      8, FTW_PHYS);
}

void filesystem() {
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    std::printf("%s\n", entry.path().filename().c_str());
}

} // namespace

int main(int, char** arguments) {
  folder = arguments[2];
  const std::map<std::string, std::function<void()>> ways = {
      {"readdir", read_all},
      {"readdir64", read_64},
      {"readdir_r", read_into},
      {"fdopendir", hand_over},
      {"rewinddir", rewind_stream},
      {"telldir", tell},
      {"fork", read_in_child},
      {"two", read_two},
      {"share", share},
      {"remove", remove_while_reading},
      {"getdents64", [] { kernel_entries(32768); }},
      {"getdents64_in_pieces", [] { kernel_entries(80); }},
      {"getdents64_too_small", [] { kernel_entries(8); }},
      {"syscall", [] { kernel_entries(32768, by_number); }},
      {"syscall_too_small", [] { kernel_entries(8, by_number); }},
      {"scandir", [] { scan(nullptr, nullptr, false); }},
      {"scandir_alike", [] { scan(is_no_folder, alike, false); }},
      {"scandir_sorted", [] { scan(nullptr, alphasort, false); }},
      {"scandirat", [] { scan(nullptr, nullptr, true); }},
      {"glob", [] { find(GLOB_NOSORT); }},
      {"glob_sorted", [] { find(0); }},
      {"fts", walk_fts},
      {"nftw", walk_nftw},
      {"filesystem", filesystem},
  };
  ways.at(arguments[1])();
}
