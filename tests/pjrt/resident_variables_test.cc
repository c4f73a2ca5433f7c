// Programs of the symbolic API on a plugin: variables live there, and what moves is counted.
#include <gtest/gtest.h>

#include <cmath>

#include "fake_plugin.h"
#include "pjrt/pjrt_target.h"
#include "plugin_path.h"
#include "weft/symbolic.h"

namespace weft {
namespace {

template <class F>
void expect_user_error(F&& f, const std::string& expected) {
  try {
    f();
    ADD_FAILURE() << "no error; expected " << expected;
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
  }
}

Tensor row(std::vector<float> v) {
  const auto n = static_cast<int64_t>(v.size());
  return Tensor::of<float>(v, {n});
}

/// What the plugin did since this was made.
class Counts {
 public:
  Counts() {
    for (const char* what : {"sent", "fetched", "executed", "donated"}) before_[what] = fake_.count(what);
  }
  int operator()(const char* what) const { return fake_.count(what) - before_.at(what); }

 private:
  FakePlugin fake_;
  std::map<std::string, int> before_;
};

class ResidentVariables : public testing::Test {
 protected:
  void SetUp() override { pjrt::client_of(FakePlugin::path()); }
  void TearDown() override {
    const FakePlugin fake;
    fake.set("fault", "");
    fake.set("defer", "off");
  }
  static FunctionOptions on_plugin() { return {.target = "pjrt:" + FakePlugin::path()}; }
};

/// Least squares with momentum: two parameters, two states of the optimiser.
struct Model {
  Expr x = placeholder<float>({4, 2}, "x"), y = placeholder<float>({4}, "y");
  Variable w = variable(zeros<float>({2}), "w"), b = variable(zeros<float>({}), "b");
  Variable mw = variable(zeros<float>({2}), "mw"), mb = variable(zeros<float>({}), "mb");
  CompiledGraph step;

