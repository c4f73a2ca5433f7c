// IDX files and batches.
#include <zlib.h>

#include <cstring>
#include <numeric>

#include "weft/nn.h"

namespace weft::nn {
namespace {

/// A file that zlib decompresses, if it is compressed.
class GzFile {
 public:
  explicit GzFile(const std::string& path) : path_(path), file_(gzopen(path.c_str(), "rb")) {
    if (file_ == nullptr) throw UserError("[read_idx] cannot open " + path + ": " + std::strerror(errno));
    gzbuffer(file_, 1 << 18);
  }
  ~GzFile() { gzclose(file_); }
  GzFile(const GzFile&) = delete;
  GzFile& operator=(const GzFile&) = delete;

  /// Up to `count` more bytes; fewer at the end of the file.
  std::string read(uint64_t count) {
    std::string out;
    constexpr uint64_t kChunk = 1 << 24;  // memory grows with what is there, not with what a damaged header promises
    while (out.size() < count) {
      const size_t before = out.size(), wanted = std::min<uint64_t>(kChunk, count - before);
      out.resize(before + wanted);
      const int got = gzread(file_, out.data() + before, static_cast<unsigned>(wanted));
      int code = Z_OK;
      const char* message = gzerror(file_, &code);
      if (got < 0 || (code != Z_OK && code != Z_STREAM_END)) {
        throw UserError("[read_idx] " + path_ + " is damaged: " + (code == Z_ERRNO ? std::strerror(errno) : message));
      }
      out.resize(before + static_cast<size_t>(got));
      if (static_cast<size_t>(got) < wanted) break;
    }
    return out;
  }

