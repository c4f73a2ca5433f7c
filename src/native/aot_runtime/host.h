// Messages of failed sites, for library.c.
#ifndef WEFT_RT_HOST_MESSAGES_H
#define WEFT_RT_HOST_MESSAGES_H

#include "weft/custom_call.h"
#include "weft_rt.h"
#include "weft_rt_host.h"

// The message of a weft.check on registers: its place, its text with each {} replaced by the next value. `words` are the context's:
// each rank-0 value takes as many words as its bytes need.
void weft_rt_check_message(const weft_rt_site* site, const uint64_t* words, int32_t count, char* message, size_t bytes);

// Why `got` is not `expected` under the site's rule, written to message; 0 when it is.
int weft_rt_compare(const weft_rt_site* site, const void* got, const void* expected, char* message, size_t bytes);

// One number as text: shortest decimals that give it back.
void weft_rt_number_text(int32_t element, const void* number, char* text, size_t bytes);

#endif
