// What an ahead-of-time library does for its program outside of it: checks on tensors, printing, and calls of handlers. This text stands
// in the generated C source of a library too, behind weft/custom_call.h's.
#ifndef WEFT_RT_HOST_H
#define WEFT_RT_HOST_H

struct weft_rt_context;

// An operand or result of a site; tokens have no place in memory.
typedef struct weft_rt_value {
  const int64_t* shape;
  size_t bytes;
  int32_t rank, element, is_token, reserved;
} weft_rt_value;

enum {
  WEFT_RT_SITE_CHECK = 0,    // weft.check: predicate, values; also every site that only fails
  WEFT_RT_SITE_COMPARE = 1,  // check.*: two tensors, or one and `expected`
  WEFT_RT_SITE_CALL = 2,     // a handler's
  WEFT_RT_SITE_PRINT = 3,    // interpreter.print
  WEFT_RT_SITE_ID = 4,       // replica_id, partition_id: the only process is number 0
  WEFT_RT_SITE_SAME = 5,     // results are the operands
  WEFT_RT_SITE_TEXT = 6      // weft.print
};

typedef struct weft_rt_site {
  int32_t kind, num_operands, num_results;
  int32_t rule;  // of a comparison: 0 equal, 1 distance in representable numbers, 2 absolute difference
  uint64_t min_ulp, max_ulp;
  double tolerance;
  const void* expected;
  const char* place;  // "file:3: ", or ""
  const char* target;
  const char* text;  // the message of a check or print, the type that is printed, else the handler's config
  const weft_rt_value* values;
  weft_call_handler builtin;  // what to call when no handler is registered for the target
} weft_rt_site;

typedef struct weft_rt_handlers {
  void* first;
  int32_t lock, reserved;
} weft_rt_handlers;

// Of one call of an entry; the `host` that generated code hands back.
typedef struct weft_rt_host {
  const weft_rt_site* sites;
  weft_rt_handlers* handlers;
  char* message;
  size_t message_bytes;
  int32_t has_message, reserved;
} weft_rt_host;

// Does what a site asks for; buffers: operands, then results. A status, also set in the context.
int32_t weft_rt_host_call(weft_rt_host* host, struct weft_rt_context* context, int64_t site, void* const* buffers);

// As weft_register_custom_call, for one library.
int weft_rt_register_handler(weft_rt_handlers* handlers, const char* target, weft_call_handler handler, void* data);

#endif
