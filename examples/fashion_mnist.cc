// Trains a small convolutional network on Fashion-MNIST (Debian: dataset-fashion-mnist) and prints its accuracy on the test images.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "allocation_counter.h"
#include "weft/nn.h"

namespace {

using namespace weft;

struct Settings {
  std::string data = "/usr/share/datasets/fashion-mnist";
  std::string target = "native";
  std::string chart = "fashion_mnist_loss.svg";
  int64_t steps = 0;  // 0: all epochs
  int64_t epochs = 6;
  int64_t batch = 128;
  int64_t test_images = 10000;
};

constexpr const char* kUsage =
    "usage: fashion_mnist [--data DIR] [--epochs N] [--steps N] [--batch N] [--test-images N] [--target native|eval] "
    "[--chart FILE.svg]\n";

int64_t to_count(const char* option, const char* text) {
  char* end = nullptr;
  const long long n = std::strtoll(text, &end, 10);
  if (*text == 0 || *end != 0 || n < 1)
    throw UserError(std::string(option) + ": got \"" + text + "\", expected a whole number of 1 or more");
  return n;
}

/// False when the command line is not understood.
bool read_arguments(int argc, char** argv, Settings& s) {
  for (int i = 1; i < argc; i += 2) {
    const char* option = argv[i];
    if (i + 1 >= argc) return false;
    const char* value = argv[i + 1];
    if (!std::strcmp(option, "--data")) s.data = value;
    else if (!std::strcmp(option, "--target")) s.target = value;
    else if (!std::strcmp(option, "--chart")) s.chart = value;
    else if (!std::strcmp(option, "--steps")) s.steps = to_count(option, value);
    else if (!std::strcmp(option, "--epochs")) s.epochs = to_count(option, value);
    else if (!std::strcmp(option, "--batch")) s.batch = to_count(option, value);
    else if (!std::strcmp(option, "--test-images")) s.test_images = to_count(option, value);
    else return false;
  }
  return true;
}

/// Images [n, 28, 28, 1] with their labels.
nn::Dataset load(const Settings& s, const std::string& part, int64_t batch) {
  Tensor images = nn::read_idx(s.data + "/" + part + "-images-idx3-ubyte.gz");
  Tensor labels = nn::read_idx(s.data + "/" + part + "-labels-idx1-ubyte.gz");
  Shape shape = images.shape();
  shape.push_back(1);
  return nn::Dataset(Tensor(images.element_type(), shape, images.buffer()), labels, batch, 1);
}

void train_and_test(const Settings& s) {
  nn::Dataset train = load(s, "train", s.batch);

  const nn::Layer net = nn::sequential({nn::conv2d(16, {3, 3}, {.padding = Padding::kSame}), nn::relu(), nn::max_pool(),
                                        nn::conv2d(32, {3, 3}, {.padding = Padding::kSame}), nn::relu(), nn::max_pool(),
                                        nn::flatten(), nn::dense(128), nn::relu(), nn::dense(10)});
  const Expr images = placeholder<float>({s.batch, 28, 28, 1}, "images");
  const Expr labels = placeholder<int32_t>({s.batch}, "labels");
  const Expr loss = softmax_cross_entropy(net(images), labels);
  FunctionOptions options;
  options.target = s.target;
  const CompiledGraph step =
      function({images, labels}, {loss}, nn::adam(loss, net.parameters(), {.learning_rate = 1e-3}), options);
  std::fprintf(stderr, "%lld weights, %lld training images\n",
               static_cast<long long>(nn::count_elements(net.parameters())), static_cast<long long>(train.size()));

  const int64_t steps = s.steps > 0 ? s.steps : s.epochs * train.batches_per_epoch();
  nn::Series losses{"each step", {}, {}}, smooth{"smoothed", {}, {}};
  for (nn::Series* series : {&losses, &smooth}) {
    series->x.reserve(static_cast<size_t>(steps));
    series->y.reserve(static_cast<size_t>(steps));
  }
  long allocations = 0;  // most in one call, the first excepted
  double average = 0;
  {
    nn::ProgressBar progress("training", steps);
    for (int64_t i = 0; i < steps; ++i) {
      const nn::Dataset::Batch& batch = train.next();
      const long before = allocation_count;
      const double value = static_cast<double>(step(batch.examples, batch.labels).scalar<float>());
      if (i > 0) allocations = std::max(allocations, allocation_count - before);
      average = i == 0 ? value : average + 0.05 * (value - average);
      losses.x.push_back(static_cast<double>(i + 1));
      losses.y.push_back(value);
      smooth.x.push_back(static_cast<double>(i + 1));
      smooth.y.push_back(average);
      progress.update(i + 1, average);
    }
  }
  if (ALLOCATIONS_ARE_COUNTED) std::printf("allocations per step %ld\n", allocations);
  const nn::Series series[] = {losses, smooth};
  nn::write_line_chart(s.chart, series,
                       {.title = "Training on Fashion-MNIST", .x_label = "step", .y_label = "cross entropy"});
  std::printf("loss curve %s\n", s.chart.c_str());

  nn::Dataset test = load(s, "t10k", std::min<int64_t>(500, s.test_images));
  const int64_t rows = test.in_order(0).examples.shape()[0];
  const Expr test_images = placeholder<float>({rows, 28, 28, 1}, "images");
  const Expr test_labels = placeholder<int32_t>({rows}, "labels");
  const CompiledGraph hits =
      function({test_images, test_labels}, {equal(argmax(net(test_images), 1), test_labels)}, {}, options);
  int64_t correct = 0;
  const int64_t count = std::min(s.test_images, test.size());
  for (int64_t first = 0; first < count; first += rows) {
    const nn::Dataset::Batch& batch = test.in_order(first / rows);
    const Results hit = hits(batch.examples, batch.labels);
    const auto* is_hit = static_cast<const uint8_t*>(hit[0].raw());
    for (int64_t i = 0; i < std::min(batch.size, count - first); ++i) correct += is_hit[i];
  }
  std::printf("test accuracy %.4f\n", static_cast<double>(correct) / static_cast<double>(count));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Settings settings;
    if (!read_arguments(argc, argv, settings)) {
      std::fputs(kUsage, stderr);
      return 2;
    }
    train_and_test(settings);
    return 0;
  } catch (const weft::UserError& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 1;
  } catch (const weft::Unsupported& e) {
    std::fprintf(stderr, "unsupported: %s\n", e.what());
    return 3;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "internal error: %s\n", e.what());
    return 70;
  }
}
