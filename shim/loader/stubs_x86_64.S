// Wrappers that must hand a call on by a jump. The functions behind them look at their return address
// (dlsym: which object asks; RTLD_NEXT means "after it"), or would not survive a C frame in between (a system
// call that returns twice). So the stub asks C what to do, restores the arguments and jumps, with the caller's
// return address still on top of the stack.
#include <asm/unistd.h>

    .text

    .macro BEGIN name
    .globl \name
    .type \name, @function
\name:
    .cfi_startproc
    endbr64
    .endm

    .macro END name
    .cfi_endproc
    .size \name, . - \name
    .endm

    .macro PUSH register
    pushq \register
    .cfi_adjust_cfa_offset 8
    .endm

    .macro POP register
    popq \register
    .cfi_adjust_cfa_offset -8
    .endm

// A lookup: `prepare(handle, name, version, caller)` gives the answer in rax with rdx = 1, or rdx = 0 for "ask
// the real one".
    .macro LOOKUP_STUB name, prepare, real
    BEGIN \name
    PUSH %rdi
    PUSH %rsi
    PUSH %rdx
    movq 24(%rsp), %rcx
    call \prepare
    movq %rdx, %r11
    POP %rdx
    POP %rsi
    POP %rdi
    testq %r11, %r11
    jne 1f
    jmp *\real(%rip)
1:  ret
    END \name
    .endm

    LOOKUP_STUB dlsym, detshim_prepare_dlsym, detshim_real_dlsym
    LOOKUP_STUB dlvsym, detshim_prepare_dlvsym, detshim_real_dlvsym

// dlopen(path, flags): `prepare(path, flags, caller)` gives the flags to go on with.
    BEGIN dlopen
    PUSH %rdi
    movq 8(%rsp), %rdx
    call detshim_prepare_dlopen
    movl %eax, %esi
    POP %rdi
    jmp *detshim_real_dlopen(%rip)
    END dlopen

// dlmopen(namespace, path, flags): recorded.
    BEGIN dlmopen
    PUSH %rdi
    PUSH %rsi
    PUSH %rdx
    movq %rsi, %rdi
    movq 24(%rsp), %rsi
    call detshim_prepare_dlmopen
    POP %rdx
    POP %rsi
    POP %rdi
    jmp *detshim_real_dlmopen(%rip)
    END dlmopen

// syscall(number, ...): those that C has an answer to go there, every other number straight on; before those
// that may fork, C is told.
    BEGIN syscall
    cmpq $512, %rdi
    jae 3f
    btq %rdi, detshim_answered_calls(%rip)
    jc 2f
    leaq -__NR_clone(%rdi), %rax // and fork, vfork: the next numbers
    cmpq $2, %rax
    jbe 1f
    cmpq $__NR_clone3, %rdi
    je 1f
3:  movq detshim_real_syscall(%rip), %rax
    testq %rax, %rax
    je 1f
    jmp *%rax
1:  PUSH %rdi // or the first call of all: the arguments are kept
    PUSH %rsi
    PUSH %rdx
    PUSH %rcx
    PUSH %r8
    PUSH %r9
    subq $8, %rsp
    .cfi_adjust_cfa_offset 8
    call detshim_prepare_syscall
    addq $8, %rsp
    .cfi_adjust_cfa_offset -8
    POP %r9
    POP %r8
    POP %rcx
    POP %rdx
    POP %rsi
    POP %rdi
    jmp *%rax
2:  jmp detshim_answer_syscall // which has the parameters of syscall
    END syscall

    .section .note.GNU-stack, "", @progbits
