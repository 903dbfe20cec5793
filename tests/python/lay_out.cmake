# Puts the package of tools/python into PACKAGE, as the wheel is laid out, from the build tree BUILD.
file(REMOVE_RECURSE ${PACKAGE})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --component wheel --prefix ${PACKAGE} OUTPUT_QUIET
                COMMAND_ERROR_IS_FATAL ANY)
file(GLOB modules ${SOURCE}/tools/python/detshim/*.py ${SOURCE}/tools/python/detshim/py.typed)
file(COPY ${modules} DESTINATION ${PACKAGE}/detshim)
# By this pytest finds its plugins, and pip makes the script.
file(READ ${SOURCE}/pyproject.toml project)
string(REGEX MATCH "project\\.scripts\\]\n([^\n]+)\n" found "${project}")
set(entries "[console_scripts]\n${CMAKE_MATCH_1}\n")
string(REGEX MATCH "entry-points\\.(pytest11)\\]\n([^\n]+)\n" found "${project}")
string(REPLACE "\"" "" entries "${entries}[${CMAKE_MATCH_1}]\n${CMAKE_MATCH_2}\n")
set(information ${PACKAGE}/detshim-${VERSION}.dist-info)
file(WRITE ${information}/METADATA "Metadata-Version: 2.1\nName: detshim\nVersion: ${VERSION}\n")
file(WRITE ${information}/WHEEL "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-any\n")
file(WRITE ${information}/entry_points.txt "${entries}")
