# Compiler, linker and sanitizer settings that hold for every source of the tree.

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

# Linked by GNU ld: LLD 14 keeps one of two unwinding entries that begin at the same address, and GCC writes an empty one beside a
# function's cold part, so that an exception passing there would end the process.

# Every op rounds to its own type; a contracted multiply-add would make the evaluator's values depend on the host compiler.
add_compile_options(-ffp-contract=off)

if(WEFT_SANITIZE)
  add_compile_options(-fsanitize=${WEFT_SANITIZE} -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${WEFT_SANITIZE})
  if(WEFT_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()
