# SPDX-License-Identifier: MIT
# find_package(cupipe): the libraries of this installation as targets, wherever it lies.
#
#     find_package(cupipe 0.1 REQUIRED)
#     target_link_libraries(program PRIVATE cupipe::cuda)             # or cupipe::cudart, cupipe::cublas, ...
#
# There is a target for each lib*.so and lib*_static.a of the folder of libraries, by its name: cupipe::cudart_static. A
# program that is linked with one finds it again when it runs, without LD_LIBRARY_PATH. cupipe_INCLUDE_DIR,
# cupipe_LIBRARY_DIR and cupipe_COMMAND name headers, libraries and the command.
get_filename_component(cupipe_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(cupipe_INCLUDE_DIR "${cupipe_PREFIX}/include/cupipe")
set(cupipe_LIBRARY_DIR "${cupipe_PREFIX}/lib/cupipe")
set(cupipe_COMMAND "${cupipe_PREFIX}/bin/cupipe")
foreach(needed IN ITEMS "${cupipe_INCLUDE_DIR}/cuda.h" "${cupipe_LIBRARY_DIR}/libcuda.so.1")
    if(NOT EXISTS "${needed}")
        set(cupipe_FOUND FALSE)
        set(cupipe_NOT_FOUND_MESSAGE "${needed} is not there: the installation in ${cupipe_PREFIX} is not complete")
        return()
    endif()
endforeach()

file(GLOB cupipe_FILES "${cupipe_LIBRARY_DIR}/lib*.so" "${cupipe_LIBRARY_DIR}/lib*_static.a")
foreach(file IN LISTS cupipe_FILES)
    get_filename_component(name "${file}" NAME_WE)
    string(REGEX REPLACE "^lib" "" name "${name}")
    # What the driver loads by itself is not for programs.
    if(name MATCHES "^(cupipe-|VkLayer_)" OR TARGET cupipe::${name})
        continue()
    endif()
    add_library(cupipe::${name} UNKNOWN IMPORTED)
    set_target_properties(cupipe::${name} PROPERTIES IMPORTED_LOCATION "${file}"
        INTERFACE_INCLUDE_DIRECTORIES "${cupipe_INCLUDE_DIR}")
    if(name STREQUAL "cudart_static")
        set_target_properties(cupipe::${name} PROPERTIES INTERFACE_LINK_LIBRARIES "dl;pthread;rt")
    endif()
endforeach()
