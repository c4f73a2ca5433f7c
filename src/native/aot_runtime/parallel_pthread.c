// A pool of plain threads that spin a little and then sleep. Parts are claimed one by one, so a thread that wakes late
// costs nothing but its help.
#ifndef WEFT_RT_OPENMP
#include <pthread.h>
#include <stdatomic.h>

#include "section.h"
#include "spin_lock.h"

// Spinning this long covers the gaps between the kernels of one program without burning a core between calls.
enum { kSpins = 20000 };

static struct {
  // The offer: generation << 32 | parts not yet claimed. Claiming compares both, so a thread that looks at an offer of
  // a section that has ended cannot take a part of the next one with the old fn and ctx.
  _Atomic uint64_t offer;
  weft_rt_part_fn fn;  // written before the offer, read after a claim
  void* ctx;
  int64_t parts;
  _Atomic int64_t finished;  // parts of the current section that have returned
  _Atomic int sleepers;      // workers inside or about to enter wait on `work`
  _Atomic int caller_sleeps;
  _Atomic int wanted;  // workers with an index below it take part; the others stay asleep
  _Atomic int stop;
  pthread_mutex_t mutex;
  pthread_cond_t work, done;
  int workers;  // started; changed under the section lock
  pthread_t threads[WEFT_RT_MAX_THREADS];
} pool = {.mutex = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};

int weft_rt_in_foreign_team(void) { return 0; }

static uint32_t generation_of(uint64_t offer) { return (uint32_t)(offer >> 32); }

static void work_on(uint32_t generation) {
  uint64_t offer = atomic_load(&pool.offer);
  while (generation_of(offer) == generation && (uint32_t)offer != 0) {
    if (!atomic_compare_exchange_weak(&pool.offer, &offer, offer - 1)) continue;
    int64_t parts = pool.parts;
    pool.fn(pool.ctx, parts - (int64_t)(uint32_t)offer, parts);
    if (atomic_fetch_add(&pool.finished, 1) + 1 == parts && atomic_load(&pool.caller_sleeps)) {
      pthread_mutex_lock(&pool.mutex);
      pthread_cond_signal(&pool.done);
      pthread_mutex_unlock(&pool.mutex);
    }
    offer = atomic_load(&pool.offer);
  }
}

static int is_called(int index, uint32_t seen) {
  return atomic_load(&pool.stop) ||
         (generation_of(atomic_load(&pool.offer)) != seen && index < atomic_load(&pool.wanted));
}

static void* worker(void* argument) {
  int index = (int)(intptr_t)argument;
  weft_rt_thread_in_section = 1;
  uint32_t seen = 0;
  for (;;) {
    for (int spin = 0; spin < kSpins && !is_called(index, seen); ++spin) weft_rt_cpu_pause();
    if (!is_called(index, seen)) {
      pthread_mutex_lock(&pool.mutex);
      atomic_fetch_add(&pool.sleepers, 1);
      while (!is_called(index, seen)) pthread_cond_wait(&pool.work, &pool.mutex);
      atomic_fetch_sub(&pool.sleepers, 1);
      pthread_mutex_unlock(&pool.mutex);
    }
    if (atomic_load(&pool.stop)) return NULL;
    seen = generation_of(atomic_load(&pool.offer));
    work_on(seen);
  }
}

static void forget_after_fork(void) {
  // Only the forking thread lives on in the child; a later section starts new workers.
  pool.workers = 0;
  atomic_store(&pool.offer, (uint64_t)generation_of(atomic_load(&pool.offer)) << 32);
  atomic_store(&pool.sleepers, 0);
  atomic_store(&pool.caller_sleeps, 0);
  weft_rt_section_after_fork();
  pthread_mutex_init(&pool.mutex, NULL);
  pthread_cond_init(&pool.work, NULL);
  pthread_cond_init(&pool.done, NULL);
}

static void start_workers(int workers) {
  static int watches_fork;
  if (!watches_fork) {
    watches_fork = 1;
    pthread_atfork(NULL, NULL, forget_after_fork);
  }
  // A thread that cannot be started is not an error: the others do its parts.
  while (pool.workers < workers &&
         pthread_create(&pool.threads[pool.workers], NULL, worker, (void*)(intptr_t)pool.workers) == 0)
    ++pool.workers;
}

void weft_rt_run_section(weft_rt_part_fn fn, void* ctx, int64_t parts, int threads) {
  if (pool.workers < threads - 1) start_workers(threads - 1);
  if (parts > UINT32_MAX) {  // an offer has no room for more; nobody partitions that finely
    for (int64_t part = 0; part < parts; ++part) fn(ctx, part, parts);
    return;
  }
  pool.fn = fn;
  pool.ctx = ctx;
  pool.parts = parts;
  atomic_store(&pool.finished, 0);
  atomic_store(&pool.wanted, threads - 1);
  uint32_t generation = generation_of(atomic_load(&pool.offer)) + 1;
  atomic_store(&pool.offer, (uint64_t)generation << 32 | (uint64_t)parts);
  if (atomic_load(&pool.sleepers) > 0) {
    pthread_mutex_lock(&pool.mutex);
    pthread_cond_broadcast(&pool.work);
    pthread_mutex_unlock(&pool.mutex);
  }
  work_on(generation);
  for (int spin = 0; spin < kSpins && atomic_load(&pool.finished) != parts; ++spin) weft_rt_cpu_pause();
  if (atomic_load(&pool.finished) == parts) return;
  pthread_mutex_lock(&pool.mutex);
  atomic_store(&pool.caller_sleeps, 1);
  while (atomic_load(&pool.finished) != parts) pthread_cond_wait(&pool.done, &pool.mutex);
  atomic_store(&pool.caller_sleeps, 0);
  pthread_mutex_unlock(&pool.mutex);
}

// Workers must not outlive the code they run: a library may be unloaded. Where a section is still running (exit was
// called from inside one) there is nothing to wait for safely, and the process is ending anyway.
__attribute__((destructor)) static void stop_workers(void) {
  if (weft_rt_thread_in_section || pool.workers == 0) return;
  pthread_mutex_lock(&pool.mutex);
  atomic_store(&pool.stop, 1);
  pthread_cond_broadcast(&pool.work);
  pthread_mutex_unlock(&pool.mutex);
  for (int index = 0; index < pool.workers; ++index) pthread_join(pool.threads[index], NULL);
  pool.workers = 0;
  atomic_store(&pool.stop, 0);
}
#endif
