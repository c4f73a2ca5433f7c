/* What a call of a library returns. NAME_error() tells in words, with places and numbers, why the last call of this thread that failed
   did. */
#ifndef WEFT_STATUS_H
#define WEFT_STATUS_H

enum weft_status {
  WEFT_OK = 0,
  WEFT_FAILED = 1,        /* a check of the program did not hold, or a handler failed or is missing */
  WEFT_OUT_OF_MEMORY = 2, /* no memory for the workspace, or for stacks while the program ran */
  WEFT_FAULT = 3,         /* a fault of the compiler: please report it */
  WEFT_CALL_FAILED = 4,   /* a function of another library (--with-onednn, --with-lapack) reported a failure */
  WEFT_WRONG_CPU = 5,     /* the code needs instructions that this CPU lacks */
  WEFT_TOO_DEEP = 6,      /* recursion beyond its stack (environment variable WEFT_RECURSION_MIB) */
  WEFT_INTERRUPTED = 7,   /* NAME_interrupt() was called */
  WEFT_BAD_ADDRESS = 8,   /* an argument, result or the workspace is NULL where it may not be, or not aligned */
  WEFT_NO_WEIGHTS = 9,    /* the file of constants is missing, cut short, or that of another program */
  WEFT_NO_LIBRARY = 10,   /* another library that the program calls cannot be opened */
  WEFT_BAD_EXTENT = 11    /* the extents of a call do not go together */
};

#endif
