#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "library.h"
#include "weft_rt_weights.h"
#include "weft_status.h"

// The file that this code was loaded from, as the system names it: also that of a program that was found on PATH or has changed its folder.
static int own_file(char* path, size_t bytes) {
  FILE* maps = fopen("/proc/self/maps", "re");
  if (!maps) return 0;
  const uintptr_t here = (uintptr_t)&weft_rt_load_weights;
  char line[PATH_MAX + 128];
  int found = 0;
  while (!found && fgets(line, sizeof line, maps)) {
    unsigned long begin, end;
    int at = 0;
    if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %n", &begin, &end, &at) != 2 || at == 0) continue;
    line[strcspn(line, "\n")] = 0;
    found = here >= begin && here < end && line[at] == '/' && strlen(line + at) < bytes;
    if (found) strcpy(path, line + at);
  }
  fclose(maps);
  return found;
}

static int path_beside(const char* name, char* path, size_t bytes) {
  if (*name == '/' || !own_file(path, bytes)) return snprintf(path, bytes, "%s", name) < (int)bytes;
  const size_t folder = (size_t)(strrchr(path, '/') + 1 - path);
  return snprintf(path + folder, bytes - folder, "%s", name) < (int)(bytes - folder);
}

static int refuse(const weft_rt_library* l, const char* path, const char* why) {
  snprintf(weft_rt_library_message(), WEFT_RT_MESSAGE_BYTES,
           "%s: the weights in %s cannot be used: %s (%s names the file)", l->name, path, why, l->weights->variable);
  return WEFT_NO_WEIGHTS;
}

static int check_header(const weft_rt_library* l, const char* path, const void* data, uint64_t bytes) {
  const weft_rt_weights* w = l->weights;
  char why[160];
  weft_rt_weights_header header;
  if (bytes < sizeof header || memcmp(data, weft_rt_weights_magic, sizeof header.magic) != 0)
    return refuse(l, path, "it is no file of weights");
  memcpy(&header, data, sizeof header);
  if (header.version != WEFT_RT_WEIGHTS_VERSION) {
    snprintf(why, sizeof why, "got version %u, expected %d", header.version, WEFT_RT_WEIGHTS_VERSION);
    return refuse(l, path, why);
  }
  if (header.hash[0] != w->hash[0] || header.hash[1] != w->hash[1] || header.count != w->count ||
      header.file_bytes != w->file_bytes)
    return refuse(l, path, "they belong to another build");
  if (bytes != w->file_bytes) {
    snprintf(why, sizeof why, "got %llu bytes, expected %llu", (unsigned long long)bytes,
             (unsigned long long)w->file_bytes);
    return refuse(l, path, why);
  }
  return WEFT_OK;
}

static int map_file(weft_rt_library* l, const char* path, const char** data) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return refuse(l, path, strerror(errno));
  struct stat info;
  int status = WEFT_OK;
  void* mapped = MAP_FAILED;
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) status = refuse(l, path, "it is no file of weights");
  if (status == WEFT_OK && info.st_size < WEFT_RT_WEIGHTS_BEGIN) status = refuse(l, path, "it is no file of weights");
  if (status == WEFT_OK) {
    mapped = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (mapped == MAP_FAILED) status = refuse(l, path, strerror(errno));
  }
  close(fd);
  if (status == WEFT_OK) status = check_header(l, path, mapped, (uint64_t)info.st_size);
  if (status != WEFT_OK && mapped != MAP_FAILED) munmap(mapped, (size_t)info.st_size);
  *data = mapped;
  return status;
}

int weft_rt_load_weights(weft_rt_library* l, const char* path) {
  weft_rt_weights* w = l->weights;
  if (!w || w->data) return WEFT_OK;
  char found[PATH_MAX];
  if (!path || !*path) path = getenv(w->variable);
  if (!path || !*path) {
    if (!path_beside(w->file, found, sizeof found)) return refuse(l, w->file, "the path is too long");
    path = found;
  }
  const char* data = NULL;
  const int status = map_file(l, path, &data);
  if (status != WEFT_OK) return status;
  for (size_t i = 0; i < w->num_constants; ++i) w->constants[i] = data + w->offsets[i];
  w->data = data;
  return WEFT_OK;
}

int weft_rt_library_check_weights(weft_rt_library* l) {
  const int status = weft_rt_library_load(l, NULL);
  if (status != WEFT_OK || !l->weights) return status;
  const weft_rt_weights* w = l->weights;
  weft_rt_hash hash;
  uint64_t got[2];
  weft_rt_hash_begin(&hash);
  weft_rt_hash_add(&hash, (const char*)w->data + WEFT_RT_WEIGHTS_BEGIN, w->file_bytes - WEFT_RT_WEIGHTS_BEGIN);
  weft_rt_hash_end(&hash, got);
  if (got[0] == w->hash[0] && got[1] == w->hash[1]) return WEFT_OK;
  return refuse(l, w->file, "their contents were changed");
}
