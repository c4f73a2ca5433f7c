func.func @main(%a0: tensor<120x120xf64>) -> (tensor<120x120xf64>) {
  %1 = stablehlo.constant dense<120> : tensor<i64>
  %2 = stablehlo.constant dense<1> : tensor<i64>
  %w3:2 = stablehlo.while(%c3_0 = %2, %c3_1 = %a0) : tensor<i64>, tensor<120x120xf64>
  cond {
    %4 = stablehlo.compare LE, %c3_0, %1 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  } do {
    %5 = stablehlo.constant dense<1> : tensor<i64>
    %6 = stablehlo.add %c3_0, %5 : tensor<i64>
    %w7:2 = stablehlo.while(%c7_0 = %6, %c7_1 = %c3_1) : tensor<i64>, tensor<120x120xf64>
    cond {
      %8 = stablehlo.constant dense<120> : tensor<i64>
      %9 = stablehlo.compare LE, %c7_0, %8 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    } do {
      %10 = stablehlo.constant dense<1> : tensor<i64>
      %11 = stablehlo.add %c7_0, %10 : tensor<i64>
      %12 = stablehlo.constant dense<1> : tensor<i64>
      %13 = stablehlo.subtract %c3_0, %12 : tensor<i64>
      %14 = stablehlo.constant dense<1> : tensor<i64>
      %15 = stablehlo.compare GE, %c3_0, %14 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %16 = stablehlo.constant dense<120> : tensor<i64>
      %17 = stablehlo.compare LE, %c3_0, %16 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %18 = stablehlo.and %15, %17 : tensor<i1>
      "weft.check"(%18, %c3_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
      %19 = stablehlo.constant dense<1> : tensor<i64>
      %20 = stablehlo.subtract %c7_0, %19 : tensor<i64>
      %21 = stablehlo.constant dense<1> : tensor<i64>
      %22 = stablehlo.compare GE, %c7_0, %21 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %23 = stablehlo.constant dense<120> : tensor<i64>
      %24 = stablehlo.compare LE, %c7_0, %23 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %25 = stablehlo.and %22, %24 : tensor<i1>
      "weft.check"(%25, %c7_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
      %26 = stablehlo.dynamic_slice %c7_1, %13, %20, sizes = [1, 1] : (tensor<120x120xf64>, tensor<i64>, tensor<i64>) -> tensor<1x1xf64>
      %27 = stablehlo.reshape %26 : (tensor<1x1xf64>) -> tensor<f64>
      %28 = stablehlo.constant dense<1> : tensor<i64>
      %29 = stablehlo.subtract %c3_0, %28 : tensor<i64>
      %30 = stablehlo.constant dense<1> : tensor<i64>
      %31 = stablehlo.compare GE, %c3_0, %30 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %32 = stablehlo.constant dense<120> : tensor<i64>
      %33 = stablehlo.compare LE, %c3_0, %32 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %34 = stablehlo.and %31, %33 : tensor<i1>
      "weft.check"(%34, %c3_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
      %35 = stablehlo.constant dense<1> : tensor<i64>
      %36 = stablehlo.subtract %c3_0, %35 : tensor<i64>
      %37 = stablehlo.constant dense<1> : tensor<i64>
      %38 = stablehlo.compare GE, %c3_0, %37 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %39 = stablehlo.constant dense<120> : tensor<i64>
      %40 = stablehlo.compare LE, %c3_0, %39 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %41 = stablehlo.and %38, %40 : tensor<i1>
      "weft.check"(%41, %c3_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
      %42 = stablehlo.dynamic_slice %c7_1, %29, %36, sizes = [1, 1] : (tensor<120x120xf64>, tensor<i64>, tensor<i64>) -> tensor<1x1xf64>
      %43 = stablehlo.reshape %42 : (tensor<1x1xf64>) -> tensor<f64>
      %44 = stablehlo.divide %27, %43 : tensor<f64>
      %45 = stablehlo.constant dense<1> : tensor<i64>
      %46 = stablehlo.subtract %c3_0, %45 : tensor<i64>
      %47 = stablehlo.constant dense<1> : tensor<i64>
      %48 = stablehlo.compare GE, %c3_0, %47 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %49 = stablehlo.constant dense<120> : tensor<i64>
      %50 = stablehlo.compare LE, %c3_0, %49 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %51 = stablehlo.and %48, %50 : tensor<i1>
      "weft.check"(%51, %c3_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
      %52 = stablehlo.constant dense<1> : tensor<i64>
      %53 = stablehlo.subtract %c7_0, %52 : tensor<i64>
      %54 = stablehlo.constant dense<1> : tensor<i64>
      %55 = stablehlo.compare GE, %c7_0, %54 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %56 = stablehlo.constant dense<120> : tensor<i64>
      %57 = stablehlo.compare LE, %c7_0, %56 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %58 = stablehlo.and %55, %57 : tensor<i1>
      "weft.check"(%58, %c7_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
      %59 = stablehlo.reshape %44 : (tensor<f64>) -> tensor<1x1xf64>
      %60 = stablehlo.dynamic_update_slice %c7_1, %59, %46, %53 : (tensor<120x120xf64>, tensor<1x1xf64>, tensor<i64>, tensor<i64>) -> tensor<120x120xf64>
      stablehlo.return %11, %60 : tensor<i64>, tensor<120x120xf64>
    }
    %61 = stablehlo.constant dense<1> : tensor<i64>
    %62 = stablehlo.add %c3_0, %61 : tensor<i64>
    %w63:2 = stablehlo.while(%c63_0 = %62, %c63_1 = %w7#1) : tensor<i64>, tensor<120x120xf64>
    cond {
      %64 = stablehlo.constant dense<120> : tensor<i64>
      %65 = stablehlo.compare LE, %c63_0, %64 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %65 : tensor<i1>
    } do {
      %66 = stablehlo.constant dense<1> : tensor<i64>
      %67 = stablehlo.add %c63_0, %66 : tensor<i64>
      %68 = stablehlo.constant dense<1> : tensor<i64>
      %69 = stablehlo.subtract %c63_0, %68 : tensor<i64>
      %70 = stablehlo.constant dense<1> : tensor<i64>
      %71 = stablehlo.compare GE, %c63_0, %70 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %72 = stablehlo.constant dense<120> : tensor<i64>
      %73 = stablehlo.compare LE, %c63_0, %72 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %74 = stablehlo.and %71, %73 : tensor<i1>
      "weft.check"(%74, %c63_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
      %75 = stablehlo.constant dense<1> : tensor<i64>
      %76 = stablehlo.subtract %c3_0, %75 : tensor<i64>
      %77 = stablehlo.constant dense<1> : tensor<i64>
      %78 = stablehlo.compare GE, %c3_0, %77 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %79 = stablehlo.constant dense<120> : tensor<i64>
      %80 = stablehlo.compare LE, %c3_0, %79 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %81 = stablehlo.and %78, %80 : tensor<i1>
      "weft.check"(%81, %c3_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
      %82 = stablehlo.dynamic_slice %c63_1, %69, %76, sizes = [1, 1] : (tensor<120x120xf64>, tensor<i64>, tensor<i64>) -> tensor<1x1xf64>
      %83 = stablehlo.reshape %82 : (tensor<1x1xf64>) -> tensor<f64>
      %84 = stablehlo.constant dense<1> : tensor<i64>
      %85 = stablehlo.add %c3_0, %84 : tensor<i64>
      %w86:2 = stablehlo.while(%c86_0 = %85, %c86_1 = %c63_1) : tensor<i64>, tensor<120x120xf64>
      cond {
        %87 = stablehlo.constant dense<120> : tensor<i64>
        %88 = stablehlo.compare LE, %c86_0, %87 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        stablehlo.return %88 : tensor<i1>
      } do {
        %89 = stablehlo.constant dense<1> : tensor<i64>
        %90 = stablehlo.add %c86_0, %89 : tensor<i64>
        %91 = stablehlo.constant dense<1> : tensor<i64>
        %92 = stablehlo.subtract %c63_0, %91 : tensor<i64>
        %93 = stablehlo.constant dense<1> : tensor<i64>
        %94 = stablehlo.compare GE, %c63_0, %93 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %95 = stablehlo.constant dense<120> : tensor<i64>
        %96 = stablehlo.compare LE, %c63_0, %95 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %97 = stablehlo.and %94, %96 : tensor<i1>
        "weft.check"(%97, %c63_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %98 = stablehlo.constant dense<1> : tensor<i64>
        %99 = stablehlo.subtract %c86_0, %98 : tensor<i64>
        %100 = stablehlo.constant dense<1> : tensor<i64>
        %101 = stablehlo.compare GE, %c86_0, %100 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %102 = stablehlo.constant dense<120> : tensor<i64>
        %103 = stablehlo.compare LE, %c86_0, %102 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %104 = stablehlo.and %101, %103 : tensor<i1>
        "weft.check"(%104, %c86_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %105 = stablehlo.dynamic_slice %c86_1, %92, %99, sizes = [1, 1] : (tensor<120x120xf64>, tensor<i64>, tensor<i64>) -> tensor<1x1xf64>
        %106 = stablehlo.reshape %105 : (tensor<1x1xf64>) -> tensor<f64>
        %107 = stablehlo.constant dense<1> : tensor<i64>
        %108 = stablehlo.subtract %c3_0, %107 : tensor<i64>
        %109 = stablehlo.constant dense<1> : tensor<i64>
        %110 = stablehlo.compare GE, %c3_0, %109 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %111 = stablehlo.constant dense<120> : tensor<i64>
        %112 = stablehlo.compare LE, %c3_0, %111 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %113 = stablehlo.and %110, %112 : tensor<i1>
        "weft.check"(%113, %c3_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %114 = stablehlo.constant dense<1> : tensor<i64>
        %115 = stablehlo.subtract %c86_0, %114 : tensor<i64>
        %116 = stablehlo.constant dense<1> : tensor<i64>
        %117 = stablehlo.compare GE, %c86_0, %116 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %118 = stablehlo.constant dense<120> : tensor<i64>
        %119 = stablehlo.compare LE, %c86_0, %118 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %120 = stablehlo.and %117, %119 : tensor<i1>
        "weft.check"(%120, %c86_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %121 = stablehlo.dynamic_slice %c86_1, %108, %115, sizes = [1, 1] : (tensor<120x120xf64>, tensor<i64>, tensor<i64>) -> tensor<1x1xf64>
        %122 = stablehlo.reshape %121 : (tensor<1x1xf64>) -> tensor<f64>
        %123 = stablehlo.multiply %122, %83 : tensor<f64>
        %124 = stablehlo.subtract %106, %123 : tensor<f64>
        %125 = stablehlo.constant dense<1> : tensor<i64>
        %126 = stablehlo.subtract %c63_0, %125 : tensor<i64>
        %127 = stablehlo.constant dense<1> : tensor<i64>
        %128 = stablehlo.compare GE, %c63_0, %127 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %129 = stablehlo.constant dense<120> : tensor<i64>
        %130 = stablehlo.compare LE, %c63_0, %129 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %131 = stablehlo.and %128, %130 : tensor<i1>
        "weft.check"(%131, %c63_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %132 = stablehlo.constant dense<1> : tensor<i64>
        %133 = stablehlo.subtract %c86_0, %132 : tensor<i64>
        %134 = stablehlo.constant dense<1> : tensor<i64>
        %135 = stablehlo.compare GE, %c86_0, %134 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %136 = stablehlo.constant dense<120> : tensor<i64>
        %137 = stablehlo.compare LE, %c86_0, %136 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %138 = stablehlo.and %135, %137 : tensor<i1>
        "weft.check"(%138, %c86_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %139 = stablehlo.reshape %124 : (tensor<f64>) -> tensor<1x1xf64>
        %140 = stablehlo.dynamic_update_slice %c86_1, %139, %126, %133 : (tensor<120x120xf64>, tensor<1x1xf64>, tensor<i64>, tensor<i64>) -> tensor<120x120xf64>
        stablehlo.return %90, %140 : tensor<i64>, tensor<120x120xf64>
      }
      stablehlo.return %67, %w86#1 : tensor<i64>, tensor<120x120xf64>
    }
    %141 = stablehlo.constant dense<1> : tensor<i64>
    %142 = stablehlo.add %c3_0, %141 : tensor<i64>
    stablehlo.return %142, %w63#1 : tensor<i64>, tensor<120x120xf64>
  }
  return %w3#1 : tensor<120x120xf64>
}
