#define _GNU_SOURCE
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "weft_rt.h"

static int affinity_count(void) {
  // More CPUs than fit cpu_set_t make the call fail; then the online count is the best that is known.
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 && online < INT_MAX ? (int)online : 1;
}

static int rounded_up_quota(long long quota, long long period) {
  if (quota <= 0 || period <= 0) return INT_MAX;
  long long cpus = (quota + period - 1) / period;
  return cpus < INT_MAX ? (int)cpus : INT_MAX;
}

static int read_text(const char* path, char* text, size_t size) {
  FILE* file = fopen(path, "re");
  if (!file) return 0;
  size_t got = fread(text, 1, size - 1, file);
  fclose(file);
  text[got] = 0;
  return got > 0;
}

// Quota of the group at `folder`; INT_MAX when it has none.
static int quota_v2(const char* folder) {
  char path[PATH_MAX + 16], text[128];
  long long quota = 0, period = 0;
  snprintf(path, sizeof path, "%s/cpu.max", folder);
  if (!read_text(path, text, sizeof text) || sscanf(text, "%lld %lld", &quota, &period) != 2) return INT_MAX;
  return rounded_up_quota(quota, period);
}

static int quota_v1(const char* folder) {
  char path[PATH_MAX + 32], text[128];
  long long quota = 0, period = 0;
  snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder);
  if (!read_text(path, text, sizeof text) || sscanf(text, "%lld", &quota) != 1) return INT_MAX;
  snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
  if (!read_text(path, text, sizeof text) || sscanf(text, "%lld", &period) != 1) return INT_MAX;
  return rounded_up_quota(quota, period);
}

// The lowest quota from the group up to the root of its mount. Inside a container the path of the host may not exist
// under the mount; the walk then ends at the mount itself, which is the container's own group.
static int quota_along(const char* mount, const char* group, int (*quota_of)(const char*)) {
  char folder[PATH_MAX];
  int written = snprintf(folder, sizeof folder, "%s%s", mount, group);
  if (written < 0 || written >= (int)sizeof folder) return quota_of(mount);
  size_t root = strlen(mount);
  int lowest = INT_MAX;
  for (;;) {
    int quota = quota_of(folder);
    if (quota < lowest) lowest = quota;
    char* slash = strrchr(folder, '/');
    if (!slash || (size_t)(slash - folder) < root) break;
    *slash = 0;
  }
  return lowest;
}

static int has_cpu_controller(const char* names) {
  for (const char* name = names; *name;) {
    size_t length = strcspn(name, ",");
    if (length == 3 && memcmp(name, "cpu", 3) == 0) return 1;
    name += length + (name[length] == ',');
  }
  return 0;
}

static int cgroup_count(void) {
  FILE* file = fopen("/proc/self/cgroup", "re");
  if (!file) return INT_MAX;
  int lowest = INT_MAX;
  char line[PATH_MAX];
  while (fgets(line, sizeof line, file)) {  // hierarchy:controllers:path, controllers empty in version 2
    line[strcspn(line, "\n")] = 0;
    char* names = strchr(line, ':');
    char* group = names ? strchr(names + 1, ':') : NULL;
    if (!group) continue;
    *group++ = 0;
    ++names;
    if (strcmp(group, "/") == 0) ++group;
    int quota = INT_MAX;
    if (*names == 0) quota = quota_along("/sys/fs/cgroup", group, quota_v2);
    else if (has_cpu_controller(names)) quota = quota_along("/sys/fs/cgroup/cpu", group, quota_v1);
    if (quota < lowest) lowest = quota;
  }
  fclose(file);
  return lowest;
}

static int limited(int count) {
  if (count < 1) return 1;
  return count < WEFT_RT_MAX_THREADS ? count : WEFT_RT_MAX_THREADS;
}

// Both are looked up once: reading /proc on each parallel section would cost more than the section. 0 = not yet known;
// two threads that look at once find the same.
static int known_cpu_count, default_thread_count, chosen_thread_count;

int weft_rt_cpu_count(void) {
  int count = __atomic_load_n(&known_cpu_count, __ATOMIC_RELAXED);
  if (count) return count;
  int affinity = affinity_count(), quota = cgroup_count();
  count = limited(affinity < quota ? affinity : quota);
  __atomic_store_n(&known_cpu_count, count, __ATOMIC_RELAXED);
  return count;
}

int weft_rt_thread_count(void) {
  int count = __atomic_load_n(&chosen_thread_count, __ATOMIC_RELAXED);
  if (count) return count;
  count = __atomic_load_n(&default_thread_count, __ATOMIC_RELAXED);
  if (count) return count;
  count = weft_rt_cpu_count();
  const char* wish = getenv("WEFT_NUM_THREADS");
  if (wish) {
    char* end = NULL;
    long value = strtol(wish, &end, 10);
    if (end != wish && *end == 0 && value >= 1 && value < count) count = (int)value;
  }
  __atomic_store_n(&default_thread_count, count, __ATOMIC_RELAXED);
  return count;
}

void weft_rt_set_thread_count(int threads) {
  __atomic_store_n(&chosen_thread_count, threads <= 0 ? 0 : limited(threads), __ATOMIC_RELAXED);
}
