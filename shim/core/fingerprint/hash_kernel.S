// The text of hash_kernel.cu for the driver (hash_kernel.ptx), as a string of C. An assembler of any processor
// takes this.
    .section .rodata, "a"
    .hidden detshim_hash_kernel
    .globl detshim_hash_kernel
    .type detshim_hash_kernel, %object
detshim_hash_kernel:
    .incbin "core/fingerprint/hash_kernel.ptx"
    .byte 0
    .size detshim_hash_kernel, . - detshim_hash_kernel

    .section .note.GNU-stack, "", %progbits
