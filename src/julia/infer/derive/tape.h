// The tape of what the host calculates with tracked numbers: each call of an intrinsic with a compiled form is one entry, whose derivative is that
// of the intrinsic's IR.
#pragma once
#include <deque>

#include "julia/infer/derive/tracked_values.h"
#include "julia/run/recorder.h"

namespace weft::julia {

struct IntrinsicDerivative;
struct CustomRule;

/// Where the numbers of a value are on a tape, in the structure of the value.
struct Places {
  enum class Kind : uint8_t { kNone, kNumber, kComplex, kNumbers, kFields, kElements, kEntries };
  Kind kind = Kind::kNone;
  const DataType* type = nullptr;  // of the value
  const Type* element = nullptr;   // of an array
  std::vector<int64_t> dims;
  std::vector<uint64_t> places;  // kNumbers: of real or complex numbers
  std::vector<Places> parts;     // of fields, elements or a dictionary's entries
  std::vector<Value> keys;
};
Places source_of(const Value& v);

/// Derivatives of one number by all that are on the tape.
struct Cotangents {
  std::vector<double> of;
  std::vector<bool> reached;
  void add(uint64_t place, double x) {
    if (place == 0) return;
    of[place] += x;
    reached[place] = true;
  }
};
/// What Zygote gives for the value: nothing where no number was reached.
Value gradient_at(Evaluator& e, const Places& s, const Cotangents& c);
/// Adds a gradient, of the structure that gradient_at gives, to the cotangents.
void add_gradient(Evaluator& e, const Places& s, const Value& gradient, Cotangents& c);

class Tape : public Recorder {
 public:
  /// Recording begins; only one runs at a time.
  explicit Tape(Evaluator& e);
  ~Tape() override { stop(); }
  void stop();

  /// A copy whose numbers are variables of the tape. Integers stay what they are.
  Value variable(const Value& v);
  /// The array itself becomes one, until the recording stops.
  void make_variable(const Value& array);

  Value call_intrinsic(const IntrinsicEntry& intrinsic, std::span<const Value> arguments) override;
  std::optional<Value> call_method(std::span<const Value> all, std::span<const Keyword> keywords) override;

  Cotangents start() const;
  /// From the cotangents of the results to those of everything.
  void sweep(Cotangents& c) const;

 private:
  struct Entry {
    std::shared_ptr<const IntrinsicDerivative> code;  // or
    std::shared_ptr<const CustomRule> rule;
    std::vector<Tensor> leaves;
    std::vector<std::vector<uint64_t>> places;  // of leaves that are differentiated by
    std::vector<size_t> counts;                 // of the results' leaves
    uint64_t first = 0;                         // place of the results
  };
  void sweep_entry(const Entry& entry, Cotangents& c) const;
  Value record(const IntrinsicEntry& intrinsic, const Value& f, std::span<const Value> arguments,
               const std::string& name);
  Value record_without_code(const IntrinsicEntry& intrinsic, const Untracked& untracked,
                            std::span<const Value> arguments, const std::string& name, const std::string& why);
  std::shared_ptr<const IntrinsicDerivative> known_derivative(const Value& f, std::span<const Value> given,
                                                              std::span<const Value> arguments, LeafPlaces& places,
                                                              bool fixed_integers, std::string* why);
  std::shared_ptr<const IntrinsicDerivative> derivative_of(const Value& f, std::span<const Value> arguments,
                                                           const std::vector<std::vector<uint64_t>>& places,
                                                           bool fixed_integers);

  Evaluator& e_;
  bool is_running_ = true;
  uint64_t next_ = 1;
  std::deque<Entry> entries_;
};

}  // namespace weft::julia
