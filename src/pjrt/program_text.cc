#include "pjrt/program_text.h"

#include "pjrt/client.h"
#include "text/print.h"
#include "transform/portable.h"

namespace weft::pjrt {
namespace {

void expect_array(Type t, const std::string& what) {
  if (!t.is_tensor()) throw Unsupported(what + " is a " + t.str() + ": PJRT programs take and give plain tensors");
  if (!t.is_static()) throw Unsupported(what + " is a " + t.str() + ": PJRT programs need static extents");
  if (!buffer_type(t.element_type()))
    throw Unsupported(what + " is a " + t.str() + ": PJRT has no element type " + std::string(name(t.element_type())));
}

ProgramText text_of(const Module& program) {
  ProgramText out;
  const Function& main = program.get("main");
  out.arg_types = main.arg_types();
  out.result_types = main.result_types();
  for (size_t i = 0; i < out.arg_types.size(); ++i) expect_array(out.arg_types[i], "argument " + std::to_string(i));
  for (size_t i = 0; i < out.result_types.size(); ++i) expect_array(out.result_types[i], "result " + std::to_string(i));
  out.text = print_module(program);
  return out;
}

}  // namespace

ProgramText program_text(const Module& module, const std::string& entry) {
  return text_of(*portable_program(module, entry));
}

ProgramText program_text(const Module& module, const std::string& entry,
                         std::span<const std::pair<size_t, size_t>> donations) {
  const std::shared_ptr<Module> program = portable_program(module, entry);
  Function& main = *program->find("main");
  std::vector<Attrs>& attrs = main.arg_attrs();
  for (Attrs& a : attrs) {
    a.erase("tf.aliasing_output");
    a.erase("jax.buffer_donor");
  }
  attrs.resize(main.args().size());
  for (const auto& [arg, result] : donations)
    attrs[arg].set("tf.aliasing_output", OpaqueAttr{std::to_string(result) + " : i32"});
  return text_of(*program);
}

}  // namespace weft::pjrt
