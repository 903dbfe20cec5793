# Which of shim/loader/stubs_*.S is built.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  set(DETSHIM_ARCHITECTURE x86_64)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(DETSHIM_ARCHITECTURE aarch64)
else()
  message(FATAL_ERROR "detshim runs on x86-64 and aarch64, not on ${CMAKE_SYSTEM_PROCESSOR}")
endif()
