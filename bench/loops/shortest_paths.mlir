func.func @main(%a0: tensor<100x100xi64>) -> (tensor<100x100xi64>) {
  %1 = stablehlo.constant dense<100> : tensor<i64>
  %2 = stablehlo.constant dense<1> : tensor<i64>
  %w3:2 = stablehlo.while(%c3_0 = %2, %c3_1 = %a0) : tensor<i64>, tensor<100x100xi64>
  cond {
    %4 = stablehlo.compare LE, %c3_0, %1 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  } do {
    %5 = stablehlo.constant dense<100> : tensor<i64>
    %6 = stablehlo.constant dense<1> : tensor<i64>
    %w7:2 = stablehlo.while(%c7_0 = %6, %c7_1 = %c3_1) : tensor<i64>, tensor<100x100xi64>
    cond {
      %8 = stablehlo.compare LE, %c7_0, %5 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    } do {
      %9 = stablehlo.constant dense<100> : tensor<i64>
      %10 = stablehlo.constant dense<1> : tensor<i64>
      %w11:2 = stablehlo.while(%c11_0 = %10, %c11_1 = %c7_1) : tensor<i64>, tensor<100x100xi64>
      cond {
        %12 = stablehlo.compare LE, %c11_0, %9 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        stablehlo.return %12 : tensor<i1>
      } do {
        %13 = stablehlo.constant dense<1> : tensor<i64>
        %14 = stablehlo.subtract %c3_0, %13 : tensor<i64>
        %15 = stablehlo.constant dense<1> : tensor<i64>
        %16 = stablehlo.compare GE, %c3_0, %15 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %17 = stablehlo.constant dense<100> : tensor<i64>
        %18 = stablehlo.compare LE, %c3_0, %17 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %19 = stablehlo.and %16, %18 : tensor<i1>
        "weft.check"(%19, %c3_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %20 = stablehlo.constant dense<1> : tensor<i64>
        %21 = stablehlo.subtract %c11_0, %20 : tensor<i64>
        %22 = stablehlo.constant dense<1> : tensor<i64>
        %23 = stablehlo.compare GE, %c11_0, %22 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %24 = stablehlo.constant dense<100> : tensor<i64>
        %25 = stablehlo.compare LE, %c11_0, %24 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %26 = stablehlo.and %23, %25 : tensor<i1>
        "weft.check"(%26, %c11_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %27 = stablehlo.dynamic_slice %c11_1, %14, %21, sizes = [1, 1] : (tensor<100x100xi64>, tensor<i64>, tensor<i64>) -> tensor<1x1xi64>
        %28 = stablehlo.reshape %27 : (tensor<1x1xi64>) -> tensor<i64>
        %29 = stablehlo.constant dense<1> : tensor<i64>
        %30 = stablehlo.subtract %c7_0, %29 : tensor<i64>
        %31 = stablehlo.constant dense<1> : tensor<i64>
        %32 = stablehlo.compare GE, %c7_0, %31 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %33 = stablehlo.constant dense<100> : tensor<i64>
        %34 = stablehlo.compare LE, %c7_0, %33 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %35 = stablehlo.and %32, %34 : tensor<i1>
        "weft.check"(%35, %c7_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %36 = stablehlo.constant dense<1> : tensor<i64>
        %37 = stablehlo.subtract %c3_0, %36 : tensor<i64>
        %38 = stablehlo.constant dense<1> : tensor<i64>
        %39 = stablehlo.compare GE, %c3_0, %38 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %40 = stablehlo.constant dense<100> : tensor<i64>
        %41 = stablehlo.compare LE, %c3_0, %40 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %42 = stablehlo.and %39, %41 : tensor<i1>
        "weft.check"(%42, %c3_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %43 = stablehlo.dynamic_slice %c11_1, %30, %37, sizes = [1, 1] : (tensor<100x100xi64>, tensor<i64>, tensor<i64>) -> tensor<1x1xi64>
        %44 = stablehlo.reshape %43 : (tensor<1x1xi64>) -> tensor<i64>
        %45 = stablehlo.add %28, %44 : tensor<i64>
        %46 = stablehlo.constant dense<1> : tensor<i64>
        %47 = stablehlo.subtract %c7_0, %46 : tensor<i64>
        %48 = stablehlo.constant dense<1> : tensor<i64>
        %49 = stablehlo.compare GE, %c7_0, %48 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %50 = stablehlo.constant dense<100> : tensor<i64>
        %51 = stablehlo.compare LE, %c7_0, %50 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %52 = stablehlo.and %49, %51 : tensor<i1>
        "weft.check"(%52, %c7_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %53 = stablehlo.constant dense<1> : tensor<i64>
        %54 = stablehlo.subtract %c11_0, %53 : tensor<i64>
        %55 = stablehlo.constant dense<1> : tensor<i64>
        %56 = stablehlo.compare GE, %c11_0, %55 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %57 = stablehlo.constant dense<100> : tensor<i64>
        %58 = stablehlo.compare LE, %c11_0, %57 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %59 = stablehlo.and %56, %58 : tensor<i1>
        "weft.check"(%59, %c11_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %60 = stablehlo.dynamic_slice %c11_1, %47, %54, sizes = [1, 1] : (tensor<100x100xi64>, tensor<i64>, tensor<i64>) -> tensor<1x1xi64>
        %61 = stablehlo.reshape %60 : (tensor<1x1xi64>) -> tensor<i64>
        %62 = stablehlo.compare LT, %45, %61 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %w63:1 = "stablehlo.if"(%62) ({
          %64 = stablehlo.constant dense<1> : tensor<i64>
          %65 = stablehlo.subtract %c7_0, %64 : tensor<i64>
          %66 = stablehlo.constant dense<1> : tensor<i64>
          %67 = stablehlo.compare GE, %c7_0, %66 : (tensor<i64>, tensor<i64>) -> tensor<i1>
          %68 = stablehlo.constant dense<100> : tensor<i64>
          %69 = stablehlo.compare LE, %c7_0, %68 : (tensor<i64>, tensor<i64>) -> tensor<i1>
          %70 = stablehlo.and %67, %69 : tensor<i1>
          "weft.check"(%70, %c7_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
          %71 = stablehlo.constant dense<1> : tensor<i64>
          %72 = stablehlo.subtract %c11_0, %71 : tensor<i64>
          %73 = stablehlo.constant dense<1> : tensor<i64>
          %74 = stablehlo.compare GE, %c11_0, %73 : (tensor<i64>, tensor<i64>) -> tensor<i1>
          %75 = stablehlo.constant dense<100> : tensor<i64>
          %76 = stablehlo.compare LE, %c11_0, %75 : (tensor<i64>, tensor<i64>) -> tensor<i1>
          %77 = stablehlo.and %74, %76 : tensor<i1>
          "weft.check"(%77, %c11_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
          %78 = stablehlo.reshape %45 : (tensor<i64>) -> tensor<1x1xi64>
          %79 = stablehlo.dynamic_update_slice %c11_1, %78, %65, %72 : (tensor<100x100xi64>, tensor<1x1xi64>, tensor<i64>, tensor<i64>) -> tensor<100x100xi64>
          stablehlo.return %79 : tensor<100x100xi64>
        }, {
          stablehlo.return %c11_1 : tensor<100x100xi64>
        }) : (tensor<i1>) -> (tensor<100x100xi64>)
        %80 = stablehlo.constant dense<1> : tensor<i64>
        %81 = stablehlo.add %c11_0, %80 : tensor<i64>
        stablehlo.return %81, %w63#0 : tensor<i64>, tensor<100x100xi64>
      }
      %82 = stablehlo.constant dense<1> : tensor<i64>
      %83 = stablehlo.add %c7_0, %82 : tensor<i64>
      stablehlo.return %83, %w11#1 : tensor<i64>, tensor<100x100xi64>
    }
    %84 = stablehlo.constant dense<1> : tensor<i64>
    %85 = stablehlo.add %c3_0, %84 : tensor<i64>
    stablehlo.return %85, %w7#1 : tensor<i64>, tensor<100x100xi64>
  }
  return %w3#1 : tensor<100x100xi64>
}
