#include "reduce/rebuild.h"

#include "ir/clone.h"
#include "ops/record.h"
#include "ops/scalar/num.h"

namespace weft::reduce {
namespace {

class Rebuilder {
 public:
  Rebuilder(const Function& f, const Module* module, const Rewrite& rewrite)
      : f_(f), module_(module), rewrite_(rewrite), to_(std::make_unique<Function>(f.name())), map_(f) {}

  std::unique_ptr<Function> run() {
    to_->set_public(f_.is_public());
    fill(f_.body(), to_->body());
    return std::move(to_);
  }

 private:
  Type map_type(Type t) const { return t.is_tensor() && !t.is_quantized() ? rewrite_.type(t) : t; }

  void fill(RegionId source, RegionId region) {
    for (Value v : f_.args(source)) map_.set(v, to_->add_arg(region, map_type(f_.type(v))));
    for (OpId op : f_.ops(source)) write(OpView{f_, op}, region);
  }

  void write(const OpView& op, RegionId region) {
    std::vector<Value> operands;
    std::vector<Type> types, declared;
    for (Value v : op.operands()) {
      operands.push_back(map_.at(v));
      types.push_back(to_->type(operands.back()));
    }
    Attrs attrs = op.attrs();
    for (const auto& [name, attr] : op.attrs().entries()) {
      if (const auto* literal = attr.get_if<Literal>()) attrs.set(name, retyped(*literal, map_type(literal->type)));
      if (const auto* type = attr.get_if<Type>()) attrs.set(name, map_type(*type));
    }
    if (rewrite_.attrs) rewrite_.attrs(op, attrs);
    std::vector<RegionId> regions;
    for (RegionId r : op.regions()) {
      regions.push_back(to_->new_region());
      fill(r, regions.back());
    }
    for (size_t i = 0; i < op.num_results(); ++i) {
      const Type t = op.result_type(i);
      declared.push_back(rewrite_.declared ? rewrite_.declared(t) : map_type(t));
    }
    const auto results = [&](const std::vector<Type>& wanted) {
      return check_op(TypeContext{op.def(), types, attrs, *to_, regions, wanted, module_, op.loc()});
    };
    std::vector<Type> made;
    try {
      made = results(rewrite_.infer ? std::vector<Type>() : declared);
    } catch (const UserError&) { made = results(rewrite_.infer ? declared : std::vector<Type>()); }
    const OpId copy = to_->append(region, op.def(), operands, std::move(attrs), made, regions, op.loc());
    for (size_t i = 0; i < op.num_results(); ++i) map_.set(op.result(i), to_->result(copy, i));
  }

  const Function& f_;
  const Module* module_;
  const Rewrite& rewrite_;
  std::unique_ptr<Function> to_;
  ValueMap map_;
};

}  // namespace

std::unique_ptr<Function> rebuild(const Function& f, const Module* module, const Rewrite& rewrite) {
  return Rebuilder(f, module, rewrite).run();
}

Literal retyped(const Literal& literal, Type type) {
  if (type == literal.type || literal.type.is_quantized() || type.is_quantized()) return literal;
  const Tensor from = literal.elements;
  Tensor to(type.element_type(), literal.splat ? Shape() : Shape(type.shape().begin(), type.shape().end()));
  if (from.size() == 0 && to.size() != 0) to = Tensor::zeros(to.element_type(), to.shape());
  for (int64_t i = 0; from.size() != 0 && i < to.size(); ++i)
    store_num(to.raw(), convert(load_num(from.raw(), from.element_type(), i % from.size()), to.element_type()), i);
  return literal.splat ? Literal::splat_of(type, to) : Literal::dense(to);
}

}  // namespace weft::reduce
