#include "native/aot/glue.h"

#include "native/aot/convolution_calls.h"
#include "native/aot/embedded_headers.h"
#include "native/aot/gemm_calls.h"
#include "native/aot/glue_sites.h"
#include "native/aot/open_glue.h"
#include "native/codegen/isa_choice.h"
#include "ops/families.h"

namespace weft::native {
namespace {

std::string number(uint64_t x) { return std::to_string(x); }

/// {"tensor<2xf32>", bytes, alignment}, …
std::string places(std::span<const Type> types) {
  std::string out;
  for (Type t : types) {
    out += "  {" + c_string(t.str()) + ", ";
    if (t.is_tensor()) out += number(t.num_bytes()) + ", " + number(byte_size(part_type(t.element_type()))) + "},\n";
    else out += "0, 1},\n";
  }
  return out;
}

std::string constants_source(const LibraryNames& names, const std::vector<DataBlob>& blobs,
                             const std::vector<size_t>& order, const WeightsLayout* layout) {
  if (layout == nullptr) {
    std::string out;
    for (const DataBlob& blob : blobs)
      out += "extern const unsigned char " + blob.name + "[] __attribute__((visibility(\"hidden\")));\n";
    out += "static const void* const constants[] = {";
    for (size_t blob : order) out += blobs[blob].name + ", ";
    return out + "0};\n\n";
  }
  std::string out =
      "static const void* constants[" + number(order.size() + 1) + "];\nstatic const uint64_t offsets[] = {";
  for (size_t blob : order) out += number(layout->offsets[blob]) + "u, ";
  return out + "0};\nstatic weft_rt_weights weights = {" + c_string(names.weights) + ", " +
         c_string(names.weights_variable()) + ", " + number(layout->file_bytes) + "u, {" + number(layout->hash[0]) +
         "u, " + number(layout->hash[1]) + "u}, " + number(blobs.size()) + ", " + number(order.size()) +
         ", offsets, constants, 0};\n\n";
}

std::string static_functions(const std::string& name) {
  return "EXPORT int " + name +
         "(const void* const* args, void* const* results, void* workspace) {\n"
         "  return weft_rt_library_call(&library, args, results, workspace);\n}\n"
         "EXPORT size_t " +
         name + "_workspace_bytes(void) { return library.workspace_bytes; }\n";
}

std::string open_functions(const std::string& name) {
  return "EXPORT int " + name +
         "(const int64_t* extents, const void* const* args, void* const* results, void* workspace) {\n"
         "  return weft_rt_open_call(&open, extents, args, results, workspace);\n}\n"
         "EXPORT size_t " +
         name +
         "_workspace_bytes(const int64_t* extents, const void* const* args) {\n"
         "  return weft_rt_open_workspace_bytes(&open, extents, args);\n}\n"
         "EXPORT int " +
         name +
         "_result_shapes(const int64_t* extents, const void* const* args, int64_t* shapes) {\n"
         "  return weft_rt_open_result_shapes(&open, extents, args, shapes);\n}\n"
         "int weft_open_host(void* host, struct weft_rt_context* context, const int64_t* names, int64_t site,\n"
         "                   void* const* buffers) {\n"
         "  return weft_rt_open_host(&open, host, context, names, site, buffers);\n}\n";
}

}  // namespace

std::string LibraryNames::weights_variable() const {
  std::string out = symbol + "_WEIGHTS";
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

std::vector<std::string> LibraryNames::functions() const {
  std::vector<std::string> out = {symbol};
  for (const char* name :
       {"_error", "_interrupt", "_load", "_register_custom_call", "_set_threads", "_threads", "_workspace_bytes"})
    out.push_back(symbol + name);
  if (!weights.empty()) out.push_back(symbol + "_check_weights");
  if (is_open) out.push_back(symbol + "_result_shapes");
  return out;
}

Glue write_glue(const CompiledProgram& program, const LibraryNames& names, const codegen::Isa& isa,
                const std::vector<DataBlob>& constants, const std::vector<size_t>& constant_of,
                const WeightsLayout* layout, const OpenParts* open) {
  Glue glue;
  if (layout == nullptr) glue.data = constants;
  std::string features;
  for (const std::string& feature : codegen::required_features(isa)) features += "\"" + feature + "\", ";
  const std::string& s = names.symbol;
  const bool opens_lapack = names.with_lapack && calls_lapack(program);
  const std::string convolutions = convolutions_source(program);
  size_t num_convolutions = 0;
  for (const LibraryStep& step : program.libraries) num_convolutions += is_convolution_call(*step.kernel) ? 1 : 0;
  const bool opens_gemm = program.libraries.size() > num_convolutions;
  glue.source =
      "#include <stddef.h>\n#include <stdint.h>\n\n" + std::string(kCustomCallHeader) + kHostHeader + kLibraryHeader +
      (open != nullptr ? kOpenHeader : "") + (opens_lapack ? kLapackHeader : "") + (opens_gemm ? kGemmHeader : "") +
      (num_convolutions > 0 ? kConvolutionHeader : "") +
      "\n#define EXPORT __attribute__((visibility(\"default\")))\n"
      "int " +
      names.inner +
      "(const void* const*, void* const*, void*, struct weft_rt_context*, void*);\n"
      "static const char* const features[] = {" +
      features + "0};\nstatic const weft_rt_place places[] = {\n" +
      (open != nullptr ? "" : places(program.arg_types) + places(program.result_types)) + "  {0}\n};\n" +
      constants_source(names, constants, constant_of, layout) + sites_source(program, opens_lapack, glue.data) +
      convolutions + "static int (*const openers[])(char*, size_t) = {" +
      (opens_lapack ? "weft_rt_lapack_open, " : "") + (opens_gemm ? "weft_rt_gemm_open, " : "") +
      (num_convolutions > 0 ? "open_convolutions, " : "") +
      "0};\nstatic weft_rt_library library = {\n  .name = " + c_string(s) + ", .cpu = " + c_string(names.cpu) +
      ", .features = features, .entry = " + names.inner + ",\n  .workspace_bytes = " + number(program.workspace_bytes) +
      ", .num_args = " + number(program.arg_types.size()) + ", .num_results = " + number(program.result_types.size()) +
      ",\n  .places = places, .sites = sites, .constants = constants, .weights = " + (layout ? "&weights" : "0") +
      ", .openers = openers" +
      "\n};\n\n"
      "EXPORT const char* " +
      s +
      "_error(void) { return weft_rt_library_error(); }\n"
      "EXPORT int " +
      s +
      "_load(const char* weights) { return weft_rt_library_load(&library, weights); }\n"
      "EXPORT void " +
      s +
      "_set_threads(int threads) { weft_rt_set_thread_count(threads); }\n"
      "EXPORT int " +
      s +
      "_threads(void) { return weft_rt_thread_count(); }\n"
      "EXPORT void " +
      s +
      "_interrupt(void) { weft_rt_interrupt(); }\n"
      "EXPORT int " +
      s +
      "_register_custom_call(const char* target, weft_call_handler handler, void* data) {\n"
      "  return weft_rt_register_handler(&library.handlers, target, handler, data);\n}\n"
      "int weft_native_host(void* host, struct weft_rt_context* context, int64_t site, void* const* buffers) {\n"
      "  return weft_rt_host_call(host, context, site, buffers);\n}\n";
  glue.source += open != nullptr ? open_source(*open, glue.data) + open_functions(s) : static_functions(s);
  if (!program.libraries.empty()) {
    std::string cases;
    size_t gemms = 0, convolved = 0;
    for (size_t i = 0; i < program.libraries.size(); ++i) {
      const bool is_convolution = is_convolution_call(*program.libraries[i].kernel);
      cases += "    case " + number(i) + ": return " +
               (is_convolution ? "weft_rt_convolution_run(&convolutions[" + number(convolved++)
                               : "weft_rt_gemm_run(&gemms[" + number(gemms++)) +
               "], buffers);\n";
    }
    glue.source += (opens_gemm ? gemms_source(program) : "") +
                   "int weft_native_library(void* host, int64_t index, void* const* buffers, void* scratch) {\n"
                   "  (void)host;\n  (void)scratch;\n  switch (index) {\n" +
                   cases + "    default: return 1;\n  }\n}\n";
  }
  if (layout != nullptr) {
    glue.source += "EXPORT int " + s + "_check_weights(void) { return weft_rt_library_check_weights(&library); }\n";
  }
  return glue;
}

}  // namespace weft::native
