# The warnings that all of the project's own code is held to.
add_library(detshim_warnings INTERFACE)
target_compile_options(
  detshim_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wcast-align
                             -Wconversion -Wundef>)
if(DETSHIM_WARNINGS_AS_ERRORS)
  target_compile_options(detshim_warnings INTERFACE -Werror)
endif()
