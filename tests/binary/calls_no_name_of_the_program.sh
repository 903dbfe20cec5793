#!/bin/sh
# What the library takes from outside by name are names that nobody but the C library and the loader may have. By any
# other a program, an allocator or a sanitizer may have a function of its own, which would be called in place of libc's.
# Functions get a row in shim/core/base/libc_functions.cpp; what compilers call stands in memory_functions.cpp.
#
# The three streams are objects: a program that names them shares libc's.
allowed='__environ|__libc_stack_end|__pthread_(un)?register_cancel|__pthread_unwind_next|__register_atfork|__sigsetjmp'
allowed="$allowed|_dl_find_object|_r_debug|__stack_chk_(fail|guard)|__tls_get_addr|__getauxval|stdin|stdout|stderr"
# Of a relocation's columns the fourth is what the name represents here: nothing, for what is not defined here.
taken=$("$READELF" --wide --relocs "$1" | awk '$4 ~ /^0+$/ && $5 ~ /^[A-Za-z_]/ { sub(/@.*/, "", $5); print $5 }' | sort -u)
[ -n "$taken" ] || { echo "no name at all: $1 was not read"; exit 1; }
foreign=$(echo "$taken" | grep -v -x -E "$allowed")
[ -z "$foreign" ] || { echo "names that may be the program's:"; echo "$foreign"; exit 1; }
