// What the files of the runtime of libraries share.
#ifndef WEFT_RT_LIBRARY_PARTS_H
#define WEFT_RT_LIBRARY_PARTS_H

#include "weft/custom_call.h"
#include "weft_rt.h"
#include "weft_rt_host.h"
#include "weft_rt_library.h"

// The message of this thread's last call that failed.
enum { WEFT_RT_MESSAGE_BYTES = 512 };
char* weft_rt_library_message(void);

// WEFT_BAD_ADDRESS with its message: what, of this number unless it is negative, is NULL or not aligned.
int weft_rt_bad_address(const weft_rt_library* library, const char* what, int32_t index, const char* type,
                        const void* got, size_t alignment);
// The message of a call whose entry left with this status.
void weft_rt_write_reason(const weft_rt_library* library, int status, const weft_rt_context* context);

// Maps the file of constants, if there is one. A status, with its message written.
int weft_rt_load_weights(weft_rt_library* library, const char* path);

#endif
