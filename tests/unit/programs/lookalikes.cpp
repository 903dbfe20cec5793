// The bytes of RDRAND, RDSEED and a getrandom system call, none of which is one: inside immediates,
// behind a prefix that makes another instruction, and a system call whose number is another by
// then.
//
// In assembly only, so that no compiler chooses other instructions.
#include <cstdlib>

#if defined(__x86_64__)
__asm__(R"(
  .text
  .globl lookalikes
  .type lookalikes, @function
lookalikes:
  .cfi_startproc
  movabs $0x1122f0c70f334455, %rax   # 0F C7 F0: rdrand %eax
  movabs $0x1122f8c70f334455, %rcx   # 0F C7 F8: rdseed %eax
  mov $318, %eax
  movabs $0x11223344050f5566, %rdx   # 0F 05: syscall
  lea 0xf0c70f(%rip), %rsi
  rdpid %rcx                         # F3 0F C7 F9
  mov $318, %eax
  mov $39, %eax                      # getpid
  syscall
  mov $318, %eax
  mov %edi, %eax
  syscall
  mov $318, %eax
  call nothing
  syscall
  mov $318, %eax
  ret
  mov $318, %ecx
  syscall
  ret
  .cfi_endproc
  .size lookalikes, .-lookalikes
nothing:
  ret
)");
#endif

extern "C" void lookalikes();

int main(int count, char**) {
#if defined(__x86_64__)
  if (count == 1000)
    lookalikes();
#endif
  return std::rand() < 0;
}
