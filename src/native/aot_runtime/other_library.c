#include "other_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int weft_rt_other_library_open(weft_rt_other_library* l, char* message, size_t bytes) {
  if (__atomic_load_n(&l->handle, __ATOMIC_ACQUIRE)) return 0;
  const char* given = getenv(l->variable);
  void* handle = NULL;
  size_t used = 0;
  message[0] = 0;
  const char* const named[] = {given, NULL};
  for (const char* const* name = given && *given ? named : l->defaults; !handle && *name; ++name) {
    handle = dlopen(*name, RTLD_NOW | RTLD_LOCAL);
    if (handle || used + 1 >= bytes) continue;
    const char* why = dlerror();
    const int written =
        snprintf(message + used, bytes - used, "%scannot open %s: %s", used ? "; " : "", *name, why ? why : "");
    used += written > 0 ? (size_t)written : 0;
  }
  if (!handle) {
    if (used < bytes) snprintf(message + used, bytes - used, " (%s names another file)", l->variable);
    return 1;
  }
  // Two threads that open at once get the same handle.
  __atomic_store_n(&l->handle, handle, __ATOMIC_RELEASE);
  message[0] = 0;
  return 0;
}
