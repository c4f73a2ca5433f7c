#include "native/aot/glue.h"

#include "native/aot/embedded_headers.h"
#include "native/aot/glue_sites.h"
#include "native/codegen/isa_choice.h"

namespace weft::native {
namespace {

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string describe(const Function& f) {
  std::string out;
  for (size_t i = 0; i < f.args().size(); ++i)
    out += "   args[" + std::to_string(i) + "]: " + f.type(f.args()[i]).str() + "\n";
  const auto results = f.result_types();
  for (size_t i = 0; i < results.size(); ++i)
    out += "   results[" + std::to_string(i) + "]: " + results[i].str() + "\n";
  return out;
}

}  // namespace

Glue write_glue(const CompiledProgram& program, const std::string& symbol, const std::string& inner,
                const codegen::Isa& isa, const std::string& cpu) {
  const std::string guard = upper(symbol) + "_H";
  const std::string bytes = std::to_string(program.workspace_bytes);
  Glue glue;
  glue.header =
      "/* " + symbol + ", compiled ahead of time. Tensors are dense, row-major; pointers aligned to their elements.\n" +
      describe(*program.function) + "   workspace: NULL, or " + symbol +
      "_workspace_bytes bytes aligned to 64, for one call at a time.\n"
      "   Returns 0, or a status that " +
      symbol +
      "_error() explains (of the last failed call of this thread). */\n"
      "#ifndef " +
      guard + "\n#define " + guard +
      "\n#include <stddef.h>\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
      "int " +
      symbol +
      "(const void* const* args, void* const* results, void* workspace);\n"
      "const char* " +
      symbol +
      "_error(void);\n"
      "extern const size_t " +
      symbol +
      "_workspace_bytes;\n"
      "/* Threads of later calls; 0: one for each CPU, less where WEFT_NUM_THREADS says so. Results do not depend on "
      "it. */\n"
      "void " +
      symbol +
      "_set_threads(int threads);\n"
      "/* Makes the calls that run now end with status 7; may be called in a signal handler. */\n"
      "void " +
      symbol +
      "_interrupt(void);\n"
      "#ifdef __cplusplus\n}\n#endif\n\n" +
      std::string(kCustomCallHeader) +
      "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
      "/* weft_register_custom_call for this library: handlers that the program calls, and of its effects. */\n"
      "int " +
      symbol +
      "_register_custom_call(const char* target, weft_call_handler handler, void* data);\n"
      "#ifdef __cplusplus\n}\n#endif\n#endif\n";
  std::string needed;
  for (const std::string& feature : codegen::required_features(isa)) needed += "\"" + feature + "\", ";
  glue.source =
      "#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n\n" + std::string(kCustomCallHeader) +
      kHostHeader +
      "\n#define EXPORT __attribute__((visibility(\"default\")))\n"
      "int " +
      inner +
      "(const void* const*, void* const*, void*, struct weft_rt_context*, void*);\n"
      "int weft_rt_call(int (*)(const void* const*, void* const*, void*, struct weft_rt_context*, void*),\n"
      "                 const void* const*, void* const*, void*, size_t, void*, const weft_rt_site*, "
      "weft_rt_handlers*, char*, "
      "size_t);\n"
      "EXPORT const size_t " +
      symbol + "_workspace_bytes = " + bytes +
      ";\n"
      "static long long pool[4];\n"
      "static weft_rt_handlers handlers;\n"
      "static _Thread_local char message[512];\n" +
      sites_source(program) +
      "const char* weft_rt_missing_feature(const char* const*);\n"
      "void weft_rt_set_thread_count(int);\nvoid weft_rt_interrupt(void);\n"
      "static const char* const features[] = {" +
      needed +
      "0};\n\n"
      "EXPORT void " +
      symbol +
      "_set_threads(int threads) { weft_rt_set_thread_count(threads); }\n\n"
      "EXPORT void " +
      symbol +
      "_interrupt(void) { weft_rt_interrupt(); }\n\n"
      "EXPORT const char* " +
      symbol +
      "_error(void) { return message; }\n\n"
      "EXPORT int " +
      symbol +
      "(const void* const* args, void* const* results, void* workspace) {\n"
      "  static int checked;\n"
      "  if (!__atomic_load_n(&checked, __ATOMIC_RELAXED)) {\n"
      "    const char* missing = weft_rt_missing_feature(features);\n"
      "    if (missing) {\n"
      "      snprintf(message, sizeof message, \"" +
      symbol + " was compiled for " + cpu +
      " and needs %s, which this CPU lacks\", missing);\n"
      "      return " +
      std::to_string(WEFT_RT_WRONG_ISA) +
      ";\n"
      "    }\n"
      "    __atomic_store_n(&checked, 1, __ATOMIC_RELAXED);\n"
      "  }\n"
      "  return weft_rt_call(" +
      inner + ", args, results, workspace, " + symbol +
      "_workspace_bytes, pool, sites, &handlers, message, sizeof message);\n"
      "}\n\n"
      "int weft_native_host(void* host, struct weft_rt_context* context, int64_t site, void* const* buffers) {\n"
      "  return weft_rt_host_call(host, context, site, buffers);\n}\n\n"
      "EXPORT int " +
      symbol +
      "_register_custom_call(const char* target, weft_call_handler handler, void* data) {\n"
      "  return weft_rt_register_handler(&handlers, target, handler, data);\n}\n";
  return glue;
}

}  // namespace weft::native
