// Neural networks on top of the symbolic API: layers that own their variables, optimisers as lists of updates, data, progress.
//
//   auto net = nn::sequential({nn::conv2d(16, {3, 3}, {.padding = Padding::kSame}), nn::relu(), nn::max_pool(), nn::flatten(), nn::dense(10)});
//   auto x = placeholder<float>({128, 28, 28, 1}, "images");
//   auto labels = placeholder<int32_t>({128}, "labels");
//   auto loss = softmax_cross_entropy(net(x), labels);
//   auto step = function({x, labels}, {loss}, nn::adam(loss, net.parameters()));
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "weft/symbolic.h"

namespace weft::nn {

// ---- random numbers on the host -----------------------------------------------------------------------------------

/// Counter-based (Philox 4x32-10, Salmon et al. 2011): draw i of a seed is a function of both, on every machine.
class Random {
 public:
  explicit Random(uint64_t seed, uint64_t stream = 0) : seed_(seed), stream_(stream) {}
  uint32_t bits();
  /// In [0, 1), a multiple of 2^-24.
  float uniform();
  /// Mean 0, variance 1 (Box and Muller).
  float normal();
  /// In [0, n), without bias; n > 0.
  uint32_t below(uint32_t n);
  /// A random order of 0 … n-1, in place (Fisher and Yates).
  void shuffle(std::span<int32_t> order);

 private:
  uint64_t seed_, stream_, counter_ = 0;
  uint32_t block_[4] = {};
  int used_ = 4;
};

/// f32 of normal distribution with variance 2 / fan_in, for layers before relu (He et al. 2015).
Tensor he_normal(Shape shape, int64_t fan_in, Random& random);
/// f32, uniform within ±sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010).
Tensor glorot_uniform(Shape shape, int64_t fan_in, int64_t fan_out, Random& random);

// ---- layers ---------------------------------------------------------------------------------------------------------

enum class Initialization { kHe, kGlorot };

/// A function of one expression with variables of its own, made when it is first applied and then shared by every further use.
/// Copies are the same layer.
class Layer {
 public:
  /// Makes the variables for an input of this shape, then answers with the map.
  struct Definition {
    virtual ~Definition() = default;
    virtual Expr apply(const Expr& x, Random& random) = 0;
    virtual std::vector<Variable> parameters() const { return {}; }
  };
  explicit Layer(std::shared_ptr<Definition> definition) : definition_(std::move(definition)) {}
  /// Applies it. The first application draws its weights from `seed`; later ones have them already.
  Expr operator()(const Expr& x, uint64_t seed = 0) const;
  Expr apply(const Expr& x, Random& random) const { return definition_->apply(x, random); }
  /// Empty before the first application.
  std::vector<Variable> parameters() const { return definition_->parameters(); }

 private:
  std::shared_ptr<Definition> definition_;
};

struct DenseOptions {
  bool bias = true;
  Initialization initialization = Initialization::kHe;
  std::string name = "dense";
};
/// [n, k] → [n, features].
Layer dense(int64_t features, DenseOptions options = {});

struct ConvOptions {
  std::vector<int64_t> strides = {1, 1};
  std::vector<int64_t> dilation = {1, 1};
  Padding padding = Padding::kValid;
  int64_t groups = 1;
  bool bias = true;
  Initialization initialization = Initialization::kHe;
  std::string name = "conv2d";
};
/// [n, h, w, channels] → [n, h', w', features].
Layer conv2d(int64_t features, std::vector<int64_t> window, ConvOptions options = {});
Layer max_pool(PoolOptions options = {});
Layer avg_pool(PoolOptions options = {});
Layer flatten();
Layer relu();
Layer tanh();
Layer sigmoid();
/// Any function of an expression.
Layer activation(std::function<Expr(const Expr&)> f);
/// One after the other.
Layer sequential(std::vector<Layer> layers);

/// Number of elements in all variables.
int64_t count_elements(std::span<const Variable> variables);

// ---- optimisers -------------------------------------------------------------------------------------------------------

/// A learning rate as an expression of the number of the step (f32, rank 0, from 0).
using Schedule = std::function<Expr(const Expr& step)>;
Schedule constant_rate(double rate);
/// From `rate` down to `final_rate` along half a cosine over `steps` steps, then `final_rate`.
Schedule cosine_rate(double rate, int64_t steps, double final_rate = 0);
/// rate · factor^(step div every).
Schedule step_rate(double rate, int64_t every, double factor);

/// Either a number or a schedule.
class LearningRate {
 public:
  LearningRate(double rate) : schedule_(constant_rate(rate)), is_constant_(true) {}
  LearningRate(Schedule schedule) : schedule_(std::move(schedule)) {}
  Expr at(const Expr& step) const { return schedule_(step); }
  bool is_constant() const { return is_constant_; }

