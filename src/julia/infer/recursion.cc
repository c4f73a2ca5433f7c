// Methods that call themselves become functions of the module. Their result's type is found from the calls that end.
#include <algorithm>

#include "julia/infer/border/packed.h"
#include "julia/run/impl.h"

namespace weft::julia {

using How = Abstract::Kind;

/// A function for a method with arguments of these types, and how its results come back.
struct Compiler::Recursive {
  std::string name;
  Packed arguments;
  bool is_known = false;  // whether `results` is; before, calls of itself are ways that do not end
  Packed results;         // the value, then the argument objects that change
};

/// Writes go into a function of its own, with a heap of its own, while the object lives.
struct Compiler::Outside {
  Compiler& c;
  OpBuilder* builder;
  Heap heap;
  Activation* activation;
  std::vector<Running> running;
  bool was_in_function;
  IrValue mask;
  uint32_t older;
  bool was_on_whole;
  size_t first_running;
  uint32_t kept_objects;
  bool had_choices;
  std::vector<uint32_t> told_apart;
  Outside(Compiler& compiler, OpBuilder& inner)
      : c(compiler),
        builder(c.builder_),
        heap(std::move(c.heap_)),
        activation(c.activation_),
        running(c.running_),
        was_in_function(c.is_in_function_),
        mask(c.mask_),
        older(c.objects_of_all_elements_),
        was_on_whole(c.is_on_whole_),
        first_running(c.first_running_),
        kept_objects(c.kept_objects_),
        had_choices(c.has_choices_),
        told_apart(std::move(c.told_apart_)) {
    c.first_running_ = c.running_.size();
    c.told_apart_.clear();
    c.is_on_whole_ = false;
    c.written_ = HeapObject::kAlone;
    c.builder_ = &inner;
    c.heap_ = Heap();
    c.activation_ = nullptr;
    c.is_in_function_ = true;
    c.mask_ = IrValue();
    c.objects_of_all_elements_ = 0;
  }
  ~Outside() {
    c.builder_ = builder;
    c.heap_ = std::move(heap);
    c.activation_ = activation;
    c.running_ = std::move(running);
    c.is_in_function_ = was_in_function;
    c.mask_ = mask;
    c.objects_of_all_elements_ = older;
    c.is_on_whole_ = was_on_whole;
    c.first_running_ = first_running;
    c.kept_objects_ = kept_objects;
    c.has_choices_ = had_choices;
    c.told_apart_ = std::move(told_apart);
    c.written_ = HeapObject::kAlone;
  }
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;
};

namespace {

/// A function has its arguments for itself: what it writes to one does not reach another.
void require_alone(Compiler& c, const Packed& arguments) {
  for (const HeapObject& o : arguments.objects) {
    if (o.shares != HeapObject::kAlone)
      c.fail(Cause::kUnsupported,
             "an array that shares its elements with another one as an argument of a recursive function",
             "pass a copy");
  }
}

}  // namespace

std::shared_ptr<Compiler::Outlined> Compiler::outline(const Abstract& callee, const std::vector<Abstract>& arguments,
                                                      const std::string& name) {
  auto out = std::make_shared<Outlined>();
  share_written();
  Packer packer{*this};
  packer.add(callee);
  for (const Abstract& a : arguments) packer.add(a);
  out->arguments = packer.out;
  out->name = module_.unique_name(name);
  auto function = std::make_unique<Function>(out->name);
  function->set_public(false);
  std::vector<IrValue> leaves;
  for (const weft::Type t : out->arguments.types) leaves.push_back(function->add_arg(function->body(), t));
  OpBuilder builder(*function, function->body(), &module_);
  {
    const Outside outside(*this, builder);
    std::vector<uint32_t> ids;
    std::vector<Abstract> all = unpacked(out->arguments, leaves, heap_, ids);
    const std::vector<HeapObject> before = heap_.objects;
    keep_objects();
    Activation top = outermost_activation();
    activation_ = &top;
    const Abstract inner = all.front();
    all.erase(all.begin());
    const Abstract value = call(inner, std::move(all));
    if (top.is_dead) fail(Cause::kThrows, top.failure);
    if (!value.is_defined()) fail(Cause::kWidening, "the result has another type on each way");
    for (size_t i = 0; i < before.size(); ++i) {
      if (changes(before[i], heap_.objects[i]))
        fail(Cause::kUnsupported, "a function to differentiate that changes what is outside of it");
    }
    share_written();
    Packer results{*this};
    results.add(value);
    results.expect_apart(before.size());
    builder.yield(results.out.leaves);
    out->results = results.out;
  }
  // Another of the name may have been written inside of it.
  out->name = module_.unique_name(name);
  function->set_name(out->name);
  module_.add(std::move(function));
  return out;
}

Abstract Compiler::call_recursive(const Target& target, const Code& code, Module& module,
                                  const std::vector<Abstract>& all) {
  share_written();
  Packer packer{*this};
  for (const Abstract& a : all) packer.add(a);
  require_alone(*this, packer.out);
  RecursionKey key{&code, {}, {}, is_differentiated_};
  for (const Abstract& a : all) key.types.push_back(a.dispatched());
  for (const HeapObject& o : packer.out.objects) key.extents.insert(key.extents.end(), o.dims.begin(), o.dims.end());
  for (const Abstract& v : packer.out.values) {
    if (v.kind == How::kObject) key.extents.push_back(-1 - static_cast<int64_t>(v.object));
  }
  auto it = recursive_.find(key);
  if (it == recursive_.end()) {
    constexpr auto kMostSizes = 32;
    if (std::ranges::count_if(recursive_, [&](const auto& known) { return known.first.code == &code; }) >= kMostSizes)
      fail(Cause::kShape, "`" + code.name.text() + "` calls itself with arrays of ever other sizes",
           "pass an array of one size and the number of elements that count");
    it = recursive_.emplace(key, std::make_shared<Recursive>()).first;
    Recursive& r = *it->second;
    r.arguments = packer.out;
    r.name = module_.unique_name(code.name.text().empty() ? "recursive" : code.name.text());
    module_.add(std::make_unique<Function>(r.name));  // keeps the name
    write_recursive(r, target, code, module);
  }
  Recursive& r = *it->second;
  if (!r.is_known) {
    throws("");
    return Abstract::nothing();
  }
  Attrs attrs;
  attrs.set("callee", Attr(r.name));
  const std::vector<IrValue> results = b().create("func.call", packer.out.leaves, std::move(attrs), r.results.types);
  // The arguments' objects are those of the caller.
  Heap heap;
  std::vector<uint32_t> ids;
  std::vector<Abstract> values = unpacked(r.results, results, heap, ids);
  std::vector<uint32_t> to(heap.objects.size());
  for (size_t i = 0; i < heap.objects.size(); ++i) {
    const uint32_t source = r.results.ids[i];  // in the function's heap: its arguments come first
    if (source < packer.out.ids.size()) {
      to[i] = packer.out.ids[source];
    } else {
      to[i] = static_cast<uint32_t>(heap_.objects.size());
      heap_.objects.push_back(heap.objects[i]);
    }
  }
  const std::function<void(Abstract&)> place = [&](Abstract& a) {
    if (a.kind == How::kObject) a.object = to[a.object];
    for (Abstract& f : a.fields) place(f);
  };
  for (size_t i = 0; i < heap.objects.size(); ++i) {
    HeapObject o = heap.objects[i];
    for (Abstract& f : o.fields) place(f);
    heap_.objects[to[i]] = std::move(o);
  }
  Abstract value = values.front();
  place(value);
  return value;
}

void Compiler::write_recursive(Recursive& r, const Target& target, const Code& code, Module& module) {
  constexpr int kMostPasses = 8;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    auto function = std::make_unique<Function>(r.name);
    function->set_public(false);
    std::vector<IrValue> leaves;
    for (const weft::Type t : r.arguments.types) leaves.push_back(function->add_arg(function->body(), t));
    if (r.is_known) function->declare_results(r.results.types);
    OpBuilder builder(*function, function->body(), &module_);
    const Outside outside(*this, builder);
    std::vector<uint32_t> ids;
    const std::vector<Abstract> all = unpacked(r.arguments, leaves, heap_, ids);
    const std::vector<HeapObject> before = heap_.objects;
    keep_objects();
    bool dead = false;
    const Abstract value = inline_code(target, code, module, all, {}, &dead);
    if (dead) {
      if (!r.is_known) fail(Cause::kUnsupported, "`" + code.name.text() + "` calls itself without end");
      dead = false;
    }
    if (!dead && !value.is_defined())
      fail(Cause::kWidening, "`" + code.name.text() + "` returns values of two types",
           "return values of one type on all ways");
    share_written();
    Packer results{*this};
    results.add(value);
    for (uint32_t i = 0; i < before.size(); ++i) {
      if (changes(before[i], heap_.objects[i])) results.pack_object(i);
    }
    results.expect_apart(before.size());
    builder.yield(results.out.leaves);
    const bool is_settled = r.is_known && same_shape(r.results, results.out) && r.results.ids == results.out.ids;
    r.results = results.out;
    r.is_known = true;
    if (is_settled) {
      module_.replace(std::move(function));
      return;
    }
    // Calls in the next pass are checked against the declaration.
    auto declaration = std::make_unique<Function>(r.name);
    declaration->set_public(false);
    for (const weft::Type t : r.arguments.types) declaration->add_arg(declaration->body(), t);
    declaration->declare_results(r.results.types);
    module_.replace(std::move(declaration));
  }
  fail(Cause::kWidening, "the type that `" + code.name.text() + "` returns does not settle");
}

}  // namespace weft::julia
