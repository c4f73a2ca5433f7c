#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spin_lock.h"

struct registered {
  struct registered* next;
  weft_call_handler run;
  void* data;
  char target[];
};

int weft_rt_register_handler(weft_rt_handlers* handlers, const char* target, weft_call_handler handler, void* data) {
  weft_rt_spin_lock(&handlers->lock);
  struct registered* r = handlers->first;
  while (r != NULL && strcmp(r->target, target) != 0) r = r->next;
  if (r == NULL) {
    // Entries stay for the life of the library, so that calls in flight may hold on to them.
    r = malloc(sizeof *r + strlen(target) + 1);
    if (r == NULL) {
      weft_rt_spin_unlock(&handlers->lock);
      return 1;
    }
    strcpy(r->target, target);
    r->next = handlers->first;
    handlers->first = r;
  }
  r->run = handler;
  r->data = data;
  weft_rt_spin_unlock(&handlers->lock);
  return 0;
}

static weft_call_handler find_handler(weft_rt_handlers* handlers, const char* target, void** data) {
  weft_call_handler run = NULL;
  weft_rt_spin_lock(&handlers->lock);
  for (struct registered* r = handlers->first; r != NULL; r = r->next) {
    if (strcmp(r->target, target) != 0) continue;
    run = r->run;
    *data = r->data;
  }
  weft_rt_spin_unlock(&handlers->lock);
  return run;
}

enum { kMostBuffers = 64 };

static int fill_buffers(const weft_rt_value* values, int32_t count, void* const* data, weft_buffer* out) {
  int used = 0;
  for (int32_t i = 0; i < count; ++i) {
    if (values[i].is_token) continue;
    if (used == kMostBuffers) return -1;
    out[used++] = (weft_buffer){data[i], values[i].shape, values[i].rank, values[i].element, values[i].bytes};
  }
  return used;
}

static int call_handler(weft_rt_host* host, const weft_rt_site* site, void* const* buffers) {
  void* data = NULL;
  weft_call_handler run = find_handler(host->handlers, site->target, &data);
  if (run == NULL) run = site->builtin;
  if (run == NULL) {
    snprintf(host->message, host->message_bytes,
             "%sthere is no handler for @%s: register one with the library's function", site->place, site->target);
    return 1;
  }
  weft_buffer operands[kMostBuffers], results[kMostBuffers];
  const int in = fill_buffers(site->values, site->num_operands, buffers, operands);
  const int out =
      fill_buffers(site->values + site->num_operands, site->num_results, buffers + site->num_operands, results);
  if (in < 0 || out < 0) {
    snprintf(host->message, host->message_bytes, "%s@%s: more than %d operands or results", site->place, site->target,
             kMostBuffers);
    return 1;
  }
  char text[400] = "";
  const weft_call call = {sizeof call, site->target, site->text, (size_t)in,  (size_t)out,
                          operands,    results,      text,       sizeof text, data};
  const int status = run(&call);
  if (status == 0) return 0;
  text[sizeof text - 1] = 0;
  if (text[0]) snprintf(host->message, host->message_bytes, "%s@%s: %s", site->place, site->target, text);
  else snprintf(host->message, host->message_bytes, "%s@%s: failed with status %d", site->place, site->target, status);
  return 1;
}

static int64_t elements(const weft_rt_value* v) {
  int64_t n = 1;
  for (int32_t d = 0; d < v->rank; ++d) n *= v->shape[d];
  return n;
}

// Text goes on at `*used`; what does not fit is left out.
static void append(char* message, size_t bytes, size_t* used, const char* text, size_t length) {
  if (*used + 1 >= bytes) return;
  if (length > bytes - 1 - *used) length = bytes - 1 - *used;
  memcpy(message + *used, text, length);
  *used += length;
  message[*used] = 0;
}

static void append_text(char* message, size_t bytes, size_t* used, const char* text) {
  append(message, bytes, used, text, strlen(text));
}

// A value as messages show it: a number, or for several their shape.
static void value_text(const weft_rt_value* v, const void* number, char* text, size_t bytes) {
  if (number != NULL) {
    weft_rt_number_text(v->element, number, text, bytes);
    return;
  }
  size_t at = (size_t)snprintf(text, bytes, "tensor [");
  for (int32_t d = 0; d < v->rank && at + 24 < bytes; ++d)
    at += (size_t)snprintf(text + at, bytes - at, "%s%lld", d ? ", " : "", (long long)v->shape[d]);
  snprintf(text + at, bytes - at, "]");
}

// `numbers[i]`: value i of the site behind the predicate, or null where it is shown by its shape.
static void write_message(const weft_rt_site* site, const void* const* numbers, int32_t count, char* message,
                          size_t bytes) {
  size_t used = 0;
  message[0] = 0;
  append_text(message, bytes, &used, site->place);
  const char* rest = site->text;
  int listed = 0;
  for (int32_t i = 0; i < count; ++i) {
    char value[128];
    value_text(&site->values[i + 1], numbers[i], value, sizeof value);
    const char* hole = strstr(rest, "{}");
    if (hole != NULL && !listed) {
      append(message, bytes, &used, rest, (size_t)(hole - rest));
      rest = hole + 2;
    } else {
      if (!listed) append_text(message, bytes, &used, rest);
      rest = "";
      append_text(message, bytes, &used, listed ? ", " : ": ");
      listed = 1;
    }
    append_text(message, bytes, &used, value);
  }
  append_text(message, bytes, &used, rest);
}

