# Third-party libraries. Each is linked by one folder only (src/CMakeLists.txt says which); docs/dependencies.md gives reasons and licences.

find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
# Found by hand: Debian's libzip-config.cmake wants the programs of another package.
find_path(WEFT_ZIP_INCLUDE zip.h REQUIRED)
find_library(WEFT_ZIP NAMES zip REQUIRED)
add_library(weft_dep_zip INTERFACE)
target_include_directories(weft_dep_zip SYSTEM INTERFACE ${WEFT_ZIP_INCLUDE})
target_link_libraries(weft_dep_zip INTERFACE ${WEFT_ZIP})

# Debian keeps several LLVMs side by side; the hint picks the one that the code is written for.
find_package(LLVM 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19)
add_library(weft_dep_llvm INTERFACE)
target_include_directories(weft_dep_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
find_library(WEFT_LIBLLVM NAMES LLVM-19 LLVM HINTS ${LLVM_LIBRARY_DIRS} NO_DEFAULT_PATH REQUIRED)
target_link_libraries(weft_dep_llvm INTERFACE ${WEFT_LIBLLVM})

# Found by hand: Debian's dnnl-config.cmake also asks for OpenCL, which the CPU engine does not use.
find_path(WEFT_DNNL_INCLUDE dnnl.hpp REQUIRED)
find_library(WEFT_DNNL NAMES dnnl REQUIRED)
add_library(weft_dep_dnnl INTERFACE)
target_include_directories(weft_dep_dnnl SYSTEM INTERFACE ${WEFT_DNNL_INCLUDE})
target_link_libraries(weft_dep_dnnl INTERFACE ${WEFT_DNNL})

# The OpenMP build of OpenBLAS shares its thread pool with oneDNN and our kernels; a second spinning pool costs 2-8x.
find_path(WEFT_OPENBLAS_INCLUDE cblas.h PATH_SUFFIXES openblas-openmp REQUIRED)
find_library(WEFT_OPENBLAS NAMES openblas PATH_SUFFIXES openblas-openmp REQUIRED)
add_library(weft_dep_openblas INTERFACE)
target_include_directories(weft_dep_openblas SYSTEM INTERFACE ${WEFT_OPENBLAS_INCLUDE})
target_link_libraries(weft_dep_openblas INTERFACE ${WEFT_OPENBLAS})

# libgomp is named outright so that clang builds use it too: oneDNN and OpenBLAS are linked to it, and one process wants one pool.
add_library(weft_dep_gomp INTERFACE)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(weft_dep_gomp INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:-fopenmp>)
  target_link_options(weft_dep_gomp INTERFACE -fopenmp)
else()
  find_library(WEFT_GOMP NAMES gomp libgomp.so.1 PATHS /usr/lib/x86_64-linux-gnu /usr/lib/gcc/x86_64-linux-gnu/12 REQUIRED)
  target_link_libraries(weft_dep_gomp INTERFACE ${WEFT_GOMP})
endif()
