// Wrappers that must hand a call on by a jump. The functions behind them look at their return address
// (dlsym: which object asks; RTLD_NEXT means "after it"), or would not survive a C frame in between (a system
// call that returns twice). So the stub asks C what to do, restores the arguments and jumps, with the caller's
// return address still on top of the stack.

    .text

// A lookup: `prepare(handle, name, version, caller)` gives the answer in rax with rdx = 1, or rdx = 0 for "ask
// the real one".
    .macro LOOKUP_STUB name, prepare, real
    .globl \name
    .type \name, @function
\name:
    .cfi_startproc
    endbr64
    pushq %rdi
    .cfi_adjust_cfa_offset 8
    pushq %rsi
    .cfi_adjust_cfa_offset 8
    pushq %rdx
    .cfi_adjust_cfa_offset 8
    movq 24(%rsp), %rcx
    call \prepare
    movq %rdx, %r11
    popq %rdx
    .cfi_adjust_cfa_offset -8
    popq %rsi
    .cfi_adjust_cfa_offset -8
    popq %rdi
    .cfi_adjust_cfa_offset -8
    testq %r11, %r11
    jne 1f
    jmp *\real(%rip)
1:  ret
    .cfi_endproc
    .size \name, . - \name
    .endm

    LOOKUP_STUB dlsym, detshim_prepare_dlsym, detshim_real_dlsym
    LOOKUP_STUB dlvsym, detshim_prepare_dlvsym, detshim_real_dlvsym

// dlopen(path, flags): `prepare(path, flags, caller)` gives the flags to go on with.
    .globl dlopen
    .type dlopen, @function
dlopen:
    .cfi_startproc
    endbr64
    pushq %rdi
    .cfi_adjust_cfa_offset 8
    movq 8(%rsp), %rdx
    call detshim_prepare_dlopen
    movl %eax, %esi
    popq %rdi
    .cfi_adjust_cfa_offset -8
    jmp *detshim_real_dlopen(%rip)
    .cfi_endproc
    .size dlopen, . - dlopen

// dlmopen(namespace, path, flags): recorded.
    .globl dlmopen
    .type dlmopen, @function
dlmopen:
    .cfi_startproc
    endbr64
    pushq %rdi
    .cfi_adjust_cfa_offset 8
    pushq %rsi
    .cfi_adjust_cfa_offset 8
    pushq %rdx
    .cfi_adjust_cfa_offset 8
    movq %rsi, %rdi
    movq 24(%rsp), %rsi
    call detshim_prepare_dlmopen
    popq %rdx
    .cfi_adjust_cfa_offset -8
    popq %rsi
    .cfi_adjust_cfa_offset -8
    popq %rdi
    .cfi_adjust_cfa_offset -8
    jmp *detshim_real_dlmopen(%rip)
    .cfi_endproc
    .size dlmopen, . - dlmopen

// syscall(number, ...): getrandom goes to C, every other number straight on; before those that may fork, C is told.
    .globl syscall
    .type syscall, @function
syscall:
    .cfi_startproc
    endbr64
    cmpq $318, %rdi // SYS_getrandom
    je 2f
    leaq -56(%rdi), %rax // SYS_clone, SYS_fork
    cmpq $1, %rax
    jbe 1f
    cmpq $435, %rdi // SYS_clone3
    je 1f
    movq detshim_real_syscall(%rip), %rax
    testq %rax, %rax
    je 1f
    jmp *%rax
1:  pushq %rdi // or the first call of all: the arguments are kept
    .cfi_adjust_cfa_offset 8
    pushq %rsi
    .cfi_adjust_cfa_offset 8
    pushq %rdx
    .cfi_adjust_cfa_offset 8
    pushq %rcx
    .cfi_adjust_cfa_offset 8
    pushq %r8
    .cfi_adjust_cfa_offset 8
    pushq %r9
    .cfi_adjust_cfa_offset 8
    subq $8, %rsp
    .cfi_adjust_cfa_offset 8
    call detshim_prepare_syscall
    addq $8, %rsp
    .cfi_adjust_cfa_offset -8
    popq %r9
    .cfi_adjust_cfa_offset -8
    popq %r8
    .cfi_adjust_cfa_offset -8
    popq %rcx
    .cfi_adjust_cfa_offset -8
    popq %rdx
    .cfi_adjust_cfa_offset -8
    popq %rsi
    .cfi_adjust_cfa_offset -8
    popq %rdi
    .cfi_adjust_cfa_offset -8
    jmp *%rax
2:  movq %rsi, %rdi
    movq %rdx, %rsi
    movl %ecx, %edx
    movq (%rsp), %rcx
    jmp detshim_syscall_getrandom
    .cfi_endproc
    .size syscall, . - syscall

    .section .note.GNU-stack, "", @progbits
