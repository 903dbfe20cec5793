// The section detshim_hook_info of libdetshim.so, which tools/CMakeLists.txt copies out of it.
    .section .rodata, "a"
    .balign 4
    .globl detshim_hook_table
    .globl detshim_hook_table_end
    .type detshim_hook_table, %object
detshim_hook_table:
    .incbin "log_diff/hook_table.bin"
detshim_hook_table_end:
    .size detshim_hook_table, . - detshim_hook_table

    .section .note.GNU-stack, "", %progbits
