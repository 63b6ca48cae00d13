# Compiles OpenCL C while a project is built.
#
#   find_package(Pumice REQUIRED)
#   pumice_add_module(blur.spv blur.cl maths.cl OPTIONS -cl-std=CL3.0)
#   add_custom_target(kernels ALL DEPENDS blur.spv)
#
# pumice_add_module compiles and links its sources to SPIR-V in the build folder, and does so again when a source or
# a file that one includes has changed. Sources stand below the source folder; OPTIONS go to pumicec.
cmake_minimum_required(VERSION 3.20)

find_program(PUMICE_PUMICEC pumicec HINTS "${CMAKE_CURRENT_LIST_DIR}/../../../bin" DOC "Pumice's compiler")
if(NOT PUMICE_PUMICEC)
    set(Pumice_FOUND FALSE)
    set(Pumice_NOT_FOUND_MESSAGE "pumicec is neither on the PATH nor in bin of Pumice's prefix")
    return()
endif()

function(pumice_add_module output)
    cmake_parse_arguments(PARSE_ARGV 1 module "" "" "OPTIONS")
    if(NOT module_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "pumice_add_module(${output}): no sources")
    endif()
    set(sources "")
    foreach(source IN LISTS module_UNPARSED_ARGUMENTS)
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
        list(APPEND sources "${source}")
    endforeach()
    cmake_path(ABSOLUTE_PATH output BASE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}" NORMALIZE)
    add_custom_command(
        OUTPUT "${output}"
        COMMAND "${PUMICE_PUMICEC}" ${module_OPTIONS} -MD -MF "${output}.d" -MT "${output}" -o "${output}" ${sources}
        DEPENDS ${sources} "${PUMICE_PUMICEC}"
        DEPFILE "${output}.d"
        COMMENT "Compiling ${output}"
        VERBATIM)
endfunction()
