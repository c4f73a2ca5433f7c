// Calls of libraries with open extents: the program's own small function says what its names stand for, everything else are products of
// these.
#include <alloca.h>
#include <stdio.h>
#include <string.h>

#include "host.h"
#include "library.h"
#include "weft_rt_fft.h"
#include "weft_rt_open.h"
#include "weft_rt_sort.h"
#include "weft_status.h"

enum { kAlignment = WEFT_RT_ALIGNMENT };

// More than any memory has, and so far below what a product of two overflows that sums of sizes do not.
static const int64_t kTooMuch = (int64_t)1 << 56;

// What there is beside the arguments without elements: reads that are masked may touch it.
static const _Alignas(64) char nothing[64];

// The host of one call: the program's, and where its sorts and transforms have room.
typedef struct open_host {
  weft_rt_host program;
  char* step_room;
} open_host;

// Of a call.
typedef struct call_extents {
  int64_t* names;
  char** constants;
  size_t workspace_bytes, step_room_bytes;
} call_extents;

static int64_t product(int64_t a, int64_t b) {
  int64_t out;
  return __builtin_mul_overflow(a, b, &out) || out > kTooMuch ? kTooMuch : out;
}

static int64_t value(const weft_rt_open* o, const int64_t* names, int32_t number) {
  const weft_rt_number* n = &o->numbers[number];
  int64_t out = n->coefficient;
  for (int32_t i = 0; i < n->count; ++i) out = product(out, names[o->factors[n->first + i]]);
  return out;
}

static int64_t elements(const weft_rt_open* o, const int64_t* names, const weft_rt_open_place* place) {
  int64_t out = 1;
  for (int32_t d = 0; d < place->rank; ++d) out = product(out, value(o, names, place->first + d));
  return out;
}

static void fill_words(const weft_rt_open* o, const int64_t* names, const weft_rt_open_step* step, int64_t* words) {
  for (int32_t i = 0; i < step->count; ++i) words[i] = value(o, names, step->first + i);
  if (step->kind == WEFT_RT_OPEN_FFT) {
    words[WEFT_RT_FFT_INTERMEDIATE] = (words[WEFT_RT_FFT_INTERMEDIATE] + 15) / 16 * 16;
  } else if (words[WEFT_RT_SORT_TAKE] > words[WEFT_RT_SORT_RESULT_LENGTH]) {
    words[WEFT_RT_SORT_TAKE] = words[WEFT_RT_SORT_RESULT_LENGTH];
  }
}

static int is_empty(const weft_rt_open_step* step, const int64_t* words) {
  if (step->kind == WEFT_RT_OPEN_SORT)
    return words[WEFT_RT_SORT_LINES] == 0 || words[WEFT_RT_SORT_LENGTH] == 0 || words[WEFT_RT_SORT_TAKE] == 0;
  for (int64_t pass = 0; pass < words[WEFT_RT_FFT_PASSES]; ++pass) {
    if (words[WEFT_RT_FFT_HEADER + pass * WEFT_RT_FFT_PASS_WORDS + WEFT_RT_FFT_LINES] == 0) return 1;
  }
  return words[WEFT_RT_FFT_PASSES] == 0;
}

static size_t step_bytes(const weft_rt_open_step* step, const int64_t* words) {
  if (is_empty(step, words)) return 0;
  if (step->kind == WEFT_RT_OPEN_SORT) return weft_rt_sort_workspace(words);
  const int64_t numbers =
      words[WEFT_RT_FFT_INTERMEDIATE] + product(words[WEFT_RT_FFT_PARTS], words[WEFT_RT_FFT_SCRATCH]);
  return (size_t)product(numbers, step->is_double ? 8 : 4);
}

static size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) & ~(size_t)(kAlignment - 1); }

static int fail(const weft_rt_open* o, int status, const char* what, int64_t got) {
  snprintf(weft_rt_library_message(), WEFT_RT_MESSAGE_BYTES, "%s: %s %lld", o->library->name, what, (long long)got);
  return status;
}

// Bytes of the block that find_extents fills.
static size_t room_bytes(const weft_rt_open* o) {
  size_t out = aligned((size_t)(o->num_names + 1) * sizeof(int64_t)) +
               aligned((size_t)(o->num_constants + 1) * sizeof(char*)) + aligned(o->extents_workspace);
  for (int32_t k = 0; k < o->num_constants; ++k) out += aligned(o->constant_bytes[k]);
  return out + kAlignment;
}

