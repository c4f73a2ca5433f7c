// IDX files, batches and charts.
#include <cstdio>
#include <fstream>
#include <set>

#include "tests/symbolic/support.h"
#include "weft/nn.h"

namespace weft {
namespace {

using testing::expect_error;
using testing::expect_near;

std::string path_of(const std::string& name) { return ::testing::TempDir() + "weft_nn_" + name; }

std::string write(const std::string& name, const std::string& bytes) {
  std::ofstream(path_of(name), std::ios::binary) << bytes;
  return path_of(name);
}

const std::string kBytes("\0\0\x08\x02\0\0\0\x02\0\0\0\x03\x01\x02\x03\x04\x05\xff", 18);

/// The same, as Python's gzip module compresses it.
const std::string kGzip(
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x63\x60\xe0\x60\x62\x60\x60\x00\x61\x66\x46\x26\x66\x16\xd6\xff\x00\xf0"
    "\xde\x5f\x21\x12\x00\x00\x00",
    35);

TEST(Idx, ReadsPlainAndCompressedFiles) {
  const Tensor plain = nn::read_idx(write("plain.idx", kBytes));
  EXPECT_EQ(plain.element_type(), ElementType::kU8);
  EXPECT_EQ(plain.shape(), (Shape{2, 3}));
  EXPECT_EQ(plain.data<uint8_t>()[5], 255);
  const Tensor packed = nn::read_idx(write("small.idx.gz", kGzip));
  EXPECT_EQ(packed.shape(), (Shape{2, 3}));
  EXPECT_EQ(packed.data<uint8_t>()[0], 1);
  expect_near(nn::read_idx(write("ints.idx", std::string("\0\0\x0c\x01\0\0\0\x02\0\0\x01\0\xff\xff\xff\xfe", 16))),
              {256, -2});  // big-endian
}

TEST(Idx, RefusesDamagedFiles) {
  expect_error<UserError>([] { nn::read_idx("/nowhere/at.all"); }, "[read_idx] cannot open /nowhere/at.all");
  expect_error<UserError>([] { nn::read_idx(write("text", "hello world")); }, "it is no IDX file");
  expect_error<UserError>([] { nn::read_idx(write("empty", "")); }, "it is no IDX file");
  expect_error<UserError>([] { nn::read_idx(write("type", std::string("\0\0\x07\x01\0\0\0\x01\x05", 9))); },
                          "element type: got code 7");
  expect_error<UserError>([] { nn::read_idx(write("extents", std::string("\0\0\x08\x03\0\0\0\x01", 8))); },
                          "ends within its 3 extents");
  expect_error<UserError>([] { nn::read_idx(write("short", kBytes.substr(0, 16))); },
                          "cut off: got 4 bytes of elements, expected 6");
  expect_error<UserError>([] { nn::read_idx(write("long", kBytes + "x")); }, "bytes follow after the last element");
  expect_error<UserError>(
      [] {
        nn::read_idx(write("huge", std::string("\0\0\x0e\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 16)));
      },
      "more elements than");
  expect_error<UserError>([] { nn::read_idx(write("promise", std::string("\0\0\x08\x01\xff\xff\xff\xff\x01", 9))); },
                          "cut off: got 1 bytes");
  std::string gz = kGzip;
  expect_error<UserError>([&] { nn::read_idx(write("cut.gz", gz.substr(0, gz.size() - 6))); }, "cut.gz");
  gz[gz.size() - 6] ^= 1;  // the checksum
  expect_error<UserError>([&] { nn::read_idx(write("flipped.gz", gz)); }, "is damaged");
}

TEST(Dataset, DrawsEveryExampleOnceAnEpoch) {
  Tensor x = zeros<float>({10, 2}), y = Tensor(ElementType::kI32, {10});
  for (int i = 0; i < 10; ++i) {
    x.mutable_data<float>()[2 * i] = static_cast<float>(i);
    y.mutable_data<int32_t>()[i] = 100 + i;
  }
  nn::Dataset data(x, y, 5, 3);
  EXPECT_EQ(data.batches_per_epoch(), 2);
  const void* memory = data.next().examples.raw();
  nn::Dataset again(x, y, 5, 3);
  std::vector<int32_t> orders[2];
  for (int epoch = 0; epoch < 2; ++epoch) {
    std::set<int32_t> seen;
    for (int b = 0; b < 2; ++b) {
      const auto& batch = again.next();
      for (size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(batch.examples.data<float>()[2 * i] + 100, static_cast<float>(batch.labels.data<int32_t>()[i]));
        seen.insert(batch.labels.data<int32_t>()[i]);
        orders[epoch].push_back(batch.labels.data<int32_t>()[i]);
      }
    }
    EXPECT_EQ(seen.size(), 10u);
  }
  EXPECT_NE(orders[0], orders[1]);
  EXPECT_EQ(data.next().examples.raw(), memory);  // no memory for each batch
}

TEST(Dataset, ScalesBytesAndFillsTheLastBatch) {
  Tensor x = zeros<uint8_t>({3, 1}), y = zeros<uint8_t>({3});
  x.mutable_data<uint8_t>()[2] = 255;
  y.mutable_data<uint8_t>()[2] = 9;
  nn::Dataset data(x, y, 2);
  const auto& last = data.in_order(1);
  EXPECT_EQ(last.size, 1);
  expect_near(last.examples, {1, 0});
  expect_near(last.labels, {9, 0});
  expect_error<UserError>([&] { data.in_order(2); }, "[dataset] there is no such batch: got 2, expected 0 to 1");
  expect_error<UserError>([&] { nn::Dataset(x, y, 4); }, "[dataset] batch: got 4, expected 1 to 3");
  expect_error<UserError>([&] { nn::Dataset(x, zeros<uint8_t>({2}), 1); }, "got 3 examples and 2 labels");
}

TEST(Chart, DrawsAxesAndLines) {
  const nn::Series series[] = {{"a <b>", {0, 1, 2}, {1, 3, 2}}, {"gap", {0, 1, 2}, {1, std::nan(""), 2}}};
  const std::string svg = nn::line_chart(series, {.title = "T&t", .x_label = "step", .y_label = "loss"});
  EXPECT_TRUE(svg.starts_with("<svg xmlns="));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_NE(svg.find("T&amp;t"), std::string::npos);
  EXPECT_NE(svg.find("a &lt;b&gt;"), std::string::npos);
  size_t lines = 0;
  for (size_t at = svg.find("<polyline"); at != std::string::npos; at = svg.find("<polyline", at + 1)) ++lines;
  EXPECT_EQ(lines, 3u);  // the gap cuts one in two
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(nn::line_chart({}, {}).find("nan"), std::string::npos);
  const nn::Series uneven[] = {{"u", {0, 1}, {1}}};
  expect_error<UserError>([&] { nn::line_chart(uneven); }, "got 2 x and 1 y");
}

TEST(Data, FashionMnistIsRead) {
  const std::string path = "/usr/share/datasets/fashion-mnist/t10k-labels-idx1-ubyte.gz";
  if (FILE* f = std::fopen(path.c_str(), "rb")) {
    std::fclose(f);
  } else {
    GTEST_SKIP() << "dataset-fashion-mnist is not installed";
  }
  const Tensor labels = nn::read_idx(path);
  ASSERT_EQ(labels.shape(), (Shape{10000}));
  int counts[10] = {};
  for (uint8_t l : labels.data<uint8_t>()) ++counts[std::min<int>(l, 9)];
  for (int c : counts) EXPECT_EQ(c, 1000);
}

}  // namespace
}  // namespace weft
