# Installation, and packages by CPack: .debs and a .tar.gz.
install(TARGETS libdetshim LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS detshim RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES docs/detshim.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES packaging/valgrind.supp DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/detshim)
install(FILES tools/completion/bash DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions RENAME detshim)
install(FILES tools/completion/zsh DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/zsh/site-functions RENAME _detshim)
install(FILES tools/completion/fish DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/fish/vendor_completions.d RENAME detshim.fish)
# The documents lie as they lie here, so that their links hold (binary.document_links).
install(FILES README.md LICENSE CHANGELOG.md SECURITY.md CONTRIBUTING.md SUPPORT.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN detshim.1 EXCLUDE PATTERN CMakeLists.txt EXCLUDE)
foreach(folder bench common packaging shim tests tests/measured/gpu tests/kernels tests/measured/trainings tests/measured/truth tools tools/gpu_code)
  install(FILES ${folder}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder})
endforeach()

# The wheel (tools/python): beside the package's Python files, and nothing of the above.
install(TARGETS libdetshim LIBRARY DESTINATION detshim/native COMPONENT wheel EXCLUDE_FROM_ALL)
install(TARGETS detshim RUNTIME DESTINATION detshim/native COMPONENT wheel EXCLUDE_FROM_ALL)
file(CONFIGURE OUTPUT version/_version.py CONTENT "__version__ = \"@PROJECT_VERSION@\"\n" @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/version/_version.py DESTINATION detshim COMPONENT wheel EXCLUDE_FROM_ALL)
install(FILES LICENSE DESTINATION detshim/licenses RENAME detshim.txt COMPONENT wheel EXCLUDE_FROM_ALL)
if(SKBUILD) # what pip puts below the environment's prefix
  install(FILES docs/detshim.1 DESTINATION ${SKBUILD_DATA_DIR}/share/man/man1 COMPONENT wheel EXCLUDE_FROM_ALL)
endif()
if(DEFINED ENV{WHEEL_LIBRARIES}) # tools/scripts/wheel: what is linked in
  install(DIRECTORY $ENV{WHEEL_LIBRARIES}/licenses/ DESTINATION detshim/licenses COMPONENT wheel EXCLUDE_FROM_ALL)
endif()

set(CPACK_GENERATOR TGZ)
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
if(DPKG_SHLIBDEPS)
  list(PREPEND CPACK_GENERATOR DEB)
else()
  message(STATUS "No .deb: dpkg-shlibdeps (package dpkg-dev) is missing, and without it the package would depend on nothing")
endif()
set(CPACK_PACKAGE_VENDOR "The detshim authors")
# A placeholder: the project has no address. Whoever hands packages on gives their own.
set(CPACK_PACKAGE_CONTACT "The detshim authors <authors@detshim.invalid>" CACHE STRING "Name and address, for packages")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_DEBIAN_UNSPECIFIED_DESCRIPTION
    "A library that is put in front of an unmodified program fixes every source of randomness that it can reach, makes CUDA \
libraries and PyTorch take deterministic algorithms, and writes a log of what it did. The command starts programs so, \
reads the log, and compares runs.")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL Unspecified)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME detshim)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
# What Debian's policy asks for and other installations do not have.
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_SOURCE_DIR}/packaging/debian_files.cmake)
file(CONFIGURE OUTPUT triggers CONTENT "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_BINARY_DIR}/triggers)
include(CPack)
