// How Rust's foldhash makes the seed of all hash maps: a function with a constant of its own asks
// the standard library's, which has a frame pointer, for the time. Prints the nanoseconds that such
// a function gets, and those that another gets.
#include <cstdint>
#include <cstdio>
#include <ctime>

extern "C" uint64_t now();

// std::sys::pal::unix::time::Timespec::now as rustc compiles it.
#if defined(__x86_64__)
asm(R"(
    .text
    .globl now
    .type now, @function
now:
    .cfi_startproc
    push %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    sub $16, %rsp
    xor %edi, %edi
    mov %rsp, %rsi
    call clock_gettime@PLT
    imul $1000000000, (%rsp), %rax
    add 8(%rsp), %rax
    leave
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size now, .-now
)");
#else
uint64_t now() {
  timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}
#endif

namespace {

[[gnu::noinline]] uint64_t global_seed() { return now() * 0xbe5466cf34e90c6c; }
[[gnu::noinline]] uint64_t timestamp() { return now() * 0xbe5466cf34e90c6d; }

} // namespace

int main() {
  std::printf("%llu\n", static_cast<unsigned long long>(global_seed()));
  std::printf("%llu\n", static_cast<unsigned long long>(timestamp()));
}
