// Tokens, channels, feeds and the id of the process (specification: Distribution). Attribute names, the channel handle's flattened:
//   send, recv  handle, type, is_host_transfer, source_target_pairs
#include "ops/distribution/process_groups.h"
#include "ops/distribution/processes.h"
#include "ops/families.h"
#include "ops/families_list.h"
#include "ops/foreign/lane_by_lane.h"
#include "ops/quantized/quantization.h"
#include "ops/structural/dimension_checks.h"

namespace weft {
namespace {

constexpr Refuse kLeaves{
    "what is sent leaves the function, and the function that receives it is not differentiated with it; "
    "collective_permute moves values between processes and has a derivative"};
constexpr Refuse kNoSamples{"it needs more than one process; the corpora hold programs for it"};

void expect_token(const TypeContext& c, std::string_view label, const std::string& what, Type got) {
  if (!got.is_token()) c.fail(label, what + ": got " + got.str() + ", expected !stablehlo.token");
}

std::vector<Type> type_after_all(const TypeContext& c) {
  for (size_t i = 0; i < c.operands.size(); ++i)
    expect_token(c, "after_all_i1", "type of operand " + std::to_string(i), c.operands[i]);
  return {Type::token()};
}

std::vector<Type> type_create_token(const TypeContext& c) {
  c.expect_operands(0);
  return {Type::token()};
}

std::vector<Type> type_id(const TypeContext& c) {
  c.expect_operands(0);
  return {Type::scalar(ElementType::kU32)};
}

/// Results are tensors and then a token.
void check_results(const TypeContext& c, std::string_view count, std::string_view tensors, std::string_view last) {
  if (c.declared.empty()) c.fail(count, "number of results: got 0, expected values and a token");
  for (size_t i = 0; i + 1 < c.declared.size(); ++i) {
    if (!c.declared[i].is_tensor())
      c.fail(tensors, "type of result " + std::to_string(i) + ": got " + c.declared[i].str() + ", expected a tensor");
  }
  expect_token(c, last, "type of the last result", c.declared.back());
}

std::vector<Type> type_infeed(const TypeContext& c) {
  c.expect_operands(1);
  expect_token(c, "infeed_i1", "type of the operand", c.operands[0]);
  check_results(c, "infeed_c1", "infeed_c2", "infeed_c3");
  if (const Attr* layout = c.attrs.find("layout")) {
    const auto* lists = layout->get_if<std::shared_ptr<const AttrList>>();
    const auto fail = [&] {
      c.fail("", "layout: got " + layout->str() + ", expected a list of integers for each value");
    };
    if (lists == nullptr) fail();
    if ((*lists)->size() + 1 != c.declared.size()) {
      c.fail("", "layout: got lists for " + std::to_string((*lists)->size()) + " values, expected them for " +
                     std::to_string(c.declared.size() - 1));
    }
    for (const Attr& list : **lists) {
      const auto* items = list.get_if<std::shared_ptr<const AttrList>>();
      if (items == nullptr) fail();
      for (const Attr& item : **items) {
        if (!item.get_if<int64_t>()) fail();
      }
    }
  }
  return c.declared;
}

/// Values and then a token.
void check_inputs(const TypeContext& c, const std::string& name) {
  if (c.operands.empty()) c.fail(name + "_i2", "number of operands: got 0, expected values and a token");
  for (size_t i = 0; i + 1 < c.operands.size(); ++i) {
    if (!c.operands[i].is_tensor())
      c.fail(name + "_i1",
             "type of operand " + std::to_string(i) + ": got " + c.operands[i].str() + ", expected a tensor");
  }
  expect_token(c, name + "_i2", "type of the last operand", c.operands.back());
}

std::vector<Type> type_outfeed(const TypeContext& c) {
  check_inputs(c, "outfeed");
  return {Type::token()};
}

constexpr int64_t kDeviceToDevice = 1, kDeviceToHost = 2, kHostToDevice = 3;

void check_channel(const TypeContext& c, std::string_view label, int64_t host_type) {
  if (c.attrs.has("source_target_pairs")) check_source_target_pairs(c);
  const int64_t expected = c.attrs.boolean_or("is_host_transfer", false) ? host_type : kDeviceToDevice;
  const int64_t got = c.attrs.integer("type");
  if (got != expected) {
    c.fail(label, "type of the channel: got " + std::to_string(got) + ", expected " + std::to_string(expected) +
                      (expected == kDeviceToDevice ? " (between devices)" : " (between host and device)"));
  }
}

std::vector<Type> type_send(const TypeContext& c) {
  check_inputs(c, "send");
  check_channel(c, "send_c5", kDeviceToHost);
  return {Type::token()};
}

std::vector<Type> type_recv(const TypeContext& c) {
  c.expect_operands(1);
  expect_token(c, "recv_i1", "type of the operand", c.operands[0]);
  check_channel(c, "recv_c5", kHostToDevice);
  check_results(c, "recv_o1", "recv_o1", "recv_o1");
  return c.declared;
}

// ---- evaluation -------------------------------------------------------------------------------------------------------

std::vector<EvalValue> eval_token(EvalContext&, const OpView&, std::span<const EvalValue>) { return {EvalValue()}; }

std::vector<EvalValue> eval_replica_id(EvalContext& context, const OpView& op, std::span<const EvalValue>) {
  return {EvalValue(Tensor::scalar_of(static_cast<uint32_t>(context.processes(op).self().replica)))};
}

std::vector<EvalValue> eval_partition_id(EvalContext& context, const OpView& op, std::span<const EvalValue>) {
  return {EvalValue(Tensor::scalar_of(static_cast<uint32_t>(context.processes(op).self().partition)))};
}

std::vector<Tensor> values_before_token(std::span<const EvalValue> operands) {
  std::vector<Tensor> out;
  for (size_t i = 0; i + 1 < operands.size(); ++i) out.push_back(operands[i].tensor);
  return out;
}

/// What arrived must be what the program says that it takes.
std::vector<EvalValue> arrived(const OpView& op, std::vector<Tensor> values) {
  const std::string tag = "[" + std::string(op.def().mnemonic) + "] ";
  if (values.size() + 1 != op.num_results()) {
    throw UserError(tag + "number of values that arrived: got " + std::to_string(values.size()) + ", expected " +
                        std::to_string(op.num_results() - 1),
                    op.loc());
  }
  std::vector<EvalValue> out;
  for (size_t i = 0; i < values.size(); ++i) {
    const Type got = Type::tensor(values[i].element_type(), values[i].shape()),
               expected = storage_type(op.result_type(i));
    if (!is_compatible(got, expected)) {
      throw UserError(
          tag + "value " + std::to_string(i) + " that arrived: got " + got.str() + ", expected " + expected.str(),
          op.loc());
    }
    out.emplace_back(std::move(values[i]));
  }
  out.emplace_back();
  return out;
}

std::vector<EvalValue> eval_infeed(EvalContext& context, const OpView& op, std::span<const EvalValue>) {
  return arrived(op, context.processes(op).infeed(op));
}

/// Values go through the channel to whoever takes them; pairs would choose.
void refuse_pairs(const OpView& op) {
  const Attr* pairs = op.attrs().find("source_target_pairs");
  if (pairs != nullptr && pairs->get_if<Literal>()->type.num_elements() != 0)
    throw Unsupported("[" + std::string(op.def().mnemonic) + "] source_target_pairs are not evaluated yet", op.loc());
}

std::vector<EvalValue> eval_send(EvalContext& context, const OpView& op, std::span<const EvalValue> operands) {
  refuse_pairs(op);
  context.processes(op).send(op.attrs().integer("handle"), values_before_token(operands));
  return {EvalValue()};
}

std::vector<EvalValue> eval_recv(EvalContext& context, const OpView& op, std::span<const EvalValue>) {
  refuse_pairs(op);
  return arrived(op, context.processes(op).receive(op, op.attrs().integer("handle")));
}

constexpr OpFacets token_facets(std::string_view doc, Syntax syntax, Schema schema, TypeFn* type, EvalFn* eval,
                                Effects effects, Facet<LinearizeFn> linearize, Facet<VectorizeFn> vectorize,
                                Facet<UniformityFn> uniformity) {
  return {.doc = doc,
          .syntax = syntax,
          .schema = schema,
          .type = type,
          .eval = eval,
          .scalar = kNotElementwise,
          .linearize = linearize,
          .transpose = kNotLinear,
          .vectorize = vectorize,
          .uniformity = uniformity,
          .simplify = simplify_none,
          .aliases = alias_none,
          .effects = effects,
          .cost = cost_free,
          .to_stablehlo = portable_as_is,
          .samples = kNoSamples};
}

constexpr OpFacets pure_facets(std::string_view doc, TypeFn* type, EvalFn* eval) {
  return token_facets(doc, Syntax::kElementwise, {}, type, eval, Effects::kPure, linearize_zero, vectorize_once,
                      uniformity_none);
}

/// Lanes run them one after the other: each takes values of its own, and gives its own.
constexpr OpFacets io_facets(std::string_view doc, Schema schema, TypeFn* type, EvalFn* eval,
                             Facet<LinearizeFn> linearize) {
  return token_facets(doc, Syntax::kGeneric, schema, type, eval, Effects::kIo, linearize, vectorize_lane_by_lane,
                      uniformity_drawn);
}

constexpr Schema kChannel = {{"handle", AttrKind::kInt},
                             {"type", AttrKind::kInt},
                             {"is_host_transfer", AttrKind::kBool, false},
                             {"source_target_pairs", AttrKind::kLiteral, false}};

const OpRecord kOps[] = {
    {{"stablehlo.after_all"},
     pure_facets("A token that depends on those given: effects behind it come after theirs.", type_after_all,
                 eval_token)},
    {{"stablehlo.create_token"},
     pure_facets("A token that depends on nothing: after_all of none.", type_create_token, eval_token)},
    {{"stablehlo.replica_id"}, pure_facets("The replica of this process.", type_id, eval_replica_id)},
    {{"stablehlo.partition_id"}, pure_facets("The partition of this process.", type_id, eval_partition_id)},
    {{"stablehlo.infeed"},
     io_facets("The next values of the infeed: constants to derivatives, each lane takes its own.",
               {{"infeed_config", AttrKind::kText, false}, {"layout", AttrKind::kAny, false}}, type_infeed, eval_infeed,
               linearize_zero)},
    {{"stablehlo.outfeed"},
     io_facets("Gives values to the outfeed. The evaluator has no reader behind it: they are dropped.",
               {{"outfeed_config", AttrKind::kText, false}}, type_outfeed, eval_token, linearize_zero)},
    {{"stablehlo.send"}, io_facets("Puts values into a channel and goes on.", kChannel, type_send, eval_send, kLeaves)},
    {{"stablehlo.recv"},
     io_facets("Takes the oldest values out of a channel, waiting for them: constants to derivatives, each lane takes "
               "its own.",
               kChannel, type_recv, eval_recv, linearize_zero)},
};

}  // namespace

Family token_ops() { return kOps; }

}  // namespace weft
