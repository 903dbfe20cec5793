// A random UUID of the Qt whose library is named, without Qt's headers.
#include <cstdint>
#include <cstdio>
#include <dlfcn.h>

struct Uuid { // QUuid, which is returned in two registers
  uint32_t a;
  uint16_t b, c;
  uint8_t d[8];
};

int main(int, char** arguments) {
  void* const qt = dlopen(arguments[1], RTLD_NOW);
  if (qt == nullptr)
    return 77;
  const auto create = reinterpret_cast<Uuid (*)()>(dlsym(qt, "_ZN5QUuid10createUuidEv"));
  if (create == nullptr)
    return 77;
  const Uuid made = create();
  std::printf("%08x-%04x-%04x-", made.a, made.b, made.c);
  for (const uint8_t byte : made.d)
    std::printf("%02x", byte);
  std::puts("");
}