static char* take(char** room, size_t bytes) {
  char* out = *room;
  *room += aligned(bytes);
  return out;
}

// `room`: room_bytes of the caller's.
static int find_extents(const weft_rt_open* o, const int64_t* extents, const void* const* args, char* room,
                        call_extents* out) {
  char* message = weft_rt_library_message();
  int status = weft_rt_library_load(o->library, NULL);
  if (status != WEFT_OK) return status;
  if (o->num_given > 0 && !extents) return fail(o, WEFT_BAD_EXTENT, "extents is NULL; extents expected:", o->num_given);
  for (int32_t k = 0; k < o->num_given; ++k) {
    if (extents[k] >= 0 && extents[k] <= kTooMuch) continue;
    snprintf(message, WEFT_RT_MESSAGE_BYTES, "%s: extents[%d] is %lld, expected none below 0 or beyond any memory",
             o->library->name, (int)k, (long long)extents[k]);
    return WEFT_BAD_EXTENT;
  }
  room = (char*)(((uintptr_t)room + kAlignment - 1) & ~(uintptr_t)(kAlignment - 1));
  const void** in = alloca(((size_t)o->num_shape_args + 1) * sizeof *in);
  in[0] = extents ? (const void*)extents : nothing;
  for (int32_t k = 0; k < o->num_shape_args; ++k) {
    const int32_t at = o->shape_args[k];
    const weft_rt_open_place* place = &o->places[at];
    in[k + 1] = args ? args[at] : NULL;
    if (!in[k + 1] || (uintptr_t)in[k + 1] & (place->alignment - 1))
      return weft_rt_bad_address(o->library, "argument", at, place->type, in[k + 1], place->alignment);
  }
  out->names = (int64_t*)take(&room, (size_t)(o->num_names + 1) * sizeof(int64_t));
  out->constants = (char**)take(&room, (size_t)(o->num_constants + 1) * sizeof(char*));
  void** results = alloca(((size_t)o->num_constants + 1) * sizeof *results);
  results[0] = out->names;
  for (int32_t k = 0; k < o->num_constants; ++k) results[k + 1] = out->constants[k] = take(&room, o->constant_bytes[k]);
  weft_rt_context context;
  weft_rt_context_begin(&context);
  weft_rt_host host = {o->extents_sites, &o->library->handlers, message, WEFT_RT_MESSAGE_BYTES, 0, 0};
  status = o->extents(in, results, room, &context, &host);
  if (status != WEFT_OK) {
    if (!host.has_message)
      weft_rt_check_message(&o->extents_sites[context.site], context.values, context.value_count, message,
                            WEFT_RT_MESSAGE_BYTES);
    weft_rt_context_end(&context);
    return WEFT_BAD_EXTENT;
  }
  weft_rt_context_end(&context);

  int64_t bytes = (int64_t)o->header_bytes + (int64_t)aligned(o->scratch_bytes) + kAlignment;
  for (int32_t k = 0; k < o->num_pools; ++k) {
    const int64_t unit = value(o, out->names, o->pools[k].unit);
    bytes += product((int64_t)aligned((size_t)unit), o->pools[k].count);
    if (bytes >= kTooMuch) return fail(o, WEFT_OUT_OF_MEMORY, "out of memory: bytes of workspace:", bytes);
  }
  out->step_room_bytes = 0;
  for (int32_t k = 0; k < o->num_steps; ++k) {
    int64_t* words = alloca((size_t)o->steps[k].count * sizeof *words);
    fill_words(o, out->names, &o->steps[k], words);
    const size_t need = aligned(step_bytes(&o->steps[k], words));
    if (need > out->step_room_bytes) out->step_room_bytes = need;
  }
  out->workspace_bytes = aligned((size_t)bytes) + out->step_room_bytes;
  return WEFT_OK;
}

size_t weft_rt_open_workspace_bytes(const weft_rt_open* o, const int64_t* extents, const void* const* args) {
  call_extents found;
  return find_extents(o, extents, args, alloca(room_bytes(o)), &found) == WEFT_OK ? found.workspace_bytes : SIZE_MAX;
}

