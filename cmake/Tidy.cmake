# The target `tidy`: clang-tidy with the checks of .clang-tidy over common/, shim/ and tools/. Minutes on two cores, so
# it is no test. It reads what the compiler was called with; clang does not know one of GCC's flags.
find_program(DETSHIM_RUN_CLANG_TIDY NAMES run-clang-tidy run-clang-tidy-14)
mark_as_advanced(DETSHIM_RUN_CLANG_TIDY)
if(DETSHIM_RUN_CLANG_TIDY)
  set(database ${PROJECT_BINARY_DIR}/tidy)
  add_custom_target(tidy
    COMMAND ${CMAKE_COMMAND} -E make_directory ${database}
    COMMAND sed "s/ -fno-gnu-unique//" ${PROJECT_BINARY_DIR}/compile_commands.json > ${database}/compile_commands.json
    COMMAND ${DETSHIM_RUN_CLANG_TIDY} -quiet -p ${database} "^${PROJECT_SOURCE_DIR}/(common|shim|tools)/.*[.]cpp$"
    VERBATIM)
endif()
