// The same wrappers as in stubs_x86_64.S; see there for what each is. The caller's return address is in x30,
// which the jump at the end leaves as the caller set it.
#include <asm/unistd.h>

    .text

    .macro BEGIN name
    .globl \name
    .type \name, %function
\name:
    .cfi_startproc
    hint #34 // bti c
    .endm

    .macro END name
    .cfi_endproc
    .size \name, . - \name
    .endm

// A frame of that many bytes; the caller's x29 and x30 are in the first 16.
    .macro ENTER_FRAME size
    stp x29, x30, [sp, #-\size]!
    .cfi_def_cfa_offset \size
    .cfi_offset 29, -\size
    .cfi_offset 30, -\size + 8
    mov x29, sp
    .endm

    .macro LEAVE_FRAME size
    ldp x29, x30, [sp], #\size
    .cfi_restore 29
    .cfi_restore 30
    .cfi_def_cfa_offset 0
    .endm

    .macro LOAD register, variable
    adrp \register, \variable
    ldr \register, [\register, #:lo12:\variable]
    .endm

    .macro LOOKUP_STUB name, prepare, real
    BEGIN \name
    ENTER_FRAME 48
    stp x0, x1, [sp, #16]
    str x2, [sp, #32]
    mov x3, x30
    bl \prepare
    mov x16, x1
    mov x17, x0
    ldp x0, x1, [sp, #16]
    ldr x2, [sp, #32]
    LEAVE_FRAME 48
    cbnz x16, 1f
    LOAD x16, \real
    br x16
1:  mov x0, x17
    ret
    END \name
    .endm

    LOOKUP_STUB dlsym, detshim_prepare_dlsym, detshim_real_dlsym
    LOOKUP_STUB dlvsym, detshim_prepare_dlvsym, detshim_real_dlvsym

    BEGIN dlopen
    ENTER_FRAME 32
    str x0, [sp, #16]
    mov x2, x30
    bl detshim_prepare_dlopen
    mov w1, w0
    ldr x0, [sp, #16]
    LEAVE_FRAME 32
    LOAD x16, detshim_real_dlopen
    br x16
    END dlopen

    BEGIN dlmopen
    ENTER_FRAME 48
    stp x0, x1, [sp, #16]
    str x2, [sp, #32]
    mov x0, x1
    mov x1, x30
    bl detshim_prepare_dlmopen
    ldp x0, x1, [sp, #16]
    ldr x2, [sp, #32]
    LEAVE_FRAME 48
    LOAD x16, detshim_real_dlmopen
    br x16
    END dlmopen

    BEGIN syscall
    cmp x0, #512
    b.hs 3f
    adrp x16, detshim_answered_calls
    add x16, x16, :lo12:detshim_answered_calls
    lsr x17, x0, #6
    ldr x16, [x16, x17, lsl #3]
    lsr x16, x16, x0
    tbnz x16, #0, 2f
    cmp x0, #__NR_clone
    b.eq 1f
    cmp x0, #__NR_clone3
    b.eq 1f
3:  LOAD x16, detshim_real_syscall
    cbz x16, 1f
    br x16
1:  ENTER_FRAME 80
    stp x0, x1, [sp, #16]
    stp x2, x3, [sp, #32]
    stp x4, x5, [sp, #48]
    str x6, [sp, #64]
    bl detshim_prepare_syscall
    mov x16, x0
    ldp x0, x1, [sp, #16]
    ldp x2, x3, [sp, #32]
    ldp x4, x5, [sp, #48]
    ldr x6, [sp, #64]
    LEAVE_FRAME 80
    br x16
2:  b detshim_answer_syscall
    END syscall

    .section .note.GNU-stack, "", %progbits