int weft_rt_open_result_shapes(const weft_rt_open* o, const int64_t* extents, const void* const* args,
                               int64_t* shapes) {
  call_extents found;
  const int status = find_extents(o, extents, args, alloca(room_bytes(o)), &found);
  if (status != WEFT_OK) return status;
  for (int32_t j = 0; j < o->library->num_results; ++j) {
    const weft_rt_open_place* place = &o->places[o->library->num_args + j];
    for (int32_t d = 0; d < place->rank; ++d) *shapes++ = value(o, found.names, place->first + d);
  }
  return WEFT_OK;
}

// Places with something in them must be there; the others get an address that may be read.
static int take_places(const weft_rt_open* o, const int64_t* names, const char* what, const void* const* given,
                       int32_t count, const weft_rt_open_place* places, const void** out) {
  for (int32_t i = 0; i < count; ++i) {
    const weft_rt_open_place* place = &places[i];
    out[i] = given ? given[i] : NULL;
    if (place->element_bytes && elements(o, names, place) > 0) {
      if (!out[i] || (uintptr_t)out[i] & (place->alignment - 1))
        return weft_rt_bad_address(o->library, what, i, place->type, out[i], place->alignment);
    } else if (!out[i]) {
      out[i] = nothing;
    }
  }
  return WEFT_OK;
}

int weft_rt_open_call(const weft_rt_open* o, const int64_t* extents, const void* const* args, void* const* results,
                      void* workspace) {
  const weft_rt_library* l = o->library;
  char* message = weft_rt_library_message();
  call_extents found;
  int status = find_extents(o, extents, args, alloca(room_bytes(o)), &found);
  if (status != WEFT_OK) return status;
  const void** in = alloca((size_t)(l->num_args + o->num_constants + 1) * sizeof *in);
  const void** out = alloca((size_t)(l->num_results + 1) * sizeof *out);
  status = take_places(o, found.names, "argument", args, l->num_args, o->places, in);
  if (status == WEFT_OK)
    status = take_places(o, found.names, "result", (const void* const*)results, l->num_results, o->places + l->num_args,
                         out);
  if (status == WEFT_OK && (uintptr_t)workspace & (kAlignment - 1))
    status = weft_rt_bad_address(l, "workspace", -1, "", workspace, kAlignment);
  if (status != WEFT_OK) return status;
  for (int32_t k = 0; k < o->num_constants; ++k) in[l->num_args + k] = found.constants[k];

  weft_rt_arena_pool* pool = (weft_rt_arena_pool*)o->library->pool;
  weft_rt_arena* arena = NULL;
  if (!workspace) {
    arena = weft_rt_arena_lease(pool, found.workspace_bytes);
    if (!arena)
      return fail(o, WEFT_OUT_OF_MEMORY, "out of memory: bytes of workspace:", (int64_t)found.workspace_bytes);
    workspace = arena->base;
  }
  memcpy(workspace, found.names, (size_t)o->num_names * sizeof(int64_t));
  weft_rt_context context;
  weft_rt_context_begin(&context);
  context.constants = l->weights ? l->weights->constants : l->constants;
  open_host host = {{l->sites, &o->library->handlers, message, WEFT_RT_MESSAGE_BYTES, 0, 0},
                    (char*)workspace + found.workspace_bytes - found.step_room_bytes};
  status = l->entry(in, (void* const*)out, workspace, &context, &host);
  if (status != WEFT_OK && !host.program.has_message) weft_rt_write_reason(l, status, &context);
  weft_rt_context_end(&context);
  if (arena) weft_rt_arena_return(pool, arena);
  return status;
}

int weft_rt_open_host(const weft_rt_open* o, void* host, struct weft_rt_context* context, const int64_t* names,
                      int64_t site, void* const* buffers) {
  open_host* h = host;
  for (int32_t k = 0; k < o->num_steps; ++k) {
    const weft_rt_open_step* step = &o->steps[k];
    if (step->site != site) continue;
    int64_t* words = alloca((size_t)step->count * sizeof *words);
    fill_words(o, names, step, words);
    if (is_empty(step, words)) return WEFT_OK;
    if (step->kind == WEFT_RT_OPEN_SORT) weft_rt_sort(words, step->less, buffers, h->step_room);
    else weft_rt_fft(words, step->table, step->is_double, buffers, h->step_room);
    return WEFT_OK;
  }
  return weft_rt_host_call(&h->program, context, site, buffers);
}
