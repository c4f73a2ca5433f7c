// A recursive function that calls, through one that is not, another recursion: frames of all three are alive at once.
func.func private @triangle(%x: tensor<40xf32>, %n: tensor<i32>) -> tensor<40xf32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zeros = stablehlo.constant dense<0.0> : tensor<40xf32>
  %r = "stablehlo.case"(%n) ({
    stablehlo.return %zeros : tensor<40xf32>
  }, {
    %k = stablehlo.subtract %n, %one : tensor<i32>
    %m = func.call @layers(%x, %k) : (tensor<40xf32>, tensor<i32>) -> tensor<40xf32>
    %s = func.call @triangle(%x, %k) : (tensor<40xf32>, tensor<i32>) -> tensor<40xf32>
    %t = stablehlo.add %s, %m : tensor<40xf32>
    stablehlo.return %t : tensor<40xf32>
  }) : (tensor<i32>) -> tensor<40xf32>
  return %r : tensor<40xf32>
}
func.func private @layers(%x: tensor<40xf32>, %n: tensor<i32>) -> tensor<40xf32> {
  %y = func.call @times(%x, %n) : (tensor<40xf32>, tensor<i32>) -> tensor<40xf32>
  %rev = stablehlo.reverse %y, dims = [0] : tensor<40xf32>
  %z = func.call @times(%rev, %n) : (tensor<40xf32>, tensor<i32>) -> tensor<40xf32>
  %back = stablehlo.reverse %z, dims = [0] : tensor<40xf32>
  %r = stablehlo.add %y, %back : tensor<40xf32>
  return %r : tensor<40xf32>
}
// x * n
func.func private @times(%x: tensor<40xf32>, %n: tensor<i32>) -> tensor<40xf32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zeros = stablehlo.constant dense<0.0> : tensor<40xf32>
  %r = "stablehlo.case"(%n) ({
    stablehlo.return %zeros : tensor<40xf32>
  }, {
    %k = stablehlo.subtract %n, %one : tensor<i32>
    %s = func.call @times(%x, %k) : (tensor<40xf32>, tensor<i32>) -> tensor<40xf32>
    %t = stablehlo.add %s, %x : tensor<40xf32>
    stablehlo.return %t : tensor<40xf32>
  }) : (tensor<i32>) -> tensor<40xf32>
  return %r : tensor<40xf32>
}
func.func @main() {
  %i = stablehlo.iota dim = 0 : tensor<40xf32>
  %n = stablehlo.constant dense<4> : tensor<i32>
  %got = func.call @triangle(%i, %n) : (tensor<40xf32>, tensor<i32>) -> tensor<40xf32>
  // The sum over k = 0 … 3 of k x + k k x = (6 + 14) x.
  %c = stablehlo.constant dense<20.0> : tensor<40xf32>
  %want = stablehlo.multiply %i, %c : tensor<40xf32>
  check.expect_eq %got, %want : tensor<40xf32>
  return
}
