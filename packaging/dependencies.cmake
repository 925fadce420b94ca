# SPDX-License-Identifier: MIT
# Read by cpack after it has installed the files and before it makes the packages: asks dpkg-shlibdeps what the
# libraries and programs of the package cupipe need. (If CPack asked, it would also add scripts that call ldconfig,
# because it takes /usr/lib/cupipe for a folder of the loader.)
find_program(SHLIBDEPS dpkg-shlibdeps REQUIRED)
set(STAGE ${CPACK_TEMPORARY_DIRECTORY}/cupipe)
file(GLOB_RECURSE FILES LIST_DIRECTORIES false ${STAGE}/*)
list(FILTER FILES EXCLUDE REGEX "/libcupipe-torch-") # loaded by PyTorch alone, which brings what they need
set(ELF_FILES "")
foreach(file IN LISTS FILES)
    file(READ ${file} magic LIMIT 4 HEX)
    if(magic STREQUAL 7f454c46)
        list(APPEND ELF_FILES ${file})
    endif()
endforeach()
set(WORK ${CPACK_TEMPORARY_DIRECTORY}/shlibdeps)
file(WRITE ${WORK}/debian/control "Source: cupipe\n\nPackage: cupipe\nArchitecture: any\n")
execute_process(COMMAND ${SHLIBDEPS} -O --ignore-missing-info -l${STAGE}/usr/lib/cupipe ${ELF_FILES}
    WORKING_DIRECTORY ${WORK} OUTPUT_VARIABLE TEXT ERROR_VARIABLE ERRORS RESULT_VARIABLE FAILED)
if(FAILED OR NOT TEXT MATCHES "shlibs:Depends=([^\n]+)")
    message(FATAL_ERROR "dpkg-shlibdeps: ${TEXT}${ERRORS}")
endif()
set(CPACK_DEBIAN_CUPIPE_PACKAGE_DEPENDS ${CMAKE_MATCH_1})
