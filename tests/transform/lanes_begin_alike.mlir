// A loop that each lane leaves at its own trip, and a carry of many elements that begins alike in all of them. What the body computes on the
// way must not take the place of what the next lane begins with.
func.func @grow(%w: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %nothing = stablehlo.constant dense<0.0> : tensor<4xf32>
  %start = stablehlo.add %w, %w : tensor<4xf32>
  %0:2 = stablehlo.while(%i = %zero, %v = %start) : tensor<i32>, tensor<4xf32>
    cond {
      %more = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %next = stablehlo.add %i, %one : tensor<i32>
      // Once v + v, by an inner loop over the elements.
      %none = stablehlo.multiply %v, %nothing : tensor<4xf32>
      %1:2 = stablehlo.while(%k = %zero, %sum = %none) : tensor<i32>, tensor<4xf32>
        cond {
          %left = stablehlo.compare LT, %k, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %left : tensor<i1>
        } do {
          %after = stablehlo.add %k, %one : tensor<i32>
          %x = stablehlo.dynamic_slice %v, %k, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
          %xx = stablehlo.add %x, %x : tensor<1xf32>
          %placed = stablehlo.dynamic_update_slice %sum, %xx, %k : (tensor<4xf32>, tensor<1xf32>, tensor<i32>) -> tensor<4xf32>
          stablehlo.return %after, %placed : tensor<i32>, tensor<4xf32>
        }
      stablehlo.return %next, %1#1 : tensor<i32>, tensor<4xf32>
    }
  return %0#1 : tensor<4xf32>
}
// transform: --vectorize grow:_,0 --lanes 3 --as lanes
func.func @main() {
  %w = stablehlo.constant dense<[1.0, 2.0, 3.0, -4.0]> : tensor<4xf32>
  %n = stablehlo.constant dense<[1, 3, 2]> : tensor<3xi32>
  // Kept from being folded.
  %0:2 = stablehlo.optimization_barrier %w, %n : tensor<4xf32>, tensor<3xi32>
  %got = call @lanes(%0#0, %0#1) : (tensor<4xf32>, tensor<3xi32>) -> tensor<3x4xf32>
  // Each trip doubles.
  check.expect_eq_const %got, dense<[[4.0, 8.0, 12.0, -16.0], [16.0, 32.0, 48.0, -64.0], [8.0, 16.0, 24.0, -32.0]]> : tensor<3x4xf32>
  return
}
