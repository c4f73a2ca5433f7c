/* Handlers of stablehlo.custom_call, and of effects on the outside world, as a C interface: the same for programs that this process
   compiles and runs (native and evaluator) and for libraries built ahead of time. Such a library carries this text in its header and
   has a registration function of its own, NAME_register_custom_call. */
#ifndef WEFT_CUSTOM_CALL_H
#define WEFT_CUSTOM_CALL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Element types; i1 and types narrower than a byte take one byte an element. */
enum weft_element {
  WEFT_I1,
  WEFT_I2,
  WEFT_I4,
  WEFT_I8,
  WEFT_I16,
  WEFT_I32,
  WEFT_I64,
  WEFT_U2,
  WEFT_U4,
  WEFT_U8,
  WEFT_U16,
  WEFT_U32,
  WEFT_U64,
  WEFT_INDEX,
  WEFT_F4E2M1FN,
  WEFT_F6E2M3FN,
  WEFT_F6E3M2FN,
  WEFT_F8E3M4,
  WEFT_F8E4M3,
  WEFT_F8E4M3FN,
  WEFT_F8E4M3FNUZ,
  WEFT_F8E4M3B11FNUZ,
  WEFT_F8E5M2,
  WEFT_F8E5M2FNUZ,
  WEFT_F8E8M0FNU,
  WEFT_F16,
  WEFT_BF16,
  WEFT_F32,
  WEFT_F64,
  WEFT_C64,
  WEFT_C128 /* real part, imaginary part */
};

/* A dense row-major tensor. */
typedef struct weft_buffer {
  void* data;
  const int64_t* shape; /* rank extents */
  int32_t rank;
  int32_t element; /* enum weft_element */
  size_t bytes;
} weft_buffer;

/* One call. Fields are only ever added behind the last. Tokens are no operands or results here. */
typedef struct weft_call {
  size_t struct_bytes;
  const char*
      target; /* call_target_name, or the op's name: "stablehlo.infeed", "stablehlo.outfeed", "stablehlo.send", … */
  const char* config; /* backend_config as it is written; for other ops the op's attributes */
  size_t num_operands, num_results;
  const weft_buffer* operands; /* to be read only */
  const weft_buffer* results;  /* to be filled; they overlap no operand */
  char* message;               /* on failure what went wrong, ending in 0, at most message_bytes long */
  size_t message_bytes;
  void* data; /* as registered */
} weft_call;

/* Returns 0, or another number when it failed: the program then ends with `message` as its error. It must not throw, and may be called
   from several threads at once when its program is. */
typedef int (*weft_call_handler)(const weft_call* call);

/* Makes a handler known to this process, in place of one of the same name; a null handler takes it away. Effects without a handler do
   what they do among the processes of a program (an infeed of its own, channels). Returns 0, or 1 when memory is short. */
int weft_register_custom_call(const char* target, weft_call_handler handler, void* data);

#ifdef __cplusplus
}
#endif
#endif
