# CPack runs this when the files of a package are laid out: a .deb has its manual compressed, and its changelog and
# copyright where Debian's policy wants them, as the source package in debian/ has by debhelper.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
file(GLOB_RECURSE manuals ${CPACK_TEMPORARY_DIRECTORY}/detshim.1)
foreach(manual IN LISTS manuals)
  cmake_path(GET manual PARENT_PATH folder)
  set(documents ${folder}/../../doc/detshim)
  file(COPY ${CMAKE_CURRENT_LIST_DIR}/debian/copyright DESTINATION ${documents})
  file(COPY ${CMAKE_CURRENT_LIST_DIR}/debian/changelog DESTINATION ${documents})
  file(RENAME ${documents}/changelog ${documents}/changelog.Debian)
  execute_process(COMMAND gzip -9nf ${manual} ${documents}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)
endforeach()
