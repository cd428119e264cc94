# Finds CAF 0.17 (the C++ Actor Framework), which Debian ships without a
# package configuration of its own.
#
#   find_package(CAF 0.17.6 REQUIRED COMPONENTS core io)
#
# defines CAF::core and, when asked for, CAF::io and CAF::openssl.
include(FindPackageHandleStandardArgs)

find_path(CAF_INCLUDE_DIR caf/actor_system.hpp)
mark_as_advanced(CAF_INCLUDE_DIR)

if(CAF_INCLUDE_DIR)
  # CAF_VERSION is major * 10000 + minor * 100 + patch.
  file(STRINGS ${CAF_INCLUDE_DIR}/caf/config.hpp _caf_version
       REGEX "^#define CAF_VERSION [0-9]+")
  string(REGEX REPLACE ".*CAF_VERSION ([0-9]+).*" "\\1" _caf_version
                       "${_caf_version}")
  if(_caf_version)
    math(EXPR _caf_major "${_caf_version} / 10000")
    math(EXPR _caf_minor "${_caf_version} / 100 % 100")
    math(EXPR _caf_patch "${_caf_version} % 100")
    set(CAF_VERSION ${_caf_major}.${_caf_minor}.${_caf_patch})
  endif()
endif()

if(NOT CAF_FIND_COMPONENTS)
  set(CAF_FIND_COMPONENTS core)
endif()

foreach(_component IN LISTS CAF_FIND_COMPONENTS)
  find_library(CAF_${_component}_LIBRARY caf_${_component})
  mark_as_advanced(CAF_${_component}_LIBRARY)
  if(CAF_${_component}_LIBRARY)
    set(CAF_${_component}_FOUND TRUE)
  endif()
endforeach()

find_package_handle_standard_args(
  CAF
  REQUIRED_VARS CAF_INCLUDE_DIR CAF_core_LIBRARY
  VERSION_VAR CAF_VERSION
  HANDLE_COMPONENTS)

if(CAF_FOUND)
  find_package(Threads REQUIRED)
  foreach(_component IN LISTS CAF_FIND_COMPONENTS)
    if(NOT TARGET CAF::${_component})
      add_library(CAF::${_component} UNKNOWN IMPORTED)
      set_target_properties(
        CAF::${_component}
        PROPERTIES IMPORTED_LOCATION ${CAF_${_component}_LIBRARY}
                   INTERFACE_INCLUDE_DIRECTORIES ${CAF_INCLUDE_DIR}
                   INTERFACE_LINK_LIBRARIES Threads::Threads)
    endif()
  endforeach()
  foreach(_component IN ITEMS io openssl)
    if(TARGET CAF::${_component})
      set_property(TARGET CAF::${_component} APPEND
                   PROPERTY INTERFACE_LINK_LIBRARIES CAF::core)
    endif()
  endforeach()
endif()