 private:
  std::string path_;
  gzFile file_;
};

struct IdxType {
  int code;
  ElementType type;
};
constexpr IdxType kIdxTypes[] = {{0x08, ElementType::kU8},  {0x09, ElementType::kI8},  {0x0B, ElementType::kI16},
                                 {0x0C, ElementType::kI32}, {0x0D, ElementType::kF32}, {0x0E, ElementType::kF64}};

}  // namespace

Tensor read_idx(const std::string& path) {
  GzFile file(path);
  const auto damaged = [&](const std::string& what) -> UserError {
    return UserError("[read_idx] " + path + ": " + what);
  };
  const std::string magic = file.read(4);
  if (magic.size() < 4 || magic[0] != 0 || magic[1] != 0)
    throw damaged("it is no IDX file: expected it to begin with two zero bytes, a type and a rank");
  const IdxType* type = nullptr;
  for (const IdxType& t : kIdxTypes) {
    if (t.code == static_cast<unsigned char>(magic[2])) type = &t;
  }
  if (type == nullptr)
    throw damaged("element type: got code " + std::to_string(static_cast<unsigned char>(magic[2])) +
                  ", expected 8, 9, 11, 12, 13 or 14");
  const auto rank = static_cast<unsigned char>(magic[3]);
  const std::string extents = file.read(4 * uint64_t{rank});
  if (extents.size() < 4 * size_t{rank}) throw damaged("the file ends within its " + std::to_string(rank) + " extents");
  Shape shape;
  uint64_t bytes = byte_size(type->type);
  for (size_t i = 0; i < rank; ++i) {
    uint32_t extent = 0;
    for (size_t k = 0; k < 4; ++k) extent = extent << 8 | static_cast<unsigned char>(extents[4 * i + k]);
    shape.push_back(extent);
    if (extent != 0 && bytes > (uint64_t{1} << 46) / extent)
      throw damaged("the extents promise more elements than a file can hold");
    bytes *= extent;
  }
  const std::string data = file.read(bytes);
  if (data.size() < bytes)
    throw damaged("the file is cut off: got " + std::to_string(data.size()) + " bytes of elements, expected " +
                  std::to_string(bytes));
  if (!file.read(1).empty())
    throw damaged("bytes follow after the last element: expected " + std::to_string(bytes) + " bytes of elements");
  Tensor out(type->type, shape);
  auto* to = static_cast<char*>(out.raw());
  const size_t width = byte_size(type->type);
  if (width == 1) {
    std::memcpy(to, data.data(), data.size());
  } else {
    for (size_t i = 0; i < data.size(); i += width) {
      for (size_t k = 0; k < width; ++k) to[i + k] = data[i + width - 1 - k];  // the file is big-endian
    }
  }
  return out;
}

Dataset::Dataset(Tensor examples, Tensor labels, int64_t batch, uint64_t seed)
    : examples_(std::move(examples)), labels_(std::move(labels)), batch_(batch), random_(seed) {
  if (examples_.rank() < 1 || labels_.rank() != 1 || examples_.shape()[0] != labels_.shape()[0]) {
    throw UserError("[dataset] examples and labels do not match: got " +
                    std::to_string(examples_.rank() < 1 ? 0 : examples_.shape()[0]) + " examples and " +
                    std::to_string(labels_.size()) + " labels, expected one label for each example");
  }
  if (examples_.element_type() != ElementType::kF32 && examples_.element_type() != ElementType::kU8) {
    throw UserError("[dataset] examples: got element type " + std::string(name(examples_.element_type())) +
                    ", expected f32 or ui8");
  }
  if (labels_.element_type() != ElementType::kU8 && labels_.element_type() != ElementType::kI32) {
    throw UserError("[dataset] labels: got element type " + std::string(name(labels_.element_type())) +
                    ", expected ui8 or i32");
  }
  count_ = labels_.size();
  if (batch < 1 || batch > count_) {
    throw UserError("[dataset] batch: got " + std::to_string(batch) + ", expected 1 to " + std::to_string(count_) +
                    " examples");
  }
  row_elements_ = examples_.size() / count_;
  Shape shape = examples_.shape();
  shape[0] = batch;
  current_.examples = Tensor(ElementType::kF32, shape);
  current_.labels = Tensor(ElementType::kI32, {batch});
  order_.resize(static_cast<size_t>(count_));
  std::iota(order_.begin(), order_.end(), 0);
  position_ = count_;
}

void Dataset::fill(int64_t slot, int64_t example) {
  float* to = current_.examples.mutable_data<float>() + slot * row_elements_;
  if (examples_.element_type() == ElementType::kF32) {
    const float* from = examples_.data<float>().data() + example * row_elements_;
    std::copy(from, from + row_elements_, to);
  } else {
    const auto* from = static_cast<const uint8_t*>(examples_.raw()) + example * row_elements_;
    for (int64_t i = 0; i < row_elements_; ++i) to[i] = static_cast<float>(from[i]) * (1 / 255.0f);
  }
  current_.labels.mutable_data<int32_t>()[slot] = labels_.element_type() == ElementType::kU8
                                                      ? static_cast<const uint8_t*>(labels_.raw())[example]
                                                      : labels_.data<int32_t>()[static_cast<size_t>(example)];
}

const Dataset::Batch& Dataset::next() {
  if (position_ + batch_ > count_) {
    random_.shuffle(order_);
    position_ = 0;
  }
  for (int64_t i = 0; i < batch_; ++i) fill(i, order_[static_cast<size_t>(position_ + i)]);
  position_ += batch_;
  current_.size = batch_;
  return current_;
}

const Dataset::Batch& Dataset::in_order(int64_t index) {
  const int64_t first = index * batch_;
  if (index < 0 || first >= count_) {
    throw UserError("[dataset] there is no such batch: got " + std::to_string(index) + ", expected 0 to " +
                    std::to_string((count_ - 1) / batch_));
  }
  current_.size = std::min(batch_, count_ - first);
  for (int64_t i = 0; i < batch_; ++i) fill(i, i < current_.size ? first + i : 0);
  return current_;
}

}  // namespace weft::nn
