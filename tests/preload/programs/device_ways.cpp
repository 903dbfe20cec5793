// Reads a random device in one of the ways there are, and prints how much it got and what:
// `device_ways WAY`. More than any piece that could lie ready, and what follows is the same bytes
// in each way.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

// What programs that were built with _FORTIFY_SOURCE call.
extern "C" {
ssize_t __read_chk(int, void*, size_t, size_t);
ssize_t __pread_chk(int, void*, size_t, off_t, size_t);
ssize_t __pread64_chk(int, void*, size_t, off64_t, size_t);
size_t __fread_chk(void*, size_t, size_t, size_t, FILE*);
size_t __fread_unlocked_chk(void*, size_t, size_t, size_t, FILE*);
char* __fgets_chk(char*, size_t, int, FILE*);
char* __fgets_unlocked_chk(char*, size_t, int, FILE*);
int __uflow(FILE*);
}

namespace {

constexpr size_t wanted = 200000;
constexpr size_t step = 5000;
const char* const device = "/dev/urandom";
std::string all;
char room[step + 1];

[[noreturn]] void stop(const char* what) {
  std::perror(what);
  std::exit(1);
}

int open_device() {
  const int fd = open(device, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    stop("open");
  return fd;
}

FILE* open_stream() {
  FILE* const file = std::fopen(device, "rb");
  if (file == nullptr)
    stop("fopen");
  return file;
}

/// Calls part(room, step) until all is there.
template <typename Part>
void gather(Part part) {
  while (all.size() < wanted) {
    const ssize_t got = part(room, step);
    if (got <= 0)
      stop("the device ended");
    all.append(room, static_cast<size_t>(got));
  }
}

/// Calls get() for each byte.
template <typename Get>
void gather_bytes(Get get) {
  while (all.size() < wanted) {
    const int byte = get();
    if (byte < 0)
      stop("the device ended");
    all += static_cast<char>(byte);
  }
}

/// Calls get(room, size) for lines that end with a zero, whose bytes are not all known.
template <typename Get>
void gather_lines(Get get) {
  for (size_t i = 0; i < 2000; ++i) {
    std::memset(room, 0, sizeof room);
    if (!get(room, static_cast<int>(step)))
      stop("the device ended");
    all.append(room, sizeof room);
  }
}

/// Says what a call answered that the device does not know.
void tell(const char* call, bool worked) {
  std::printf("%s: %s\n", call, worked ? "works" : std::strerror(errno));
}

void read_as(std::string_view way) {
  if (way == "read") {
    const int fd = open_device();
    gather([&](char* to, size_t size) {
      return read(fd, to, size);
    });
  } else if (way == "by_number") {
    const auto fd = static_cast<int>(syscall(SYS_openat, AT_FDCWD, "/dev/urandom", O_RDONLY));
    gather([&](char* to, size_t size) {
      return read(fd, to, size);
    });
  } else if (way == "dup") {
    const int fd = dup(open_device());
    gather([&](char* to, size_t size) {
      return read(fd, to, size);
    });
  } else if (way == "read_chk") {
    const int fd = open_device();
    gather([&](char* to, size_t size) {
      return __read_chk(fd, to, size, sizeof room);
    });
  } else if (way == "readv") {
    const int fd = open_device();
    gather([&](char* to, size_t size) {
      const iovec parts[] = {{to, 7}, {to + 7, 0}, {to + 7, size - 7}};
      return readv(fd, parts, 3);
    });
  } else if (way == "pread") {
    const int fd = open_device();
    gather([&](char* to, size_t size) {
      return pread(fd, to, size, static_cast<off_t>(all.size()));
    });
  } else if (way == "pread_chk") {
    const int fd = open_device();
    gather([&](char* to, size_t size) {
      const auto at = static_cast<off_t>(all.size());
      return at % 2 != 0 ? __pread_chk(fd, to, size, at, sizeof room)
                         : __pread64_chk(fd, to, size - 1, at, sizeof room);
    });
  } else if (way == "preadv") {
    const int fd = open_device();
    gather([&](char* to, size_t size) {
      const iovec part = {to, size};
      return preadv(fd, &part, 1, static_cast<off_t>(all.size()));
    });
  } else if (way == "preadv2") {
    const int fd = open_device();
    gather([&](char* to, size_t size) {
      const iovec part = {to, size};
      return all.size() % 2 != 0 ? preadv2(fd, &part, 1, -1, 0)
                                 : preadv2(fd, &part, 1, static_cast<off_t>(all.size()), 0);
    });
  } else if (way == "fread") {
    FILE* const file = open_stream();
    gather([&](char* to, size_t size) {
      return std::fread(to, 1, size, file);
    });
  } else if (way == "fread_chk") {
    FILE* const file = open_stream();
    gather([&](char* to, size_t size) {
      return all.size() % 2 != 0 ? __fread_chk(to, sizeof room, 1, size, file)
                                 : __fread_unlocked_chk(to, sizeof room, 1, size - 1, file);
    });
  } else if (way == "unbuffered") {
    FILE* const file = open_stream();
    std::setvbuf(file, nullptr, _IONBF, 0);
    gather([&](char* to, size_t size) {
      return fread_unlocked(to, 1, size, file);
    });
  } else if (way == "fdopen") {
    FILE* const file = fdopen(open_device(), "r");
    gather([&](char* to, size_t size) {
      return std::fread(to, 1, size, file);
    });
  } else if (way == "getc") {
    FILE* const file = open_stream();
    gather_bytes([&] {
      return std::getc(file);
    });
  } else if (way == "getc_unlocked") {
    FILE* const file = open_stream();
    gather_bytes([&] {
      return getc_unlocked(file);
    });
  } else if (way == "uflow") {
    FILE* const file = open_stream();
    gather_bytes([&] {
      return file->_IO_read_ptr >= file->_IO_read_end ? __uflow(file) : fgetc_unlocked(file);
    });
  } else if (way == "fgets") {
    FILE* const file = open_stream();
    gather_lines([&](char* to, int size) {
      return std::fgets(to, size, file) != nullptr;
    });
  } else if (way == "fgets_chk") {
    FILE* const file = open_stream();
    gather_lines([&](char* to, int size) {
      return __fgets_chk(to, sizeof room, size, file) != nullptr &&
             __fgets_unlocked_chk(to, sizeof room, size, file) != nullptr;
    });
  } else if (way == "fscanf") {
    FILE* const file = open_stream();
    gather_lines([&](char* to, int) {
      return std::fscanf(file, "%4000c", to) == 1;
    });
  } else if (way == "getline") {
    FILE* const file = open_stream();
    char* line = nullptr;
    size_t size = 0;
    while (all.size() < wanted) {
      const ssize_t got =
          all.size() % 2 != 0 ? getline(&line, &size, file) : getdelim(&line, &size, 7, file);
      if (got <= 0)
        stop("the device ended");
      all.append(line, static_cast<size_t>(got));
    }
  } else if (way == "reopened") { // as hexdump does
    FILE* const file = std::freopen(device, "rb", stdin);
    if (file == nullptr || file != stdin)
      stop("freopen");
    gather_bytes([&] {
      return std::getchar();
    });
    if (std::freopen("/dev/null", "rb", stdin) != stdin || std::getchar() != EOF)
      stop("freopen again");
  } else if (way == "reopened_other") {
    FILE* const file = std::freopen(device, "rb", std::fopen("/dev/null", "rb"));
    if (file == nullptr)
      stop("freopen");
    gather_bytes([&] {
      return std::getc(file);
    });
  } else if (way == "stdin") { // it is open already
    gather_bytes([&] {
      return std::getchar();
    });
    if (std::fclose(stdin) != 0)
      stop("fclose");
  } else if (way == "standard_input") {
    gather([&](char* to, size_t size) {
      return read(0, to, size);
    });
  } else if (way == "sent") { // which programs answer by reading and writing
    const int fd = open_device();
    const int other = memfd_create("other", MFD_CLOEXEC);
    int ends[2];
    if (pipe(ends) != 0)
      stop("pipe");
    std::printf("%d", sendfile(other, fd, nullptr, 4096) < 0 && errno == EINVAL);
    std::printf("%d\n", splice(fd, nullptr, ends[1], nullptr, 4096, 0) < 0 && errno == EINVAL);
    return;
  } else if (way == "refused") { // what the device itself refuses
    const int fd = open_device();
    const int other = memfd_create("other", MFD_CLOEXEC);
    tell("copy_file_range", copy_file_range(fd, nullptr, other, nullptr, 4096, 0) > 0);
    tell("mmap", mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, fd, 0) != MAP_FAILED);
    return;
  } else if (way == "memory") { // what is read, and where, costs no memory
    const int fd = open_device();
    static char block[1 << 20];
    for (int i = 0; i < 40; ++i)
      if (read(fd, block, sizeof block) != sizeof block)
        stop("read");
    if (pread(fd, room, step, off_t{600} << 20) != step)
      stop("pread");
    if (lseek(fd, off_t{700} << 20, SEEK_SET) < 0 || read(fd, room, step) != step)
      stop("read far away");
    struct stat state;
    if (fstat(fd, &state) != 0)
      stop("fstat");
    std::printf("%s\n", state.st_blocks * 512 <= 65536 ? "bounded" : "grows");
    return;
  } else if (way == "status") { // of the device, and of a file that is in memory too
    for (const int fd : {open_device(), memfd_create("other", MFD_CLOEXEC)}) {
      struct statx state;
      if (statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &state) != 0)
        stop("statx");
      std::printf("mode %o, device %x:%x, size %llu, links %u\n", state.stx_mode,
                  state.stx_rdev_major, state.stx_rdev_minor,
                  static_cast<unsigned long long>(state.stx_size), state.stx_nlink);
    }
    return;
  } else {
    stop("unknown");
  }
}

uint64_t checksum(std::string_view bytes) {
  uint64_t sum = 0xCBF29CE484222325;
  for (const char byte : bytes)
    sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001B3;
  return sum;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2)
    return 2;
  read_as(argv[1]);
  if (all.size() < wanted)
    return 0;
  std::printf("%016lx\n", checksum({all.data(), wanted}));
}
