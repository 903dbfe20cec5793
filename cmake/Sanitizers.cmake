# A sanitizer for the tools and the unit tests. The shim itself goes into foreign processes, where a sanitizer's
# runtime cannot follow it.
add_library(detshim_sanitizer INTERFACE)
if(DETSHIM_SANITIZE STREQUAL "address")
  set(flags -fsanitize=address,undefined -fno-sanitize-recover=undefined)
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang) # what libFuzzer wants to know of the way that a run took
    list(APPEND flags -fsanitize=fuzzer-no-link)
  endif()
  target_compile_options(detshim_sanitizer INTERFACE ${flags})
  target_link_options(detshim_sanitizer INTERFACE ${flags})
elseif(DETSHIM_SANITIZE STREQUAL "thread")
  target_compile_options(detshim_sanitizer INTERFACE -fsanitize=thread)
  target_link_options(detshim_sanitizer INTERFACE -fsanitize=thread)
elseif(NOT DETSHIM_SANITIZE STREQUAL "")
  message(FATAL_ERROR "DETSHIM_SANITIZE is ${DETSHIM_SANITIZE}; accepted: address, thread, or nothing")
endif()
