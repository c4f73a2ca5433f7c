// A shared library that a program calls, opened when it is first needed.
#ifndef WEFT_RT_OTHER_LIBRARY_H
#define WEFT_RT_OTHER_LIBRARY_H

#include <stddef.h>

typedef struct weft_rt_other_library {
  const char* variable;         // environment variable that names the file
  const char* const* defaults;  // names to try else, the best first; the last is 0
  void* handle;
} weft_rt_other_library;

// Opens it, once. 0, or 1 with what went wrong in message.
int weft_rt_other_library_open(weft_rt_other_library* library, char* message, size_t bytes);

#endif