 private:
  Schedule schedule_;
  bool is_constant_ = false;
};

struct SgdOptions {
  LearningRate learning_rate = 0.01;
  double momentum = 0;
  bool nesterov = false;
};
/// v ← momentum · v + g, w ← w - rate · v (nesterov: rate · (g + momentum · v)); state variables are among the updates.
updates sgd(const Expr& loss, const std::vector<Variable>& parameters, SgdOptions options = {},
            std::source_location loc = std::source_location::current());

struct AdamOptions {
  LearningRate learning_rate = 1e-3;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  /// Decoupled weight decay (Loshchilov and Hutter 2019).
  double weight_decay = 0;
};
/// Kingma and Ba 2015, with bias correction; moments and the step counter are among the updates.
updates adam(const Expr& loss, const std::vector<Variable>& parameters, AdamOptions options = {},
             std::source_location loc = std::source_location::current());

// ---- metrics ----------------------------------------------------------------------------------------------------------

/// Share of rows whose largest logit is at the label: f32, rank 0.
Expr accuracy(const Expr& logits, const Expr& labels);

// ---- data ---------------------------------------------------------------------------------------------------------------

/// An IDX file, as of MNIST, also compressed by gzip. Throws UserError naming the file and what is wrong with it.
Tensor read_idx(const std::string& path);

/// Examples and labels in batches of one size, in an order of its own for every epoch. Memory of a batch is allocated once and used
/// again: a batch is valid until the next one is drawn.
class Dataset {
 public:
  struct Batch {
    Tensor examples, labels;
    int64_t size = 0;  // of `examples` that are real; the last of an epoch in order may be fewer than the batch
  };
  /// examples [n, …] f32 or ui8 (then scaled to [0, 1]), labels [n] of an integer type; batches are f32 [batch, …] and i32 [batch].
  Dataset(Tensor examples, Tensor labels, int64_t batch, uint64_t seed = 0);
  int64_t size() const { return count_; }
  int64_t batches_per_epoch() const { return count_ / batch_; }
  /// The next shuffled batch; a new order begins when an epoch's full batches are used up.
  const Batch& next();
  /// Batch `index` in the order of the data; places beyond the end repeat example 0.
  const Batch& in_order(int64_t index);

 private:
  void fill(int64_t slot, int64_t example);
  Tensor examples_, labels_;
  int64_t count_, batch_, row_elements_;
  Random random_;
  std::vector<int32_t> order_;
  int64_t position_;
  Batch current_;
};

// ---- progress -----------------------------------------------------------------------------------------------------------

/// A line on standard error: share done, steps per second, time left, loss. On a terminal it is rewritten in place, elsewhere a
/// plain line appears at most every few seconds.
class ProgressBar {
 public:
  ProgressBar(std::string label, int64_t total);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  /// Call once a step; prints only when enough time has passed. Does not allocate.
  void update(int64_t done, double loss);
  void finish();

 private:
  void print(double now);
  std::string label_;
  int64_t total_, done_ = 0;
  double loss_ = 0, last_print_ = -1e9;
  bool is_terminal_, is_finished_ = false;
  std::chrono::steady_clock::time_point start_;
};

// ---- charts -------------------------------------------------------------------------------------------------------------

struct Series {
  std::string label;
  std::vector<double> x, y;
};
struct ChartOptions {
  std::string title, x_label, y_label;
  int width = 720, height = 420;
};
/// A line chart as an SVG document.
std::string line_chart(std::span<const Series> series, const ChartOptions& options = {});
/// As above into a file, whole or not at all. Throws UserError naming the path.
void write_line_chart(const std::string& path, std::span<const Series> series, const ChartOptions& options = {});

}  // namespace weft::nn
