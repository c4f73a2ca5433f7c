// Special functions against values computed in 60 digits (mpmath), in f64 and f32, by the evaluator and by the scalar program that
// native compiles; functions of bits against exhaustive or plain arithmetic.
#include "ops/scalar/special_functions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <string>
#include <tuple>

#include "ops/record.h"
#include "tests/op/run_op.h"
#include "weft/number.h"

namespace weft::test {
namespace {

using enum ElementType;

/// |got - truth| in ulps of truth in its type.
double ulps(double got, double truth, ElementType t) {
  if (got == truth) return 0;
  int exponent = 0;
  std::frexp(truth, &exponent);
  const double unit =
      t == kF64 ? std::ldexp(1.0, std::max(exponent, -1021) - 53) : std::ldexp(1.0, std::max(exponent, -125) - 24);
  const double error = std::fabs(got - truth) / unit;
  return std::isnan(error) ? INFINITY : error;
}

double run_eval(const std::string& mnemonic, ElementType t, const std::vector<double>& args) {
  std::vector<Tensor> tensors;
  for (double a : args) tensors.push_back(scalar_tensor(t, a));
  const Tensor out = run_op(tensors, [&](OpBuilder& b, std::span<const Value> x) { return b.create(mnemonic, x); })[0];
  return load_num(out.raw(), out.element_type(), 0).real;
}

double run_program(const std::string& mnemonic, ElementType t, const std::vector<double>& args) {
  Module module;
  Function& f = module.add(std::make_unique<Function>("f"));
  std::vector<Value> values;
  for (size_t i = 0; i < args.size(); ++i) values.push_back(f.add_arg(f.body(), Type::scalar(t)));
  OpBuilder b(f, f.body(), &module);
  const OpView op{f, f.defining_op(b.create(mnemonic, values)[0])};
  ScalarProgram program;
  std::vector<SExpr> nodes;
  std::vector<uint64_t> bits;
  for (size_t i = 0; i < args.size(); ++i) {
    nodes.push_back(SExpr::arg(program, static_cast<int>(i), t));
    bits.push_back(t == kF64 ? std::bit_cast<uint64_t>(args[i]) : std::bit_cast<uint32_t>(static_cast<float>(args[i])));
  }
  const int result = record(op).scalar.require(op, "native")(op, nodes).id();
  const uint64_t got = run_scalar(program, result, bits.data());
  return t == kF64 ? std::bit_cast<double>(got) : std::bit_cast<float>(static_cast<uint32_t>(got));
}

struct Point {
  double x, truth;
};
struct Case {
  const char* mnemonic;
  std::vector<Point> points;
  double ulps = 4;
};
const std::vector<Case> kUnary = {
    {"stablehlo.tan",
     {{0x1.3aa0dap+1, -0x1.a10e98f222384p-1},
      {0x1.357cc2p+2, -0x1.021b228b82395p+3},
      {0x1.79d908p+2, -0x1.982f1ddd99adbp-2},
      {0x1.1b2b0ep+3, -0x1.4c5c6c20da6b4p-1},
      {0x1.3311f8p+2, -0x1.74fe6ad7cc1dp+3},
      {0x1.0e49bap+3, -0x1.7c44ae2b00a01p+0},
      {-0x1.2d6fc8p+3, 0x1.4000403b5be21p-8},
      {-0x1.600626p-1, -0x1.a476fe2701f0bp-1},
      {0x1.8p+0, 0x1.c33ed50b88777p+3},
      {0x1.4f8b58p-17, 0x1.4f8b58003009dp-17},
      {0x1.f42p+9, 0x1.61a9ac4ac0b18p+1},
      {-0x1.921fb4p+0, -0x1.9437b336b6b0cp+23}}},
    {"chlo.tan",
     {{0x1.1bbf9p+3, -0x1.3f51f3cae431ap-1},
      {0x1.7d5ff6p+1, -0x1.4eec45459a22ep-3},
      {0x1.00938ap+3, -0x1.82aba6fe336b3p+2},
      {-0x1.ef18acp+2, -0x1.0db1b0feedd02p+3}}},
    {"chlo.asin",
     {{-0x1.fac5d2p-5, -0x1.fb18b59d30b83p-5},
      {-0x1.03826ap-1, -0x1.1024ee13b16d2p-1},
      {0x1.667d2cp-4, 0x1.66f2bdfbce085p-4},
      {0x1.2edcf4p-3, 0x1.2ffa5e40e87dp-3},
      {-0x1.f29232p-1, -0x1.575cb5c471e13p+0},
      {-0x1.221196p-1, -0x1.3460da081129dp-1},
      {-0x1.c39ecp-2, -0x1.d3b6c2ca29013p-2},
      {0x1.aa567p-1, 0x1.f7c8329318d44p-1},
      {0x1p+0, 0x1.921fb54442d18p+0},
      {-0x1p+0, -0x1.921fb54442d18p+0},
      {0x1.fffffep-1, 0x1.920914a5da6f9p+0},
      {0x1.0c6f7ap-20, 0x1.0c6f7a0000313p-20}}},
    {"chlo.acos",
     {{0x1.101a56p-1, 0x1.02af11a9c8457p+0},
      {-0x1.5c90b6p-1, 0x1.28e9eeeaae8a6p+1},
      {0x1.30474ep-1, 0x1.de6ad41ee2c11p-1},
      {-0x1.71e6f4p-1, 0x1.306776a990e43p+1},
      {0x1.e115e4p-3, 0x1.556bc1415e25dp+0},
      {-0x1.7e428ep-1, 0x1.34f546cfb1fa4p+1},
      {-0x1.fe2ebcp-1, 0x1.8755edb5bb248p+1},
      {0x1.7c5186p-1, 0x1.779277414435ap-1},
      {0x1p+0, 0x0p+0},
      {-0x1p+0, 0x1.921fb54442d18p+1},
      {0x1.fffffep-1, 0x1.6a09e6861f3abp-12},
      {0x1p-1, 0x1.0c152382d7366p+0},
      {-0x1.fffffep-1, 0x1.921464f50ea09p+1},
      {0x1.0c6f7ap-20, 0x1.921fa47d4b318p+0}}},
    {"chlo.atan",
     {{-0x1.73e556p+1, -0x1.3d43a80e0dcaep+0},
      {-0x1.6c2f22p+1, -0x1.3b99918412dfep+0},
      {0x1.34bfep+2, 0x1.5dcc99cd48c76p+0},
      {0x1.dcae94p+1, 0x1.4ef759d5cb092p+0},
      {-0x1.0db07cp+1, -0x1.20ae32298e60cp+0},
      {0x1.27588ep+2, 0x1.5b7e9a888ed81p+0},
      {0x1.91a5f8p-2, 0x1.7ec3ec8dc049bp-2},
      {0x1.c73efcp+0, 0x1.0efc0d6b1352dp+0},
      {0x1.0c6f7ap-20, 0x1.0c6f79ffff9dap-20},
      {0x1.5af1d8p+66, 0x1.921fb54442d18p+0},
      {-0x1.e848p+19, -0x1.921fa47d4b30dp+0}}},
    {"chlo.sinh",
     {{-0x1.79e1dap+1, -0x1.3188d1e98f73ep+3},
      {0x1.1a3982p+2, 0x1.48f343b4eb85dp+5},
      {0x1.e80b1ap+0, 0x1.a5244bd8475aap+1},
      {0x1.2a99e6p+2, 0x1.a8e5de6de3e55p+5},
      {0x1.f7fd46p+1, 0x1.9a21b0244e4bfp+4},
      {-0x1.018cdap+1, -0x1.d61abf5b2b4c7p+1},
      {-0x1.635a9p+0, -0x1.e0fbbf7ca3fc2p+0},
      {-0x1.ab9384p+1, -0x1.c3233f42acf04p+3},
      {0x1.0c6f7ap-20, 0x1.0c6f7a0000313p-20},
      {0x1.4p+6, 0x1.55779b984f3ebp+114},
      {-0x1.ep+4, -0x1.370470aec28edp+42},
      {0x1.47ae14p-7, 0x1.47af79ea6bc49p-7}}},
    {"chlo.cosh",
     {{-0x1.c58066p+1, 0x1.14ca395acddc7p+4},
      {-0x1.164f82p+2, 0x1.358867c06b05fp+5},
      {-0x1.fc854cp+0, 0x1.db4bbc9f451p+1},
      {0x1.07f62ap+0, 0x1.9493e17d41047p+0},
      {-0x1.3dd5b6p+2, 0x1.1ef75ca0eb215p+6},
      {0x1.c782fep+0, 0x1.860fb26d99145p+1},
      {-0x1.9efbeap+0, 0x1.50624b9b4ef7p+1},
      {-0x1.e681f8p+0, 0x1.b5a5494a823cap+1},
      {0x1.0c6f7ap-20, 0x1.00000000008ccp+0},
      {0x1.4p+6, 0x1.55779b984f3ebp+114},
      {-0x1.ep+4, 0x1.370470aec28edp+42},
      {0x1.48p+5, 0x1.1c25c88df6862p+58},
      {0x1.47ae14p-7, 0x1.000346de251p+0}}},
    {"chlo.asinh",
     {{0x1.97b4p+1, 0x1.e01c714513b58p+0},
      {-0x1.8a56aep-3, -0x1.87f11342797b1p-3},
      {-0x1.d791d4p+0, -0x1.5ee59422e4144p+0},
      {-0x1.80a5cp-3, -0x1.7e6bd528d668p-3},
      {0x1.05f9fcp+1, 0x1.76dde9b4124d2p+0},
      {-0x1.1b84f8p+2, -0x1.18d6875e3b30dp+1},
      {0x1.30105p+2, 0x1.21963d7fcaea6p+1},
      {-0x1.315db4p+2, -0x1.221f4bb3e1fd5p+1},
      {0x1.0c6f7ap-20, 0x1.0c6f79ffffcedp-20},
      {0x1.5af1d8p+66, 0x1.75f5736c99cd9p+5},
      {-0x1.e848p+19, -0x1.d046ec97fa3ccp+3},
      {0x1.47ae14p-7, 0x1.47acae1a28fb6p-7},
      {-0x1.dcd65p+29, -0x1.56a9a0b23d188p+4}}},
    {"chlo.acosh",
     {{0x1.ffe522p+1, 0x1.0817c49e142d6p+1},
      {0x1.184a1ep+2, 0x1.1411b57451173p+1},
      {0x1.12804cp+0, 0x1.8300700bae344p-2},
      {0x1.09a938p+2, 0x1.0d02dab3988bcp+1},
      {0x1.3b7c88p+1, 0x1.8d209b7c3747ep+0},
      {0x1.a8339ep+1, 0x1.de24818f29469p+0},
      {0x1.094bd8p+0, 0x1.13223423fe4a4p-2},
      {0x1.2fd93cp+0, 0x1.345bb5aaab47fp-1},
      {0x1p+0, 0x0p+0},
      {0x1.000002p+0, 0x1.ffffffaaaaaadp-12},
      {0x1.5af1d8p+66, 0x1.75f5736c99cd9p+5},
      {0x1.e848p+19, 0x1.d046ec97fa2b2p+3},
      {0x1.dcd65p+29, 0x1.56a9a0b23d188p+4}}},
    {"chlo.atanh",
     {{-0x1.46bd0ap-1, -0x1.8297e4910cd1cp-1},
      {0x1.d21aaep-1, 0x1.8795464ab1ecp+0},
      {-0x1.36c306p-1, -0x1.687e524b585c7p-1},
      {0x1.05dfc4p-1, 0x1.21234a1f2cbc3p-1},
      {0x1.b7f79p-1, 0x1.4a6b885a7f6bp+0},
      {0x1.c4a724p-1, 0x1.64e924a9d0ff2p+0},
      {-0x1.3eb4cp-2, -0x1.49a3c6cadd4bep-2},
      {-0x1.29622ep-2, -0x1.3231bec2cdc84p-2},
      {0x1.fffffep-1, 0x1.1542456b37d43p+3},
      {-0x1.fffffep-1, -0x1.1542456b37d43p+3},
      {0x1.0c6f7ap-20, 0x1.0c6f7a0000626p-20},
      {0x1.47ae14p-7, 0x1.47b0dfdeebec6p-7}}},
    {"chlo.erfc",
     {{0x1.62c7b8p+1, 0x1.73b41e4af4a99p-14},
      {0x1.620648p+2, 0x1.73ee0403d09dfp-48},
      {-0x1.cfb91ep+0, 0x1.fd556ec474635p+0},
      {0x1.4edf4ap+2, 0x1.335a355166ac3p-43},
      {0x1.713f62p+2, 0x1.8483bdaead8c2p-52},
      {0x1.9d398cp+2, 0x1.4050828c3f43bp-64},
      {-0x1.4c6c38p+1, 0x1.fff046d1ab8b7p+0},
      {0x1.d9d7e4p+2, 0x1.2405aefd48178p-83},
      {-0x1.ff3cccp+0, 0x1.fec961af7af6ep+0},
      {0x1.7f0cfap-1, 0x1.28ffbf2e9f85bp-2},
      {0x1p-1, 0x1.eb02147ce245cp-2},
      {0x1.fffffep-2, 0x1.eb02163ed2107p-2},
      {0x1.0c6f7ap-20, 0x1.ffffda234bfa1p-1},
      {-0x1.8p+2, 0x1p+1},
      {0x1.2p+3, 0x1.198d422be3f8cp-121},
      {0x1.2p+1, 0x1.7f713f9cc9784p-10}}},
    {"chlo.erf_inv",
     {{0x1.c5f318p-3, 0x1.979f1e0db00c2p-3},
      {0x1.ac1f0cp-1, 0x1.f812d40d63c54p-1},
      {-0x1.47c34cp-2, -0x1.2abc34b6f8ee7p-2},
      {0x1.b260dcp-1, 0x1.038fa4c823564p+0},
      {0x1.71d1e8p-4, 0x1.48726f306da63p-4},
      {-0x1.801a06p-2, -0x1.620371518a3eep-2},
      {-0x1.773192p-2, -0x1.59249fb80e4eep-2},
      {-0x1.4a4344p-1, -0x1.4ee49a2f32e8ap-1},
      {-0x1.afed54p-1, -0x1.008f782334c8fp+0},
      {-0x1.678f22p-1, -0x1.78fdb54793f85p-1},
      {0x1.0c6f7ap-20, 0x1.dbca19d251617p-21},
      {0x1p-1, 0x1.e861fbb24c00ap-2},
      {0x1.fffffep-1, 0x1.ea8f95ae0aca8p+1},
      {-0x1.fffffep-1, -0x1.ea8f95ae0aca8p+1},
      {0x1.ff7ceep-1, 0x1.29d326bcacdf9p+1},
      {0x1.ff8p-1, 0x1.2a6d8937b12d6p+1},
      {-0x1.e66666p-1, -0x1.62ca969b41f49p+0}}},
    {"chlo.lgamma",
     {{0x1.08be14p+3, 0x1.22958113b1f0dp+3},
      {0x1.7ebe8p+3, 0x1.168111cb01a9dp+4},
      {0x1.f25d7p+0, -0x1.61c813539b73ap-6},
      {0x1.2f2d08p-1, 0x1.a44e777163a98p-2},
      {0x1.7ae59p+3, 0x1.11d268732f3a3p+4},
      {0x1.9a0cd6p+2, 0x1.5fc85a57e4f97p+2},
      {0x1.381a2cp+2, 0x1.7f37f925be8f6p+1},
      {0x1.6d8676p+1, 0x1.20d86a0344246p-1},
      {0x1.c86bdcp+2, 0x1.b4ed8b886231p+2},
      {0x1.3d5a62p+3, 0x1.93b5b349cd806p+3},
      {0x1.5e4c96p+2, 0x1.f520f93df25fdp+1},
      {0x1.444798p+2, 0x1.a3beca237ec11p+1},
      {0x1p+0, 0x0p+0},
      {0x1p+1, 0x0p+0},
      {0x1.004p+0, -0x1.271f95fdb3074p-11},
      {0x1.ffcp+0, -0x1.b09bceef2249fp-12},
      {0x1.4p+1, 0x1.2383e809a67e8p-2},
      {0x1.8p+1, 0x1.62e42fefa39efp-1},
      {0x1.1p+3, 0x1.319398ed5be28p+3},
      {0x1.0ep+3, 0x1.2d6c97ef102f5p+3},
      {0x1.9p+6, 0x1.67225b4879462p+8},
      {0x1.e848p+19, 0x1.871921236750dp+23},
      {0x1.5af1d8p+66, 0x1.e87398255c4f9p+71},
      {0x1.0c6f7ap-20, 0x1.ba18a864772c4p+3},
      {0x1p-1, 0x1.250d048e7a1bdp-1},
      {-0x1p-1, 0x1.43f89a3f0edd6p+0},
      {-0x1.8p+0, 0x1.b858151820f86p-1},
      {-0x1.ap+1, -0x1.3f0df81ba05ep-1},
      {-0x1.58p+3, -0x1.ece5fc804cf2bp+3},
      {-0x1.92p+6, -0x1.6ce6a5dbefb91p+8},
      {-0x1.0c6f7ap-20, 0x1.ba18aad03f01ap+3}},
     450},
    {"chlo.digamma",
     {{0x1.5b199ap-1, -0x1.48c079e27a9e4p+0}, {0x1.5fcc28p+3, 0x1.2cf27cdf12efdp+1},
      {0x1.9bfbb8p-2, -0x1.45b3709bf9bfp+1},  {0x1.7b61a4p+2, 0x1.b164ed63575ccp+0},
      {0x1.42023p+3, 0x1.21110502a9442p+1},   {0x1.9357a6p+0, 0x1.ad7864f29ec6ep-4},
      {0x1.190b86p+3, 0x1.0eb0c52a4f468p+1},  {0x1.6cbd1cp+3, 0x1.31c8b30fa3e4p+1},
      {0x1.e4621ap+2, 0x1.f4dbb73bd4b35p+0},  {0x1.2ea9dcp+3, 0x1.18b7371570da2p+1},
      {0x1p+0, -0x1.2788cfc6fb619p-1},        {0x1p+1, 0x1.b0ee6072093cep-2},
      {0x1p-1, -0x1.f6a897d3214fcp+0},        {0x1.cp-2, -0x1.27980de831b2cp+1},
      {0x1.4p+3, 0x1.20396dc85cc95p+1},       {0x1.9p+6, 0x1.26690d4274475p+2},
      {0x1.e848p+19, 0x1.ba18a88c907d1p+3},   {0x1.0624dep-10, -0x1.f449aac8dfa5dp+9},
      {-0x1p-2, 0x1.750282bca7d92p+1},        {-0x1.cp+0, -0x1.294df593cbbb7p+1},
      {-0x1.ap+1, 0x1.1dd776c1aa21fp+2},      {-0x1.58p+3, -0x1.71193fc37c6cbp-1},
      {-0x1.918p+6, 0x1.7a92407a9a4cdp+2}},
     450},
    {"chlo.bessel_i1e",
     {{-0x1.f78348p+2, -0x1.14c6f2f512152p-3},
      {-0x1.4f13d2p+0, -0x1.bd4f524881d94p-3},
      {-0x1.c0f74ap+2, -0x1.232260383dc3dp-3},
      {0x1.b94268p+2, 0x1.255781de19904p-3},
      {-0x1.06a3b4p+2, -0x1.6aa0af29e62a6p-3},
      {-0x1.dfb196p-1, -0x1.a2b5ecbf8a20fp-3},
      {0x1.3f8d4ep+3, 0x1.f102c6ddeff8fp-4},
      {0x1.c2e228p+2, 0x1.2297aae9e478cp-3},
      {0x1p+3, 0x1.12b94cad917c6p-3},
      {0x1.fcp+2, 0x1.13af9ca74538ap-3},
      {0x1.02p+3, 0x1.11c57c5dd70c5p-3},
      {0x1.9p+6, 0x1.459587ae67a92p-5},
      {0x1.0c6f7ap-20, 0x1.0c6f68686738cp-21},
      {0x1.e848p+19, 0x1.a2523679f4673p-12},
      {-0x1.4p+5, -0x1.ffdabb4e96ce8p-5}}},
};

struct Point2 {
  double a, b, truth;
};
struct Case2 {
  const char* mnemonic;
  std::vector<Point2> points;
};
const std::vector<Case2> kBinary = {
    {"chlo.zeta",
     {{0x1p+1, 0x1p+0, 0x1.a51a6625307d3p+0},
      {0x1p+1, 0x1p-1, 0x1.3bd3cc9be45dep+2},
      {0x1.8p+0, 0x1.ap+1, 0x1.3382fa4bb98c3p+0},
      {0x1.8p+1, 0x1p-4, 0x1.001056a44adap+12},
      {0x1.02p+0, 0x1p+1, 0x1.fe4fa6ac2bf7dp+6},
      {0x1.ep+4, 0x1.8p+0, 0x1.5dfaabaa0d2c2p-18},
      {0x1.cp+2, 0x1.48p+4, 0x1.645b31de1a832p-29},
      {0x1.4p+1, 0x1.f4p+9, 0x1.61f5cc6edb20cp-16},
      {0x1.ep+5, 0x1.8p-1, 0x1.de755fa407cafp+24},
      {0x1p+2, 0x1.4p+3, 0x1.956ea09e4ab25p-12},
      {0x1p+1, -0x1p-1, 0x1.1de9e64df22efp+3},
      {0x1.8p+1, -0x1p-1, 0x1.a85808a40aba2p-2},
      {0x1.8p+1, -0x1.2p+1, -0x1.ef967a0066f8dp+5},
      {0x1p+1, -0x1.4cp+4, 0x1.3b1314f48c36p+4},
      {0x1.4p+2, -0x1.2p+0, -0x1.fffa388c956ffp+14}}},
    {"chlo.polygamma",
     {{0x0p+0, 0x1.4p+0, -0x1.d1d32879af85dp-3},
      {0x1p+0, 0x1p+0, 0x1.a51a6625307d3p+0},
      {0x1p+0, 0x1p-1, 0x1.3bd3cc9be45dep+2},
      {0x1p+1, 0x1.ap+1, -0x1.06772645bdd9ap-3},
      {0x1.8p+1, 0x1p-4, 0x1.8001499fa97dcp+18},
      {0x1.4p+2, 0x1.48p+4, 0x1.f5c0000ca3d8bp-18},
      {0x1.4p+3, 0x1p+1, -0x1.c053f15cede28p+10},
      {0x1p+0, 0x1.f4p+9, 0x1.06466dfb5dfep-10},
      {0x1p+2, 0x1.4p+3, -0x1.7eb1b3f79b462p-11},
      {0x1p+0, -0x1p-1, 0x1.1de9e64df22efp+3},
      {0x1p+1, -0x1p-1, -0x1.a85808a40aba2p-1},
      {0x1p+1, -0x1.2p+1, 0x1.ef967a0066f8dp+6},
      {0x1p+0, -0x1.4cp+4, 0x1.3b1314f48c36p+4}}},
};

void check(const std::string& mnemonic, const std::vector<double>& args, double truth, double bound) {
  for (ElementType t : {kF64, kF32}) {
    const double rounded = t == kF64 ? truth : static_cast<float>(truth);
    // f32 computes in f64; its argument is exact in the table, so only the last rounding remains, unless the truth is near a zero.
    const double limit = t == kF64 ? bound : 1;
    const double by_eval = run_eval(mnemonic, t, args), by_program = run_program(mnemonic, t, args);
    EXPECT_LE(ulps(by_eval, rounded, t), limit)
        << mnemonic << " eval " << name(t) << " at " << args.back() << ": " << by_eval << " for " << truth;
    EXPECT_LE(ulps(by_program, rounded, t), limit)
        << mnemonic << " native " << name(t) << " at " << args.back() << ": " << by_program << " for " << truth;
  }
}

TEST(SpecialFunctions, UnaryValues) {
  for (const Case& c : kUnary) {
    for (const Point& p : c.points) {
      if (std::isinf(static_cast<float>(p.truth))) continue;
      check(c.mnemonic, {p.x}, p.truth, c.ulps);
    }
  }
}

TEST(SpecialFunctions, BinaryValues) {
  for (const Case2& c : kBinary) {
    for (const Point2& p : c.points) check(c.mnemonic, {p.a, p.b}, p.truth, 450);  // 1e-13
  }
}

TEST(SpecialFunctions, SpecialArguments) {
  const double inf = INFINITY, nan = NAN;
  const std::vector<std::tuple<const char*, std::vector<double>, double>> table = {
      {"chlo.asin", {1.5}, nan},        {"chlo.acos", {-1.5}, nan},   {"chlo.atan", {inf}, std::numbers::pi / 2},
      {"chlo.sinh", {-inf}, -inf},      {"chlo.cosh", {-inf}, inf},   {"chlo.asinh", {-inf}, -inf},
      {"chlo.acosh", {0.5}, nan},       {"chlo.acosh", {inf}, inf},   {"chlo.acosh", {-3}, nan},
      {"chlo.atanh", {1}, inf},         {"chlo.atanh", {-1}, -inf},   {"chlo.atanh", {2}, nan},
      {"chlo.erfc", {inf}, 0},          {"chlo.erfc", {-inf}, 2},     {"chlo.erfc", {nan}, nan},
      {"chlo.erfc", {30}, 0},           {"chlo.erf_inv", {1}, inf},   {"chlo.erf_inv", {-1}, -inf},
      {"chlo.erf_inv", {1.5}, nan},     {"chlo.erf_inv", {nan}, nan}, {"chlo.lgamma", {0}, inf},
      {"chlo.lgamma", {-2}, inf},       {"chlo.lgamma", {inf}, inf},  {"chlo.lgamma", {-inf}, inf},
      {"chlo.lgamma", {nan}, nan},      {"chlo.digamma", {0}, nan},   {"chlo.digamma", {-3}, nan},
      {"chlo.digamma", {inf}, inf},     {"chlo.bessel_i1e", {0}, 0},  {"chlo.bessel_i1e", {inf}, 0},
      {"chlo.bessel_i1e", {nan}, nan},  {"chlo.zeta", {1, 2}, inf},   {"chlo.zeta", {0.5, 2}, nan},
      {"chlo.zeta", {2, -3}, inf},      {"chlo.zeta", {3, -3}, nan},  {"chlo.zeta", {2.5, -0.5}, nan},
      {"chlo.zeta", {2, inf}, 0},       {"chlo.zeta", {nan, 2}, nan}, {"chlo.polygamma", {-1, 2}, nan},
      {"chlo.polygamma", {1.5, 2}, nan}};
  for (const auto& [mnemonic, args, truth] : table) {
    for (ElementType t : {kF64, kF32}) {
      for (double got : {run_eval(mnemonic, t, args), run_program(mnemonic, t, args)}) {
        if (std::isnan(truth)) {
          EXPECT_TRUE(std::isnan(got)) << mnemonic << " " << args.back() << ": " << got;
        } else {
          EXPECT_TRUE(got == truth || std::fabs(got - truth) < 1e-7) << mnemonic << " " << args.back() << ": " << got;
        }
      }
    }
  }
}

// f16 and bf16 are few: the neighbour above every one of them, counted in order of value.
TEST(SpecialFunctions, NextAfterOfAllNarrowFloats) {
  for (ElementType t : {kF16, kBF16}) {
    const uint32_t infinity = t == kF16 ? 0x7c00 : 0x7f80;
    const auto value = [&](uint32_t bits) {
      return static_cast<double>(t == kF16 ? f16::to_float(static_cast<uint16_t>(bits))
                                           : std::bit_cast<float>(bits << 16));
    };
    for (uint32_t bits = 0; bits < infinity; ++bits) {
      const Num x = Num::of_real(t, value(bits)), up = Num::of_real(t, INFINITY);
      ASSERT_EQ(rounded(next_after(x, up, t)).real, value(bits + 1));
      ASSERT_EQ(rounded(next_after(-x, -up, t)).real, -value(bits + 1));
      ASSERT_EQ(rounded(next_after(Num::of_real(t, value(bits + 1)), Num::of_real(t, -0.0), t)).real, value(bits));
      ScalarProgram program;
      const SExpr a = SExpr::arg(program, 0, kF32), b = SExpr::arg(program, 1, kF32);
      const int result = next_after(a, b, t).id();
      const uint64_t args[2] = {std::bit_cast<uint32_t>(static_cast<float>(value(bits))),
                                std::bit_cast<uint32_t>(-INFINITY)};
      const float below = std::bit_cast<float>(static_cast<uint32_t>(run_scalar(program, result, args)));
      ASSERT_EQ(below, bits == 0 ? -value(1) : value(bits - 1));
    }
  }
}

TEST(SpecialFunctions, NextAfterOfDoublesIsTheCLibrarys) {
  for (double x : {0.0, -0.0, 1.0, -1.0, 5e-324, -5e-324, 1e308, 2.5, static_cast<double>(INFINITY)}) {
    for (double y : {0.0, 1.0, -1.0, 3.0, static_cast<double>(INFINITY), -static_cast<double>(INFINITY)}) {
      EXPECT_EQ(run_eval("chlo.next_after", kF64, {x, y}), std::nextafter(x, y)) << x << " " << y;
      EXPECT_EQ(run_program("chlo.next_after", kF64, {x, y}), std::nextafter(x, y)) << x << " " << y;
      const float fx = static_cast<float>(x), fy = static_cast<float>(y);
      EXPECT_EQ(run_eval("chlo.next_after", kF32, {fx, fy}), std::nextafter(fx, fy)) << x << " " << y;
      EXPECT_EQ(run_program("chlo.next_after", kF32, {fx, fy}), std::nextafter(fx, fy)) << x << " " << y;
    }
  }
}

// e8m7 and e5m10 are bf16 and f16 but for subnormal numbers; rounding is the number type's.
TEST(SpecialFunctions, ReducePrecisionIsConversion) {
  for (double x : {0.0, -0.0, 1.0, 1.00390625, 1.01171875, -3.1415926, 1e-3, 65504.0, 65519.0, 65520.0, 1e10, 3.3e38,
                   -3.4e38, 1e-30, 6.2e-5, 6.1e-5, 6.099e-5, static_cast<double>(INFINITY)}) {
    const float f = static_cast<float>(x);
    const auto reduced = [&](int exponent, int mantissa) {
      return rounded(reduce_precision(Num::of_real(kF32, f), kF32, exponent, mantissa)).real;
    };
    const float as_bf16 = static_cast<float>(bf16(f)), as_f16 = static_cast<float>(f16(f));
    EXPECT_EQ(reduced(8, 7), as_bf16) << x;
    EXPECT_EQ(reduced(5, 10), std::fabs(as_f16) < 0x1p-14f ? 0 : as_f16) << x;
    EXPECT_EQ(reduced(8, 23), f);
  }
  EXPECT_TRUE(std::isnan(reduce_precision(Num::of_real(kF32, NAN), kF32, 5, 2).real));
  EXPECT_EQ(reduce_precision(Num::of_real(kF64, NAN), kF64, 5, 0).real, INFINITY);  // a format without NaN
}

TEST(SpecialFunctions, CountsAndHighProductsOfBytes) {
  for (int x = 0; x < 256; ++x) {
    int ones = 0, zeros = 0;
    for (int bit = 0; bit < 8; ++bit) ones += x >> bit & 1;
    while (zeros < 8 && (x >> (7 - zeros) & 1) == 0) ++zeros;
    for (ElementType t : {kI8, kU8}) {
      const Num n = Num::of_bits(t, x);
      EXPECT_EQ(popcnt(n).bits, ones);
      EXPECT_EQ(count_leading_zeros(n).bits, zeros);
      ScalarProgram program;
      const SExpr a = SExpr::arg(program, 0, t);
      const uint64_t args[1] = {static_cast<uint64_t>(x)};
      EXPECT_EQ(run_scalar(program, popcnt(a).id(), args), static_cast<uint64_t>(ones));
      EXPECT_EQ(run_scalar(program, count_leading_zeros(a).id(), args), static_cast<uint64_t>(zeros));
      for (int y : {0, 1, 3, 127, 128, 200, 255}) {
        const Num m = Num::of_bits(t, y);
        const int64_t high = (n.bits * m.bits) >> 8;
        EXPECT_EQ(mulhi(n, m).bits, Num::of_bits(t, high).bits) << x << " " << y;
      }
    }
  }
}

TEST(SpecialFunctions, HighProductsOfWords) {
  constexpr uint64_t kWords[] = {
      0, 1, 0xffffffffffffffff, 0x8000000000000000, 0x7fffffffffffffff, 0x123456789abcdef0, 0xfedcba9876543211};
  for (uint64_t x : kWords) {
    for (uint64_t y : kWords) {
      for (ElementType t : {kI64, kU64}) {
        const uint64_t truth =
            t == kU64
                ? static_cast<uint64_t>(static_cast<unsigned __int128>(x) * y >> 64)
                : static_cast<uint64_t>(static_cast<__int128>(static_cast<int64_t>(x)) * static_cast<int64_t>(y) >> 64);
        ScalarProgram program;
        const int result = mulhi(SExpr::arg(program, 0, t), SExpr::arg(program, 1, t)).id();
        const uint64_t args[2] = {x, y};
        EXPECT_EQ(run_scalar(program, result, args), truth) << std::hex << x << " " << y;
        EXPECT_EQ(
            mulhi(Num::of_bits(t, static_cast<int64_t>(x)), Num::of_bits(t, static_cast<int64_t>(y))).unsigned_bits(),
            truth);
      }
    }
  }
}

TEST(BitcastConvert, SplitsAndJoinsFromTheLowBitsUp) {
  const Tensor words = Tensor::of<uint32_t>({0x04030201u, 0xfffefdfcu}, {2});
  const auto cast = [](const Tensor& x, Type to) {
    return run_op({x}, [&](OpBuilder& b, std::span<const Value> v) {
      return std::vector<Value>{b.make("stablehlo.bitcast_convert", {v[0]}, {}, to)};
    })[0];
  };
  const Tensor bytes = cast(words, Type::tensor(kU8, {2, 4}));
  const std::vector<uint8_t> expected = {1, 2, 3, 4, 0xfc, 0xfd, 0xfe, 0xff};
  EXPECT_TRUE(std::ranges::equal(bytes.data<uint8_t>(), expected));
  EXPECT_EQ(cast(bytes, Type::tensor(kU32, {2})).data<uint32_t>()[1], 0xfffefdfcu);
  EXPECT_EQ(cast(Tensor::of<float>({1.0f}, {1}), Type::tensor(kI32, {1})).data<int32_t>()[0], 0x3f800000);
  const Tensor bits = cast(Tensor::of<uint8_t>({0x05}, {1}), Type::tensor(kI1, {1, 8}));
  for (int i = 0; i < 8; ++i) EXPECT_EQ(bits.data<bool>()[static_cast<size_t>(i)], i == 0 || i == 2);
}

TEST(ChloBroadcast, AlignsAtTheLastDimensionsOrAsTold) {
  const Tensor matrix = Tensor::of<double>({1, 2, 3, 4, 5, 6}, {3, 2}), row = Tensor::of<double>({10, 20}, {2}),
               column = Tensor::of<double>({100, 200, 300}, {3});
  const auto add = [](const Tensor& a, const Tensor& b, Attrs attrs) {
    return values(run_op({a, b}, [&](OpBuilder& builder, std::span<const Value> x) {
      return builder.create("chlo.broadcast_add", x, attrs);
    })[0]);
  };
  EXPECT_EQ(add(matrix, row, {}), (std::vector<double>{11, 22, 13, 24, 15, 26}));
  EXPECT_EQ(add(row, matrix, {}), (std::vector<double>{11, 22, 13, 24, 15, 26}));
  EXPECT_EQ(add(matrix, column, {{"broadcast_dimensions", Attr::Ints{0}}}),
            (std::vector<double>{101, 102, 203, 204, 305, 306}));
}

}  // namespace
}  // namespace weft::test
