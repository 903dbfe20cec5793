// The same wrappers as in stubs_x86_64.S; see there for what each is. The caller's return address is in x30,
// which the jump at the end leaves as the caller set it.

    .text

    .macro LOOKUP_STUB name, prepare, real
    .globl \name
    .type \name, %function
\name:
    .cfi_startproc
    hint #34 // bti c
    stp x29, x30, [sp, #-48]!
    .cfi_def_cfa_offset 48
    .cfi_offset 29, -48
    .cfi_offset 30, -40
    mov x29, sp
    stp x0, x1, [sp, #16]
    str x2, [sp, #32]
    mov x3, x30
    bl \prepare
    mov x16, x1
    mov x17, x0
    ldp x0, x1, [sp, #16]
    ldr x2, [sp, #32]
    ldp x29, x30, [sp], #48
    .cfi_restore 29
    .cfi_restore 30
    .cfi_def_cfa_offset 0
    cbnz x16, 1f
    adrp x16, \real
    ldr x16, [x16, #:lo12:\real]
    br x16
1:  mov x0, x17
    ret
    .cfi_endproc
    .size \name, . - \name
    .endm

    LOOKUP_STUB dlsym, detshim_prepare_dlsym, detshim_real_dlsym
    LOOKUP_STUB dlvsym, detshim_prepare_dlvsym, detshim_real_dlvsym

    .globl dlopen
    .type dlopen, %function
dlopen:
    .cfi_startproc
    hint #34
    stp x29, x30, [sp, #-32]!
    .cfi_def_cfa_offset 32
    .cfi_offset 29, -32
    .cfi_offset 30, -24
    mov x29, sp
    str x0, [sp, #16]
    mov x2, x30
    bl detshim_prepare_dlopen
    mov w1, w0
    ldr x0, [sp, #16]
    ldp x29, x30, [sp], #32
    .cfi_restore 29
    .cfi_restore 30
    .cfi_def_cfa_offset 0
    adrp x16, detshim_real_dlopen
    ldr x16, [x16, #:lo12:detshim_real_dlopen]
    br x16
    .cfi_endproc
    .size dlopen, . - dlopen

    .globl dlmopen
    .type dlmopen, %function
dlmopen:
    .cfi_startproc
    hint #34
    stp x29, x30, [sp, #-48]!
    .cfi_def_cfa_offset 48
    .cfi_offset 29, -48
    .cfi_offset 30, -40
    mov x29, sp
    stp x0, x1, [sp, #16]
    str x2, [sp, #32]
    mov x0, x1
    mov x1, x30
    bl detshim_prepare_dlmopen
    ldp x0, x1, [sp, #16]
    ldr x2, [sp, #32]
    ldp x29, x30, [sp], #48
    .cfi_restore 29
    .cfi_restore 30
    .cfi_def_cfa_offset 0
    adrp x16, detshim_real_dlmopen
    ldr x16, [x16, #:lo12:detshim_real_dlmopen]
    br x16
    .cfi_endproc
    .size dlmopen, . - dlmopen

    .globl syscall
    .type syscall, %function
syscall:
    .cfi_startproc
    hint #34
    cmp x0, #278 // SYS_getrandom
    b.eq 2f
    cmp x0, #220 // SYS_clone
    b.eq 1f
    cmp x0, #435 // SYS_clone3
    b.eq 1f
    adrp x16, detshim_real_syscall
    ldr x16, [x16, #:lo12:detshim_real_syscall]
    cbz x16, 1f
    br x16
1:  stp x29, x30, [sp, #-80]!
    .cfi_def_cfa_offset 80
    .cfi_offset 29, -80
    .cfi_offset 30, -72
    mov x29, sp
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
    ldp x29, x30, [sp], #80
    .cfi_restore 29
    .cfi_restore 30
    .cfi_def_cfa_offset 0
    br x16
2:  mov x0, x1
    mov x1, x2
    mov w2, w3
    mov x3, x30
    b detshim_syscall_getrandom
    .cfi_endproc
    .size syscall, . - syscall

    .section .note.GNU-stack, "", %progbits
