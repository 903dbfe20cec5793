# detshim_precompile(TARGET HEADER...): headers that nearly every file of TARGET reads are parsed once.
# detshim_precompile(TARGET REUSE_FROM OTHER): those of OTHER, which is compiled with the same flags.
#
# Not where a launcher such as ccache compiles, which could not keep such objects, and not by clang: these builds tell
# when a file lacks an #include of its own. For what is compiled without optimisation: with it, GCC 12 warns of the
# insides of precompiled standard headers.
function(detshim_precompile target)
  if(CMAKE_CXX_COMPILER_LAUNCHER OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  if(ARGV1 STREQUAL "REUSE_FROM")
    target_precompile_headers(${target} ${ARGN})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()
