// A loop that leaves early, in it a branch, in that a loop of a run-time number of trips; each trip writes a buffer, whose sum is
// 2x³ + 2x⁶ + x⁹, or 2x³ + x⁶ when the limit ends it after three trips. First and second derivatives in every order and over lanes; of
// every loop two trips are kept.
func.func @f(%x: tensor<f64>, %n: tensor<i64>, %m: tensor<i64>, %limit: tensor<f64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %two = stablehlo.constant dense<2> : tensor<i64>
  %unit = stablehlo.constant dense<1.0> : tensor<f64>
  %nothing = stablehlo.constant dense<0.0> : tensor<f64>
  %empty = stablehlo.constant dense<0.0> : tensor<8xf64>
  %0:3 = stablehlo.while(%i = %zero, %v = %unit, %a = %empty) : tensor<i64>, tensor<f64>, tensor<8xf64>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %q = stablehlo.compare LT, %v, %limit : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %r = stablehlo.and %p, %q : tensor<i1>
    stablehlo.return %r : tensor<i1>
  } do {
    %rest = stablehlo.remainder %i, %two : tensor<i64>
    %even = stablehlo.compare EQ, %rest, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w = "stablehlo.if"(%even) ({
      %1:2 = stablehlo.while(%j = %zero, %u = %v) : tensor<i64>, tensor<f64>
      cond {
        %s = stablehlo.compare LT, %j, %m : (tensor<i64>, tensor<i64>) -> tensor<i1>
        stablehlo.return %s : tensor<i1>
      } do {
        %k = stablehlo.add %j, %one : tensor<i64>
        %t = stablehlo.multiply %u, %x : tensor<f64>
        stablehlo.return %k, %t : tensor<i64>, tensor<f64>
      }
      stablehlo.return %1#1 : tensor<f64>
    }, {
      stablehlo.return %v : tensor<f64>
    }) : (tensor<i1>) -> tensor<f64>
    %row = stablehlo.reshape %w : (tensor<f64>) -> tensor<1xf64>
    %b = stablehlo.dynamic_update_slice %a, %row, %i : (tensor<8xf64>, tensor<1xf64>, tensor<i64>) -> tensor<8xf64>
    %h = stablehlo.add %i, %one : tensor<i64>
    stablehlo.return %h, %w, %b : tensor<i64>, tensor<f64>, tensor<8xf64>
  }
  %sum = stablehlo.reduce(%0#2 init: %nothing) applies stablehlo.add across dimensions = [0] : (tensor<8xf64>, tensor<f64>) -> tensor<f64>
  return %sum : tensor<f64>
}
// transform: --grad f:0 --recompute 2 --as reverse
// transform: --jvp f:0 --as forward
func.func @tangent(%x: tensor<f64>, %n: tensor<i64>, %m: tensor<i64>, %limit: tensor<f64>) -> tensor<f64> {
  %one = stablehlo.constant dense<1.0> : tensor<f64>
  %0:2 = call @forward(%x, %n, %m, %limit, %one) : (tensor<f64>, tensor<i64>, tensor<i64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}
// transform: --jvp tangent:0 --as ff
// transform: --grad tangent:0 --recompute 2 --as rf
// transform: --jvp reverse:0 --as fr
// transform: --grad reverse:0 --recompute 2 --as rr
// transform: --vectorize rr:0,_,_,_ --lanes 3 --as second_over_lanes
// transform: --vectorize f:0,_,_,_ --lanes 3 --as lanes
// transform: --vjp lanes:0 --recompute 2 --as of_lanes
func.func @main() {
  %x = stablehlo.constant dense<1.1> : tensor<f64>
  %one = stablehlo.constant dense<1.0> : tensor<f64>
  %n = stablehlo.constant dense<5> : tensor<i64>
  %m = stablehlo.constant dense<3> : tensor<i64>
  %limit0 = stablehlo.constant dense<100.0> : tensor<f64>
  %r0 = call @reverse(%x, %n, %m, %limit0) : (tensor<f64>, tensor<i64>, tensor<i64>, tensor<f64>) -> tensor<f64>
  check.expect_almost_eq_const %r0, dense<45.878419290000025> : tensor<f64>
  %t0 = call @tangent(%x, %n, %m, %limit0) : (tensor<f64>, tensor<i64>, tensor<i64>, tensor<f64>) -> tensor<f64>
  check.expect_almost_eq_const %t0, dense<45.878419290000025> : tensor<f64>
  %ff0:2 = call @ff(%x, %n, %m, %limit0, %one) : (tensor<f64>, tensor<i64>, tensor<i64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  check.expect_almost_eq_const %ff0#1, dense<241.3536312000001> : tensor<f64>
  %rf0 = call @rf(%x, %n, %m, %limit0) : (tensor<f64>, tensor<i64>, tensor<i64>, tensor<f64>) -> tensor<f64>
  check.expect_almost_eq_const %rf0, dense<241.3536312000001> : tensor<f64>
  %fr0:2 = call @fr(%x, %n, %m, %limit0, %one) : (tensor<f64>, tensor<i64>, tensor<i64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  check.expect_almost_eq_const %fr0#1, dense<241.3536312000001> : tensor<f64>
  %rr0 = call @rr(%x, %n, %m, %limit0) : (tensor<f64>, tensor<i64>, tensor<i64>, tensor<f64>) -> tensor<f64>
  check.expect_almost_eq_const %rr0, dense<241.3536312000001> : tensor<f64>
  %limit1 = stablehlo.constant dense<1.7> : tensor<f64>
  %r1 = call @reverse(%x, %n, %m, %limit1) : (tensor<f64>, tensor<i64>, tensor<i64>, tensor<f64>) -> tensor<f64>
  check.expect_almost_eq_const %r1, dense<16.923060000000007> : tensor<f64>
  %t1 = call @tangent(%x, %n, %m, %limit1) : (tensor<f64>, tensor<i64>, tensor<i64>, tensor<f64>) -> tensor<f64>
  check.expect_almost_eq_const %t1, dense<16.923060000000007> : tensor<f64>
  %ff1:2 = call @ff(%x, %n, %m, %limit1, %one) : (tensor<f64>, tensor<i64>, tensor<i64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  check.expect_almost_eq_const %ff1#1, dense<57.12300000000001> : tensor<f64>
  %rf1 = call @rf(%x, %n, %m, %limit1) : (tensor<f64>, tensor<i64>, tensor<i64>, tensor<f64>) -> tensor<f64>
  check.expect_almost_eq_const %rf1, dense<57.12300000000001> : tensor<f64>
  %fr1:2 = call @fr(%x, %n, %m, %limit1, %one) : (tensor<f64>, tensor<i64>, tensor<i64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  check.expect_almost_eq_const %fr1#1, dense<57.12300000000001> : tensor<f64>
  %rr1 = call @rr(%x, %n, %m, %limit1) : (tensor<f64>, tensor<i64>, tensor<i64>, tensor<f64>) -> tensor<f64>
  check.expect_almost_eq_const %rr1, dense<57.12300000000001> : tensor<f64>
  // Lanes leave the loop after three trips, all five and one.
  %xs = stablehlo.constant dense<[1.1, 0.5, 2.0]> : tensor<3xf64>
  %ones = stablehlo.constant dense<1.0> : tensor<3xf64>
  %s = call @second_over_lanes(%xs, %n, %m, %limit1) : (tensor<3xf64>, tensor<i64>, tensor<i64>, tensor<f64>) -> tensor<3xf64>
  check.expect_almost_eq_const %s, dense<[57.12300000000001, 10.3125, 12.0]> : tensor<3xf64>
  %g = call @of_lanes(%xs, %n, %m, %limit1, %ones) : (tensor<3xf64>, tensor<i64>, tensor<i64>, tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  check.expect_almost_eq_const %g, dense<[16.923060000000007, 1.91015625, 12.0]> : tensor<3xf64>
  return
}
