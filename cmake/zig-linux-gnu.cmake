# Toolchain file for what runs on older systems: zig's clang, which links for a version of glibc and an architecture that
# it is told. In the environment WHEEL_ZIG is the program (PyPI's ziglang has it), and WHEEL_TARGET what to
# build for.
set(CMAKE_SYSTEM_NAME Linux)
set(zig $ENV{WHEEL_ZIG})
set(zig_target $ENV{WHEEL_TARGET})
if(NOT zig OR NOT zig_target)
  message(FATAL_ERROR "WHEEL_ZIG and WHEEL_TARGET (x86_64-linux-gnu.2.28) have to be set: tools/scripts/wheel does")
endif()
string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR ${zig_target})
set(CMAKE_C_COMPILER ${zig} cc)
set(CMAKE_CXX_COMPILER ${zig} c++)
set(CMAKE_ASM_COMPILER ${zig} cc)
set(CMAKE_ASM_COMPILER_ID Clang)
# Without being asked zig checks for undefined behaviour where nothing is optimised.
foreach(language C CXX ASM)
  set(CMAKE_${language}_FLAGS_INIT "-target ${zig_target} -fno-sanitize=all")
endforeach()
# It throws away what nothing refers to, as the table of hooks. Without names for debuggers: Debian's strip knows one
# architecture alone.
set(CMAKE_MODULE_LINKER_FLAGS_INIT "-Wl,--no-gc-sections -s")
set(CMAKE_EXE_LINKER_FLAGS_INIT -s)
# The command's libraries are those that tools/scripts/static_libraries put there.
set(CMAKE_FIND_ROOT_PATH $ENV{WHEEL_LIBRARIES})
set(CMAKE_PREFIX_PATH $ENV{WHEEL_LIBRARIES})
set(ENV{PKG_CONFIG_LIBDIR} $ENV{WHEEL_LIBRARIES}/lib/pkgconfig)
foreach(what LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${what} ONLY)
endforeach()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
