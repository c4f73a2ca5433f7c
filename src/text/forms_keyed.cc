// Forms `op %a, %b, word = value, … : types` whose values are words, flags and lists.
#include "text/forms.h"

namespace weft::text {
namespace {

enum class Kind : unsigned char { kWord, kList, kFlag, kString };
struct Key {
  std::string_view word, attribute;
  Kind kind;
};
struct Keyed {
  std::string_view mnemonic;
  Key keys[2];
  size_t count;
  bool one_type;  // ": type" instead of "(types) -> type"
};

constexpr Keyed kForms[] = {
    {"stablehlo.fft", {{"type", "fft_type", Kind::kWord}, {"length", "fft_length", Kind::kList}}, 2, false},
    {"stablehlo.rng", {{"distribution", "rng_distribution", Kind::kWord}}, 1, false},
    {"stablehlo.rng_bit_generator", {{"algorithm", "rng_algorithm", Kind::kWord}}, 1, false},
    {"stablehlo.broadcast", {{"sizes", "broadcast_sizes", Kind::kList}}, 1, false},
    {"stablehlo.einsum", {{"config", "einsum_config", Kind::kString}}, 1, false},
    {"stablehlo.cholesky", {{"lower", "lower", Kind::kFlag}}, 1, true},
};

constexpr const Keyed& form_of(std::string_view mnemonic) {
  for (const Keyed& k : kForms) {
    if (k.mnemonic == mnemonic) return k;
  }
  throw InternalError("no keyed form of " + std::string(mnemonic));
}

void parse_keyed(Parser& p, OpParts& op) {
  const Keyed& form = form_of(op.record->mnemonic);
  p.operands(op);
  for (size_t i = 0; i < form.count; ++i) {
    const Key& key = form.keys[i];
    // A flag that is left out is false.
    if (key.kind == Kind::kFlag && p.cursor.peek() != ',') continue;
    p.cursor.expect(',', form.mnemonic);
    p.cursor.expect_word(key.word, form.mnemonic);
    p.cursor.expect('=', form.mnemonic);
    switch (key.kind) {
      case Kind::kWord: {
        const std::string_view word = p.cursor.word();
        if (word.empty()) p.cursor.fail_expected("a word", form.mnemonic);
        op.attrs.set(key.attribute, std::string(word));
        break;
      }
      case Kind::kList: op.attrs.set(key.attribute, p.int_list(form.mnemonic)); break;
      case Kind::kFlag: op.attrs.set(key.attribute, p.boolean(form.mnemonic)); break;
      case Kind::kString: op.attrs.set(key.attribute, p.cursor.string()); break;
    }
  }
  p.attribute_dictionary(op);
  p.elementwise_types(op);
}

bool print_keyed(Printer& p, const OpView& op) {
  const Keyed& form = form_of(op.def().mnemonic);
  p << form.mnemonic << " ";
  p.values(op.operands());
  for (size_t i = 0; i < form.count; ++i) {
    const Key& key = form.keys[i];
    const Attr* value = op.attrs().find(key.attribute);
    if (value == nullptr) {
      if (key.kind != Kind::kFlag) return false;
      continue;
    }
    p << ", " << key.word << " = ";
    if (const auto* ints = value->get_if<Attr::Ints>()) {
      p.int_list(*ints);
    } else if (const auto* flag = value->get_if<bool>()) {
      p << (*flag ? "true" : "false");
    } else if (const auto* text = value->get_if<std::string>()) {
      if (key.kind == Kind::kString) {
        p.string(*text);
      } else {
        p << *text;
      }
    } else {
      return false;
    }
  }
  p.other_attributes(op, {form.keys[0].attribute, form.keys[form.count - 1].attribute});
  if (form.one_type) {
    p.elementwise_types(op);
  } else {
    p.functional_type(op);
  }
  return true;
}

constexpr Form kRows[] = {
    {"stablehlo.fft", parse_keyed, print_keyed},       {"stablehlo.rng", parse_keyed, print_keyed},
    {"stablehlo.broadcast", parse_keyed, print_keyed}, {"stablehlo.rng_bit_generator", parse_keyed, print_keyed},
    {"stablehlo.einsum", parse_keyed, print_keyed},    {"stablehlo.cholesky", parse_keyed, print_keyed},
};

}  // namespace

std::span<const Form> keyed_forms() { return kRows; }

}  // namespace weft::text
