// Headers whose text stands in generated C sources. CMake writes their definitions.
#pragma once

namespace weft::native {

extern const char* const kCustomCallHeader;   // weft/custom_call.h
extern const char* const kHostHeader;         // aot_runtime/weft_rt_host.h
extern const char* const kLibraryHeader;      // aot_runtime/weft_rt_library.h
extern const char* const kStatusHeader;       // aot_runtime/weft_status.h
extern const char* const kConvolutionHeader;  // aot_runtime/weft_rt_convolution.h
extern const char* const kOpenHeader;         // aot_runtime/weft_rt_open.h
extern const char* const kGemmHeader;         // aot_runtime/weft_rt_gemm.h
extern const char* const kLapackHeader;       // aot_runtime/weft_rt_lapack.h

}  // namespace weft::native
