# Whole builds in less time: what many files read is parsed once. Not where a launcher such as ccache compiles, which would
# keep less of it, and not by clang: these builds compile each file alone, and tell when one lacks an #include of its own.
set(DETSHIM_IS_WHOLE_BUILD OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(DETSHIM_IS_WHOLE_BUILD ON)
endif()

# detshim_precompile(TARGET HEADER...): headers that nearly every file of TARGET reads.
# detshim_precompile(TARGET REUSE_FROM OTHER): those of OTHER, which is compiled with the same flags.
#
# For what is compiled without optimisation: with it, GCC 12 warns of the insides of precompiled standard headers.
function(detshim_precompile target)
  if(NOT DETSHIM_IS_WHOLE_BUILD)
    return()
  endif()
  if(ARGV1 STREQUAL "REUSE_FROM")
    target_precompile_headers(${target} ${ARGN})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# detshim_compile_together(TARGET): its files in batches, in a third of the time. Names in them must differ, those of
# anonymous namespaces too.
function(detshim_compile_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${DETSHIM_IS_WHOLE_BUILD} UNITY_BUILD_BATCH_SIZE 10)
endfunction()
