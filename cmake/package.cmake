# `cmake --install`: headers, libraries, the command, the CMake package (find_package(weft) gives weft::weft) and weft.pc.
include(CMakePackageConfigHelpers)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/weft DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} OPTIONAL FILES_MATCHING PATTERN "*.h")
install(TARGETS weft_shared EXPORT weft-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET weft_rt)
  install(TARGETS weft_rt ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(TARGET weft_command)
  install(TARGETS weft_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/weft)
install(EXPORT weft-targets NAMESPACE weft:: DESTINATION ${package_dir} FILE weft-targets.cmake)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/weft-config.cmake.in ${PROJECT_BINARY_DIR}/package/weft-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/weft-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/weft-config.cmake ${PROJECT_BINARY_DIR}/package/weft-config-version.cmake
        DESTINATION ${package_dir})

configure_file(${PROJECT_SOURCE_DIR}/cmake/weft.pc.in ${PROJECT_BINARY_DIR}/package/weft.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/weft.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
