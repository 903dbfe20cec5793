# Puts the package of tools/python into PACKAGE, as the wheel is laid out, from the build tree BUILD.
file(REMOVE_RECURSE ${PACKAGE})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --component wheel --prefix ${PACKAGE} OUTPUT_QUIET
                COMMAND_ERROR_IS_FATAL ANY)
file(GLOB modules ${SOURCE}/tools/python/detshim/*.py)
file(COPY ${modules} DESTINATION ${PACKAGE}/detshim)
# By this pytest finds its plugins.
file(READ ${SOURCE}/tools/python/pyproject.toml project)
string(REGEX MATCH "entry-points\\.(pytest11)\\]\n([^\n]+)\n" found "${project}")
string(REPLACE "\"" "" entry "${CMAKE_MATCH_2}")
file(WRITE ${PACKAGE}/detshim-0.dist-info/METADATA "Metadata-Version: 2.1\nName: detshim\nVersion: 0\n")
file(WRITE ${PACKAGE}/detshim-0.dist-info/entry_points.txt "[${CMAKE_MATCH_1}]\n${entry}\n")