void weft_rt_check_message(const weft_rt_site* site, const uint64_t* words, int32_t count, char* message,
                           size_t bytes) {
  const void* numbers[WEFT_RT_MAX_CHECK_VALUES];
  int32_t used = 0, shown = 0;
  for (int32_t i = 1; i < site->num_operands && shown < WEFT_RT_MAX_CHECK_VALUES; ++i) {
    const weft_rt_value* v = &site->values[i];
    const int32_t needed = v->rank == 0 ? (int32_t)((v->bytes + 7) / 8) : 0;
    if (used + needed > count) break;
    numbers[shown++] = needed ? &words[used] : NULL;
    used += needed;
  }
  write_message(site, numbers, shown, message, bytes);
}

// weft.check over lanes: the first that fails, with its values.
static int check(weft_rt_host* host, const weft_rt_site* site, void* const* buffers) {
  const uint8_t* holds = buffers[0];
  const int64_t n = elements(&site->values[0]);
  int64_t i = 0;
  while (i < n && holds[i]) ++i;
  if (i == n) return 0;
  const void* numbers[kMostBuffers];
  int32_t count = site->num_operands - 1 < kMostBuffers ? site->num_operands - 1 : kMostBuffers;
  for (int32_t k = 0; k < count; ++k) {
    const weft_rt_value* v = &site->values[k + 1];
    const int64_t size = elements(v);
    numbers[k] = size == 1            ? buffers[k + 1]
                 : n > 1 && size == n ? (const char*)buffers[k + 1] + (size_t)i * (v->bytes / (size_t)size)
                                      : NULL;
  }
  write_message(site, numbers, count, host->message, host->message_bytes);
  if (n == 1) return 1;
  size_t used = strlen(host->message);
  int64_t stride = n, rest = i;
  for (int32_t d = 0; d < site->values[0].rank; ++d) {
    char index[32];
    stride /= site->values[0].shape[d];
    snprintf(index, sizeof index, "%s%lld", d ? ", " : " at [", (long long)(rest / stride));
    append_text(host->message, host->message_bytes, &used, index);
    rest %= stride;
  }
  append_text(host->message, host->message_bytes, &used, "]");
  return 1;
}

static void print(const weft_rt_site* site, void* const* buffers) {
  const void* value = buffers[0];
  char text[128];
  // Numbers of lanes; the site's text begins with those that are known.
  const int is_more = strncmp(site->text, "lane ", 5) == 0;
  for (int32_t i = 1; i < site->num_operands; ++i)
    printf("%s%lld", i == 1 ? "lane " : ", ", (long long)*(const int64_t*)buffers[i]);
  if (site->num_operands > 1) printf(is_more ? ", " : ": ");
  if (elements(&site->values[0]) == 1) weft_rt_number_text(site->values[0].element, value, text, sizeof text);
  printf("%s ", site->text + (site->num_operands > 1 && is_more ? 5 : 0));
  if (elements(&site->values[0]) == 1) {
    printf("%s\n", text);
    return;
  }
  printf("tensor [");
  for (int32_t d = 0; d < site->values[0].rank; ++d)
    printf("%s%lld", d ? ", " : "", (long long)site->values[0].shape[d]);
  printf("]\n");
}

// The text with each {} replaced by the next value; values without one follow it.
static void print_text(const weft_rt_site* site, void* const* buffers) {
  const char* rest = site->text;
  int listed = 0;
  for (int32_t i = 0; i < site->num_operands; ++i) {
    char value[128];
    value_text(&site->values[i], elements(&site->values[i]) == 1 ? buffers[i] : NULL, value, sizeof value);
    const char* hole = strstr(rest, "{}");
    if (hole != NULL && !listed) {
      fwrite(rest, 1, (size_t)(hole - rest), stdout);
      rest = hole + 2;
    } else {
      printf("%s%s", rest, listed ? ", " : ": ");
      rest = "";
      listed = 1;
    }
    fputs(value, stdout);
  }
  fputs(rest, stdout);
}

int32_t weft_rt_host_call(weft_rt_host* host, weft_rt_context* context, int64_t index, void* const* buffers) {
  const weft_rt_site* site = &host->sites[index];
  int failed = 0;
  void* ignored;
  switch (site->kind) {
    case WEFT_RT_SITE_CHECK: failed = check(host, site, buffers); break;
    case WEFT_RT_SITE_COMPARE: {
      const void* expected = site->expected != NULL ? site->expected : buffers[1];
      failed = weft_rt_compare(site, buffers[0], expected, host->message, host->message_bytes);
      if (!failed && site->num_results == 1) *(uint8_t*)buffers[site->num_operands] = 1;
      break;
    }
    case WEFT_RT_SITE_PRINT:
      if (find_handler(host->handlers, site->target, &ignored)) failed = call_handler(host, site, buffers);
      else print(site, buffers);
      break;
    case WEFT_RT_SITE_TEXT:
      if (find_handler(host->handlers, site->target, &ignored)) failed = call_handler(host, site, buffers);
      else print_text(site, buffers);
      break;
    case WEFT_RT_SITE_ID: memset(buffers[0], 0, site->values[0].bytes); break;
    case WEFT_RT_SITE_SAME:
      for (int32_t i = 0; i < site->num_results; ++i)
        memcpy(buffers[site->num_operands + i], buffers[i], site->values[i].bytes);
      break;
    default: failed = call_handler(host, site, buffers); break;
  }
  if (!failed) return WEFT_RT_OK;
  host->has_message = 1;
  weft_rt_fail(context, WEFT_RT_CHECK_FAILED, 0, index, NULL, 0);
  return WEFT_RT_CHECK_FAILED;
}
