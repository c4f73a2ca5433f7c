/* Calls `program` of a library that Weft built, in a process that holds nothing else of it.
   usage: call_library LIB.so IN OUT [-e EXTENTS... -] ARGUMENT_BYTES... - RESULT_BYTES...
   IN holds the arguments one after the other, OUT gets the results. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*entry_fn)(const void* const*, void* const*, void*);
typedef int (*open_entry_fn)(const int64_t*, const void* const*, void* const*, void*);

static void* room(size_t bytes) { return aligned_alloc(64, (bytes / 64 + 1) * 64); }

/* Reachable to the end: a leak checker then finds what the library forgets. */
static const void** args;
static void** results;
static int64_t* extents;

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  entry_fn entry = (entry_fn)dlsym(library, "program");
  const char* (*error)(void) = (const char* (*)(void))dlsym(library, "program_error");
  FILE* in = fopen(argv[2], "rb");
  if (!entry || !error || !in) return 2;
  args = calloc((size_t)argc, sizeof *args);
  results = calloc((size_t)argc, sizeof *results);
  int at = 4, num_results = 0;
  if (strcmp(argv[at], "-e") == 0) {
    extents = calloc((size_t)argc, sizeof *extents);
    for (int k = 0; ++at < argc && strcmp(argv[at], "-") != 0; ++k) extents[k] = strtoll(argv[at], NULL, 10);
    ++at;
  }
  for (int i = 0; at < argc && strcmp(argv[at], "-") != 0; ++at, ++i) {
    const size_t bytes = strtoull(argv[at], NULL, 10);
    void* place = room(bytes);
    if (!place || fread(place, 1, bytes, in) != bytes) return 2;
    args[i] = place;
  }
  fclose(in);
  const int first = ++at;
  for (; at < argc; ++at) results[num_results++] = room(strtoull(argv[at], NULL, 10));
  const int status = extents ? ((open_entry_fn)entry)(extents, args, results, NULL) : entry(args, results, NULL);
  if (status) {
    fprintf(stderr, "%s\n", error());
    return 1;
  }
  FILE* out = fopen(argv[3], "wb");
  if (!out) return 2;
  for (int j = 0; j < num_results; ++j) fwrite(results[j], 1, strtoull(argv[first + j], NULL, 10), out);
  return fclose(out) != 0;
}
