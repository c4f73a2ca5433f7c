func.func @main(%a0: tensor<i64>, %a1: tensor<128x128xf64>) -> (tensor<128x128xf64>) {
  %1 = stablehlo.constant dense<1> : tensor<i64>
  %w2:3 = stablehlo.while(%c2_0 = %1, %c2_1 = %a1, %c2_2 = %a1) : tensor<i64>, tensor<128x128xf64>, tensor<128x128xf64>
  cond {
    %3 = stablehlo.compare LE, %c2_0, %a0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  } do {
    %4 = stablehlo.constant dense<127> : tensor<i64>
    %5 = stablehlo.constant dense<2> : tensor<i64>
    %w6:2 = stablehlo.while(%c6_0 = %5, %c6_1 = %c2_2) : tensor<i64>, tensor<128x128xf64>
    cond {
      %7 = stablehlo.compare LE, %c6_0, %4 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %8 = stablehlo.constant dense<127> : tensor<i64>
      %9 = stablehlo.constant dense<2> : tensor<i64>
      %w10:2 = stablehlo.while(%c10_0 = %9, %c10_1 = %c6_1) : tensor<i64>, tensor<128x128xf64>
      cond {
        %11 = stablehlo.compare LE, %c10_0, %8 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        stablehlo.return %11 : tensor<i1>
      } do {
        %12 = stablehlo.constant dense<1> : tensor<i64>
        %13 = stablehlo.subtract %c6_0, %12 : tensor<i64>
        %14 = stablehlo.constant dense<1> : tensor<i64>
        %15 = stablehlo.compare GE, %c6_0, %14 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %16 = stablehlo.constant dense<128> : tensor<i64>
        %17 = stablehlo.compare LE, %c6_0, %16 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %18 = stablehlo.and %15, %17 : tensor<i1>
        "weft.check"(%18, %c6_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %19 = stablehlo.constant dense<1> : tensor<i64>
        %20 = stablehlo.subtract %c10_0, %19 : tensor<i64>
        %21 = stablehlo.constant dense<1> : tensor<i64>
        %22 = stablehlo.compare GE, %c10_0, %21 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %23 = stablehlo.constant dense<128> : tensor<i64>
        %24 = stablehlo.compare LE, %c10_0, %23 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %25 = stablehlo.and %22, %24 : tensor<i1>
        "weft.check"(%25, %c10_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %26 = stablehlo.dynamic_slice %c2_1, %13, %20, sizes = [1, 1] : (tensor<128x128xf64>, tensor<i64>, tensor<i64>) -> tensor<1x1xf64>
        %27 = stablehlo.reshape %26 : (tensor<1x1xf64>) -> tensor<f64>
        %28 = stablehlo.constant dense<1> : tensor<i64>
        %29 = stablehlo.subtract %c10_0, %28 : tensor<i64>
        %30 = stablehlo.constant dense<1> : tensor<i64>
        %31 = stablehlo.subtract %c6_0, %30 : tensor<i64>
        %32 = stablehlo.constant dense<1> : tensor<i64>
        %33 = stablehlo.compare GE, %c6_0, %32 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %34 = stablehlo.constant dense<128> : tensor<i64>
        %35 = stablehlo.compare LE, %c6_0, %34 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %36 = stablehlo.and %33, %35 : tensor<i1>
        "weft.check"(%36, %c6_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %37 = stablehlo.constant dense<1> : tensor<i64>
        %38 = stablehlo.subtract %29, %37 : tensor<i64>
        %39 = stablehlo.constant dense<1> : tensor<i64>
        %40 = stablehlo.compare GE, %29, %39 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %41 = stablehlo.constant dense<128> : tensor<i64>
        %42 = stablehlo.compare LE, %29, %41 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %43 = stablehlo.and %40, %42 : tensor<i1>
        "weft.check"(%43, %29) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %44 = stablehlo.dynamic_slice %c2_1, %31, %38, sizes = [1, 1] : (tensor<128x128xf64>, tensor<i64>, tensor<i64>) -> tensor<1x1xf64>
        %45 = stablehlo.reshape %44 : (tensor<1x1xf64>) -> tensor<f64>
        %46 = stablehlo.constant dense<1> : tensor<i64>
        %47 = stablehlo.add %c10_0, %46 : tensor<i64>
        %48 = stablehlo.constant dense<1> : tensor<i64>
        %49 = stablehlo.subtract %c6_0, %48 : tensor<i64>
        %50 = stablehlo.constant dense<1> : tensor<i64>
        %51 = stablehlo.compare GE, %c6_0, %50 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %52 = stablehlo.constant dense<128> : tensor<i64>
        %53 = stablehlo.compare LE, %c6_0, %52 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %54 = stablehlo.and %51, %53 : tensor<i1>
        "weft.check"(%54, %c6_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %55 = stablehlo.constant dense<1> : tensor<i64>
        %56 = stablehlo.subtract %47, %55 : tensor<i64>
        %57 = stablehlo.constant dense<1> : tensor<i64>
        %58 = stablehlo.compare GE, %47, %57 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %59 = stablehlo.constant dense<128> : tensor<i64>
        %60 = stablehlo.compare LE, %47, %59 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %61 = stablehlo.and %58, %60 : tensor<i1>
        "weft.check"(%61, %47) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %62 = stablehlo.dynamic_slice %c2_1, %49, %56, sizes = [1, 1] : (tensor<128x128xf64>, tensor<i64>, tensor<i64>) -> tensor<1x1xf64>
        %63 = stablehlo.reshape %62 : (tensor<1x1xf64>) -> tensor<f64>
        %64 = stablehlo.add %45, %63 : tensor<f64>
        %65 = stablehlo.constant dense<1> : tensor<i64>
        %66 = stablehlo.subtract %c6_0, %65 : tensor<i64>
        %67 = stablehlo.constant dense<1> : tensor<i64>
        %68 = stablehlo.subtract %66, %67 : tensor<i64>
        %69 = stablehlo.constant dense<1> : tensor<i64>
        %70 = stablehlo.compare GE, %66, %69 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %71 = stablehlo.constant dense<128> : tensor<i64>
        %72 = stablehlo.compare LE, %66, %71 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %73 = stablehlo.and %70, %72 : tensor<i1>
        "weft.check"(%73, %66) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %74 = stablehlo.constant dense<1> : tensor<i64>
        %75 = stablehlo.subtract %c10_0, %74 : tensor<i64>
        %76 = stablehlo.constant dense<1> : tensor<i64>
        %77 = stablehlo.compare GE, %c10_0, %76 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %78 = stablehlo.constant dense<128> : tensor<i64>
        %79 = stablehlo.compare LE, %c10_0, %78 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %80 = stablehlo.and %77, %79 : tensor<i1>
        "weft.check"(%80, %c10_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %81 = stablehlo.dynamic_slice %c2_1, %68, %75, sizes = [1, 1] : (tensor<128x128xf64>, tensor<i64>, tensor<i64>) -> tensor<1x1xf64>
        %82 = stablehlo.reshape %81 : (tensor<1x1xf64>) -> tensor<f64>
        %83 = stablehlo.add %64, %82 : tensor<f64>
        %84 = stablehlo.constant dense<1> : tensor<i64>
        %85 = stablehlo.add %c6_0, %84 : tensor<i64>
        %86 = stablehlo.constant dense<1> : tensor<i64>
        %87 = stablehlo.subtract %85, %86 : tensor<i64>
        %88 = stablehlo.constant dense<1> : tensor<i64>
        %89 = stablehlo.compare GE, %85, %88 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %90 = stablehlo.constant dense<128> : tensor<i64>
        %91 = stablehlo.compare LE, %85, %90 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %92 = stablehlo.and %89, %91 : tensor<i1>
        "weft.check"(%92, %85) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %93 = stablehlo.constant dense<1> : tensor<i64>
        %94 = stablehlo.subtract %c10_0, %93 : tensor<i64>
        %95 = stablehlo.constant dense<1> : tensor<i64>
        %96 = stablehlo.compare GE, %c10_0, %95 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %97 = stablehlo.constant dense<128> : tensor<i64>
        %98 = stablehlo.compare LE, %c10_0, %97 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %99 = stablehlo.and %96, %98 : tensor<i1>
        "weft.check"(%99, %c10_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %100 = stablehlo.dynamic_slice %c2_1, %87, %94, sizes = [1, 1] : (tensor<128x128xf64>, tensor<i64>, tensor<i64>) -> tensor<1x1xf64>
        %101 = stablehlo.reshape %100 : (tensor<1x1xf64>) -> tensor<f64>
        %102 = stablehlo.add %83, %101 : tensor<f64>
        %103 = stablehlo.constant dense<4.0> : tensor<f64>
        %104 = stablehlo.multiply %103, %27 : tensor<f64>
        %105 = stablehlo.subtract %102, %104 : tensor<f64>
        %106 = stablehlo.constant dense<0.1> : tensor<f64>
        %107 = stablehlo.multiply %106, %105 : tensor<f64>
        %108 = stablehlo.add %27, %107 : tensor<f64>
        %109 = stablehlo.constant dense<1> : tensor<i64>
        %110 = stablehlo.subtract %c6_0, %109 : tensor<i64>
        %111 = stablehlo.constant dense<1> : tensor<i64>
        %112 = stablehlo.compare GE, %c6_0, %111 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %113 = stablehlo.constant dense<128> : tensor<i64>
        %114 = stablehlo.compare LE, %c6_0, %113 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %115 = stablehlo.and %112, %114 : tensor<i1>
        "weft.check"(%115, %c6_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %116 = stablehlo.constant dense<1> : tensor<i64>
        %117 = stablehlo.subtract %c10_0, %116 : tensor<i64>
        %118 = stablehlo.constant dense<1> : tensor<i64>
        %119 = stablehlo.compare GE, %c10_0, %118 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %120 = stablehlo.constant dense<128> : tensor<i64>
        %121 = stablehlo.compare LE, %c10_0, %120 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %122 = stablehlo.and %119, %121 : tensor<i1>
        "weft.check"(%122, %c10_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %123 = stablehlo.reshape %108 : (tensor<f64>) -> tensor<1x1xf64>
        %124 = stablehlo.dynamic_update_slice %c10_1, %123, %110, %117 : (tensor<128x128xf64>, tensor<1x1xf64>, tensor<i64>, tensor<i64>) -> tensor<128x128xf64>
        %125 = stablehlo.constant dense<1> : tensor<i64>
        %126 = stablehlo.add %c10_0, %125 : tensor<i64>
        stablehlo.return %126, %124 : tensor<i64>, tensor<128x128xf64>
      }
      %127 = stablehlo.constant dense<1> : tensor<i64>
      %128 = stablehlo.add %c6_0, %127 : tensor<i64>
      stablehlo.return %128, %w10#1 : tensor<i64>, tensor<128x128xf64>
    }
    %129 = stablehlo.constant dense<1> : tensor<i64>
    %130 = stablehlo.add %c2_0, %129 : tensor<i64>
    stablehlo.return %130, %w6#1, %c2_1 : tensor<i64>, tensor<128x128xf64>, tensor<128x128xf64>
  }
  return %w2#1 : tensor<128x128xf64>
}