  explicit Model(const FunctionOptions& options) {
    const Expr loss = mean(square(dot(x, w) + b - y));
    const std::vector<Expr> g = grad(loss, {w, b});
    const Expr next_mw = 0.5f * mw + g[0], next_mb = 0.5f * mb + g[1];
    step = function({x, y}, {loss},
                    updates{{mw, next_mw}, {mb, next_mb}, {w, w - 0.05f * next_mw}, {b, b - 0.05f * next_mb}}, options);
  }
  static Tensor batch_x(int i) {
    std::vector<float> v;
    for (int k = 0; k < 8; ++k) v.push_back(std::sin(static_cast<float>(8 * i + k)));
    return Tensor::of<float>(v, {4, 2});
  }
  static Tensor batch_y(int i) {
    std::vector<float> v;
    const Tensor x = batch_x(i);
    for (size_t k = 0; k < 4; ++k) v.push_back(3 * x.data<float>()[2 * k] - 2 * x.data<float>()[2 * k + 1] + 1);
    return row(v);
  }
};

TEST_F(ResidentVariables, MovesTheBatchAndTheLossAlone) {
  Model here({}), there(on_plugin());
  constexpr int kSteps = 100;
  const Counts counts;
  for (int i = 0; i < kSteps; ++i) {
    const float loss = there.step(Model::batch_x(i), Model::batch_y(i)).scalar<float>();
    EXPECT_NEAR(loss, here.step(Model::batch_x(i), Model::batch_y(i)).scalar<float>(), 1e-4) << i;
  }
  EXPECT_EQ(counts("executed"), kSteps);
  EXPECT_EQ(counts("sent"), 2 * kSteps + 4) << "the batches, and each variable once";
  EXPECT_EQ(counts("fetched"), kSteps) << "the losses";
  EXPECT_EQ(counts("donated"), 4 * kSteps);
  EXPECT_NEAR(there.w.value().data<float>()[0], 3, 0.05);
  EXPECT_NEAR(there.w.value().data<float>()[1], -2, 0.05);
  EXPECT_NEAR(there.b.value().scalar<float>(), 1, 0.05);
  EXPECT_EQ(counts("fetched"), kSteps + 2) << "a variable that did not change is fetched once";
}

TEST_F(ResidentVariables, MovesNothingThatIsThere) {
  Model model(on_plugin());
  const DeviceTensor x = to_device(Model::batch_x(0), on_plugin().target),
                     y = to_device(Model::batch_y(0), on_plugin().target);
  model.step(x, y);
  const Counts counts;
  for (int i = 0; i < 10; ++i) model.step(x, y);
  BoundCall bound = model.step.bind_device({x, y});
  for (int i = 0; i < 10; ++i) bound.run();
  EXPECT_EQ(counts("executed"), 20);
  EXPECT_EQ(counts("sent"), 0);
  EXPECT_EQ(counts("fetched"), 0) << "no loss was read";
  EXPECT_LT(bound[0].scalar<float>(), 1);
  EXPECT_EQ(counts("fetched"), 1);
  EXPECT_EQ(bound.on_device(0).scalar<float>(), bound[0].scalar<float>());
}

TEST_F(ResidentVariables, BindsHostTensorsWhoseContentsChange) {
  const Expr x = placeholder<float>({2}, "x");
  const CompiledGraph twice = function({x}, {x + x}, {}, on_plugin());
  Tensor in = row({1, 2});
  BoundCall bound = twice.bind({in});
  bound.run();
  EXPECT_EQ(bound[0].data<float>()[1], 4);
  in.mutable_data<float>()[1] = 5;
  bound.run();
  EXPECT_EQ(bound[0].data<float>()[1], 10);
}

TEST_F(ResidentVariables, SharesVariablesWithOtherTargets) {
  const Variable w = variable(row({1, 2}), "w");
  const CompiledGraph there = function({}, {}, updates{{w, w * 2.0f}}, on_plugin());
  const CompiledGraph here = function({}, {sum(w)}, updates{{w, w + 1.0f}});
  const CompiledGraph look = function({}, {sum(w)}, {}, on_plugin());
  there();                               // 2 4
  EXPECT_EQ(here().scalar<float>(), 6);  // 3 5
  EXPECT_EQ(look().scalar<float>(), 8);
  there();  // 6 10
  EXPECT_EQ(w.storage().data<float>()[1], 10);
  w.set(row({7, 8}));
  EXPECT_EQ(look().scalar<float>(), 15);
  there();
  EXPECT_EQ(here().scalar<float>(), 30);
  EXPECT_EQ(w.value().data<float>()[0], 15);
}

TEST_F(ResidentVariables, SwapsVariables) {
  const Variable a = variable(row({1}), "a"), b = variable(row({2}), "b");
  const CompiledGraph swap = function({}, {}, updates{{a, b}, {b, a}}, on_plugin());
  for (int i = 0; i < 3; ++i) swap();
  EXPECT_EQ(a.value().data<float>()[0], 2);
  EXPECT_EQ(b.value().data<float>()[0], 1);
}

TEST_F(ResidentVariables, StartsStepsWithoutWaiting) {
  Model model(on_plugin());
  FakePlugin().set("defer", "on");
  const Counts counts;
  std::vector<Pending> steps;
  for (int i = 0; i < 5; ++i) steps.push_back(model.step.start({Model::batch_x(i), Model::batch_y(i)}));
  EXPECT_EQ(counts("executed"), 0);
  EXPECT_FALSE(steps[4].is_done());
  steps[4].wait();
  EXPECT_EQ(counts("executed"), 5);
  EXPECT_LT(steps[4][0].scalar<float>(), steps[0][0].scalar<float>() + 100);
  Model again({});
  for (int i = 0; i < 5; ++i) again.step(Model::batch_x(i), Model::batch_y(i));
  EXPECT_NEAR(model.w.value().data<float>()[0], again.w.value().data<float>()[0], 1e-5);
}

TEST_F(ResidentVariables, TellsOfALostDeviceWhoeverAsks) {
  Model model(on_plugin());
  const FakePlugin fake;
  const int live = fake.live_objects();
  {
    Pending lost;
    fake.set("defer", "on");
    fake.set("fault", "lost");
    lost = model.step.start({Model::batch_x(0), Model::batch_y(0)});
    fake.set("fault", "");
    model.step.start({Model::batch_x(1), Model::batch_y(1)});  // nobody waits for this one
    expect_user_error([&] { lost.wait(); }, "unavailable: device lost");
    expect_user_error([&] { lost[0].value(); }, "device lost");
    expect_user_error([&] { model.w.value(); }, "device lost");
    expect_user_error([&] { model.step(Model::batch_x(0), Model::batch_y(0)).scalar<float>(); }, "device lost");
  }
  fake.set("defer", "off");
  for (const Variable& v : {model.w, model.mw}) v.set(row({0, 0}));
  for (const Variable& v : {model.b, model.mb}) v.set(Tensor::scalar_of<float>(0));
  EXPECT_GT(model.step(Model::batch_x(0), Model::batch_y(0)).scalar<float>(), 0);
  for (const Variable& v : {model.w, model.mw}) v.set(row({0, 0}));
  for (const Variable& v : {model.b, model.mb}) v.set(Tensor::scalar_of<float>(0));
  EXPECT_EQ(fake.live_objects(), live);
}

TEST_F(ResidentVariables, TakesAnArgumentsMemory) {
  const Expr x = placeholder<float>({2}, "x");
  FunctionOptions options = on_plugin();
  options.donations = {{0, 0}};
  for (const std::string& target : {on_plugin().target, std::string("native"), std::string("eval")}) {
    options.target = target;
    const CompiledGraph twice = function({x}, {x + x}, {}, options);
    const DeviceTensor first = to_device(row({1, 2}), target);
    const DeviceTensor second = twice(first).on_device(0);
    EXPECT_TRUE(first.is_donated());
    expect_user_error([&] { first.value(); }, "was donated to an earlier call");
    expect_user_error([&] { twice(first); }, "argument 0 \"x\" (tensor<2xf32>) was donated");
    EXPECT_EQ(twice(second).on_device(0).value().data<float>()[1], 8);
    const Tensor mine = row({1, 2});
    EXPECT_EQ(twice(mine)[0].data<float>()[1], 4);
    EXPECT_EQ(mine.data<float>()[1], 2) << "the host's own memory is not taken";
  }
  options.donations = {{0, 1}};
  expect_user_error([&] { function({x}, {x + x}, {}, options); }, "there are 1 inputs and 1 outputs");
  options.donations = {{0, 0}};
  expect_user_error([&] { function({x}, {sum(x)}, {}, options); }, "expected one type");
}

TEST_F(ResidentVariables, PassesResultsOnWhereTheyAre) {
  const Expr x = placeholder<float>({2}, "x");
  const CompiledGraph there = function({x}, {x + 1.0f}, {}, on_plugin()), here = function({x}, {x * 2.0f});
  const Counts counts;
  const Results first = there(to_device(row({1, 2}), on_plugin().target));
  const Results second = there(first.on_device(0));
  EXPECT_EQ(counts("fetched"), 0);
  EXPECT_EQ(here(second.on_device(0))[0].data<float>()[1], 8);
  EXPECT_EQ(counts("sent"), 1);
  EXPECT_EQ(counts("fetched"), 1);
  expect_user_error([&] { there(to_device(row({1}), "native")); },
                    "argument 0 \"x\": got tensor<1xf32>, expected tensor<2xf32>");
  expect_user_error([&] { there(DeviceTensor()); }, "an empty tensor handle");
}

TEST_F(ResidentVariables, KeepsReadResultsWhileOthersCome) {
  const Expr x = placeholder<float>({2}, "x");
  const CompiledGraph twice = function({x}, {x + x}, {}, on_plugin());
  Tensor kept;
  {
    const Results r = twice(row({1, 2}));
    kept = r[0];
  }
  EXPECT_EQ(twice(row({5, 6}))[0].data<float>()[1], 12);
  EXPECT_EQ(kept.data<float>()[1], 4);
}

TEST_F(ResidentVariables, StartsOnHostTargetsToo) {
  const Expr x = placeholder<float>({2}, "x");
  const CompiledGraph twice = function({x}, {x + x});
  Pending call = twice.start({row({1, 2})});
  EXPECT_TRUE(call.is_done());
  call.wait();
  EXPECT_EQ(call[0].value().data<float>()[1], 4);
}

// The same on a plugin of a wheel, where one is at hand.
TEST(ResidentVariablesOnACpu, LearnsWithItsVariablesThere) {
  if (plugin_path().empty()) GTEST_SKIP() << "no PJRT plugin: tools/get_pjrt_plugin.sh build/plugins";
  Model here({}), there({.target = "pjrt:" + plugin_path()});
  for (int i = 0; i < 50; ++i) {
    const float loss = there.step(Model::batch_x(i), Model::batch_y(i)).scalar<float>();
    EXPECT_NEAR(loss, here.step(Model::batch_x(i), Model::batch_y(i)).scalar<float>(), 1e-4) << i;
  }
  std::vector<Pending> steps;
  for (int i = 50; i < 100; ++i) {
    steps.push_back(there.step.start({Model::batch_x(i), Model::batch_y(i)}));
    here.step(Model::batch_x(i), Model::batch_y(i));
  }
  steps.resize(25);  // nobody waits for the others
  for (size_t k = 0; k < 2; ++k) EXPECT_NEAR(there.w.value().data<float>()[k], here.w.value().data<float>()[k], 1e-4);
}

}  // namespace
}  // namespace weft
