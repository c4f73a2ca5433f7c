// chlo.scan against values by hand.
func.func @main() {
  // Running sums of the columns of [[1, 2, 3], [4, 5, 6]], from [10, 20, 30].
  %x = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %c = stablehlo.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
  %sums:2 = chlo.scan(%x) inits (%c) dimension=0 {
  ^bb0(%in: tensor<3xf32>, %carry: tensor<3xf32>):
    %s = stablehlo.add %in, %carry : tensor<3xf32>
    stablehlo.return %s, %s : tensor<3xf32>, tensor<3xf32>
  } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  check.expect_eq_const %sums#0, dense<[[11.0, 22.0, 33.0], [15.0, 27.0, 39.0]]> : tensor<2x3xf32>
  check.expect_eq_const %sums#1, dense<[15.0, 27.0, 39.0]> : tensor<3xf32>

  // From the last column: what came before is doubled and added, positions keep their places.
  %zero = stablehlo.constant dense<0.0> : tensor<2xf32>
  %back:2 = chlo.scan(%x) inits (%zero) dimension=1 attributes {is_reverse = true} {
  ^bb0(%in: tensor<2xf32>, %carry: tensor<2xf32>):
    %two = stablehlo.constant dense<2.0> : tensor<2xf32>
    %d = stablehlo.multiply %carry, %two : tensor<2xf32>
    %s = stablehlo.add %d, %in : tensor<2xf32>
    stablehlo.return %s, %s : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)
  check.expect_eq_const %back#0, dense<[[17.0, 8.0, 3.0], [38.0, 17.0, 6.0]]> : tensor<2x3xf32>
  check.expect_eq_const %back#1, dense<[17.0, 38.0]> : tensor<2xf32>

  // Two inputs, two carries, two outputs of other types, in generic form: how often a > b so far, and the largest product so far.
  %a = stablehlo.constant dense<[3, 1, 7, -2]> : tensor<4xi32>
  %b = stablehlo.constant dense<[2, 4, 1, -5]> : tensor<4xi32>
  %i0 = stablehlo.constant dense<0> : tensor<i32>
  %low = stablehlo.constant dense<-100> : tensor<i32>
  %r:4 = "chlo.scan"(%a, %b, %i0, %low) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 2, 2>, resultSegmentSizes = array<i32: 2, 2>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>, %count: tensor<i32>, %best: tensor<i32>):
    %more = stablehlo.compare GT, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %one = stablehlo.convert %more : (tensor<i1>) -> tensor<i32>
    %n = stablehlo.add %count, %one : tensor<i32>
    %product = stablehlo.multiply %p, %q : tensor<i32>
    %m = stablehlo.maximum %best, %product : tensor<i32>
    stablehlo.return %more, %m, %n, %m : tensor<i1>, tensor<i32>, tensor<i32>, tensor<i32>
  }) : (tensor<4xi32>, tensor<4xi32>, tensor<i32>, tensor<i32>) -> (tensor<4xi1>, tensor<4xi32>, tensor<i32>, tensor<i32>)
  check.expect_eq_const %r#0, dense<[true, false, true, true]> : tensor<4xi1>
  check.expect_eq_const %r#1, dense<[6, 6, 7, 10]> : tensor<4xi32>
  check.expect_eq_const %r#2, dense<3> : tensor<i32>
  check.expect_eq_const %r#3, dense<10> : tensor<i32>

  // No inputs: as many steps as scan_dim_size says.
  %one = stablehlo.constant dense<1> : tensor<i32>
  %powers:2 = chlo.scan() inits (%one) dimension=0 attributes {scan_dim_size = 5 : i64} {
  ^bb0(%carry: tensor<i32>):
    %next = stablehlo.add %carry, %carry : tensor<i32>
    stablehlo.return %carry, %next : tensor<i32>, tensor<i32>
  } : (tensor<i32>) -> (tensor<5xi32>, tensor<i32>)
  check.expect_eq_const %powers#0, dense<[1, 2, 4, 8, 16]> : tensor<5xi32>
  check.expect_eq_const %powers#1, dense<32> : tensor<i32>

  // … or as many as the type of its output.
  %typed:2 = chlo.scan() inits (%one) dimension=0 {
  ^bb0(%carry: tensor<i32>):
    %next = stablehlo.add %carry, %carry : tensor<i32>
    stablehlo.return %carry, %next : tensor<i32>, tensor<i32>
  } : (tensor<i32>) -> (tensor<3xi32>, tensor<i32>)
  check.expect_eq_const %typed#0, dense<[1, 2, 4]> : tensor<3xi32>
  check.expect_eq_const %typed#1, dense<8> : tensor<i32>

  // Nothing to run along: the carry comes back.
  %none = stablehlo.constant dense<> : tensor<0x3xf32>
  %empty:2 = chlo.scan(%none) inits (%c) dimension=0 {
  ^bb0(%in: tensor<3xf32>, %carry: tensor<3xf32>):
    %s = stablehlo.add %in, %carry : tensor<3xf32>
    stablehlo.return %s, %s : tensor<3xf32>, tensor<3xf32>
  } : (tensor<0x3xf32>, tensor<3xf32>) -> (tensor<0x3xf32>, tensor<3xf32>)
  check.expect_eq_const %empty#0, dense<> : tensor<0x3xf32>
  check.expect_eq_const %empty#1, dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
  return
}
