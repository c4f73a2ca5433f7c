"""How each public program is run and what makes its end the right one.

A recipe is a dictionary:
  args      words for ARGS
  output    the exact text it prints; output_of: a file of its repository that holds it
  says      a text that it must print
  replace   (old, new) pairs that make a benchmark's size fit an interpreter
  cut       (file, text) pairs: the file ends before the text
  stubs     files of stubs/ that stand in for packages that only draw or measure
  files     files of the same repository that it is included together with, in order (default: itself)
  module    the package's name: what of it is included lies in a module of that name
  prelude   Julia in front of the files, inside the module
  tests     files of the repository with its own tests, run afterwards; testsets: only those of these names
  check     Julia of ours, run afterwards: assertions from closed forms or other sources
"""

BENCH = "KristofferC/BenchmarksGame.jl"
ARCHIVE = "algorithm-archivists/algorithm-archive"
ALGORITHMS = "TheAlgorithms/Julia"
BEAUTIFUL = "mossr/BeautifulAlgorithms.jl"
GEO = "eth-vaw-glaciology/course-101-0250-00"
QUANT = "QuantEcon/QuantEcon.jl"
ITERATIVE = "JuliaLinearAlgebra/IterativeSolvers.jl"

# What asks whether it is the program, and here is included.
IS_MAIN = ("abspath(PROGRAM_FILE) == @__FILE__", "true")

RECIPES = {
    # The verified outputs of the benchmarks game: n is the one of the output file.
    (BENCH, "nbody/nbody.jl"): dict(args=["1000"], output_of="nbody/nbody-output.txt"),
    (BENCH, "nbody/nbody-fast.jl"): dict(args=["1000"], output_of="nbody/nbody-output.txt"),
    (BENCH, "spectralnorm/spectralnorm.jl"): dict(args=["100"], output_of="spectralnorm/spectralnorm-output.txt"),
    (BENCH, "spectralnorm/spectralnorm-fast.jl"): dict(args=["100"],
                                                       output_of="spectralnorm/spectralnorm-output.txt"),
    (BENCH, "mandelbrot/mandelbrot.jl"): dict(args=["200"], output_of="mandelbrot/mandelbrot-output.txt"),
    (BENCH, "fannkuchredux/fannkuchredux.jl"): dict(args=["7"],
                                                    output_of="fannkuchredux/fannkuchredux-output.txt"),
    (BENCH, "fasta/fasta.jl"): dict(args=["1000"], output_of="fasta/fasta-output.txt"),
    # The known number of solutions of eight queens.
    ("attractivechaos/plb2", "src/julia/nqueen.jl"): dict(replace=[("nq_solve(15)", "nq_solve(8)")], output="92\n"),
    # sum over k of a[i,k] a[k,j] with a[i,j] = (i-j)(i+j-2)/n²: worked out in exact fractions for n = 60.
    ("attractivechaos/plb2", "src/julia/matmul.jl"): dict(replace=[("n = 1500", "n = 60")], matmul=60),
    ("attractivechaos/plb2", "src/julia/sudoku.jl"): dict(replace=[("main(200)", "main(1)")], sudoku=True),
    # They assert known values before they measure.
    ("kostya/benchmarks", "matmul/matmul.jl"): dict(args=["20"], says="time: ", stubs=["Sockets"], replace=[IS_MAIN]),
    ("kostya/benchmarks", "matmul/matmul-native.jl"): dict(
        args=["20"], says="time: ", stubs=["Sockets"], replace=[IS_MAIN]),
    ("kostya/benchmarks", "primes/primes.jl"): dict(
        stubs=["Sockets"], replace=[("5_000_000", "400_000"), IS_MAIN], prefix_primes=(400_000, "32338")),
    # They validate themselves.
    **{("ParRes/Kernels", f"JULIA/{name}.jl"): dict(args=args.split(), says="Solution validates")
       for name, args in [("stencil", "5 40"), ("transpose", "5 40"), ("transpose-pretty", "5 40"), ("nstream", "5 1000"),
                          ("dgemm", "2 20"), ("p2p", "5 40 40")]},
    ("mitmath/18337", "lecture7/LorenzManyWays.jl"): dict(
        stubs=["BenchmarkTools", "StaticArrays"], replace=[("@btime ", ""), ("@SVector", "")],
        check="""
a = solve_system_save(lorenz, [1.0, 0.0, 0.0], p, 100)
b = solve_system_save_matrix(lorenz, [1.0, 0.0, 0.0], p, 100)
@assert reduce(hcat, a) == b
# The first two steps by hand: u + α f(u).
@assert a[2] ≈ [1 - 0.02 * 10, 0.02 * 28, 0.0]
"""),

    # linear algebra, checked by residuals
    (ARCHIVE, "contents/gaussian_elimination/code/julia/gaussian_elimination.jl"): dict(check="""
A = [2.0 3 4 6; 1 2 3 4; 3 -4 0 10]
B = copy(A)
gaussian_elimination!(B)
x = back_substitution(B)
@assert A[:, 1:3] * x ≈ A[:, 4]
gauss_jordan_elimination!(B)
@assert B[:, 1:3] ≈ [1 0 0; 0 1 0; 0 0 1] && B[:, 4] ≈ x
"""),
    (ARCHIVE, "contents/thomas_algorithm/code/julia/thomas.jl"): dict(says="Has the solution:", check="""
x = thomas([0.0, 2.0, 3.0], [1.0, 3.0, 6.0], [4.0, 5.0, 0.0], [7.0, 5.0, 3.0], 3)
@assert [1 4 0; 2 3 5; 0 3 6] * x ≈ [7, 5, 3]
"""),
    (ARCHIVE, "contents/cooley_tukey/code/julia/fft.jl"): dict(
        stubs=["FFTW"], says="Iterative Cooley Tukey matches fft() from FFTW package."),
    (ARCHIVE, "contents/convolutions/1d/code/julia/1d_convolution.jl"): dict(check="""
# Coefficients of (1 + 2x + 3x²)(4 + 5x) and its reduction modulo x³ - 1.
@assert convolve_linear([1.0, 2, 3], [4.0, 5, 0], 5) ≈ [4, 13, 22, 15, 0]
@assert isfile("full_linear.dat") || (main(); isfile("full_linear.dat"))
"""),
    (ARCHIVE, "contents/convolutions/2d/code/julia/2d_convolution.jl"): dict(check="""
k = create_gaussian_kernel(3)
@assert size(k) == (3, 3) && k ≈ k' && sum(k .^ 2) ≈ 1
delta = zeros(3, 3); delta[2, 2] = 1
@assert size(convolve_linear(delta, k, (5, 5))) == (5, 5)
"""),
    (ARCHIVE, "contents/verlet_integration/code/julia/verlet.jl"): dict(check="""
# Free fall from 5 at -10 takes one second and ends at speed -10.
t, v = velocity_verlet(5.0, -10.0, 0.01)
@assert abs(t - 1) < 0.02 && abs(v + 10) < 0.2
@assert abs(verlet(5.0, -10.0, 0.01) - 1) < 0.02
"""),
    (ARCHIVE, "contents/split-operator_method/code/julia/split_op.jl"): dict(
        stubs=["FFTW"], replace=[("256, 0.05, 100", "64, 0.05, 100")], says="Energy is: "),
    (ARCHIVE, "contents/monte_carlo_integration/code/julia/monte_carlo.jl"): dict(
        replace=[("monte_carlo(10000000)", "monte_carlo(100000)")], says="The pi estimate is: ",
        check="@assert abs(pi_estimate - pi) < 0.03\n"),
    (ARCHIVE, "contents/box_muller/code/julia/box_muller.jl"): dict(says="Test Summary:", check="main(10000)\n"),
    (ARCHIVE, "contents/barnsley/code/julia/barnsley.jl"): dict(
        replace=[("chaos_game(10000", "chaos_game(1000")], check="""
# The fern lies in this box.
@assert size(output_points) == (1000, 2)
@assert all(-3 .< output_points[:, 1] .< 3) && all(-0.1 .< output_points[:, 2] .< 10.1)
"""),
    (ARCHIVE, "contents/approximate_counting/code/julia/approximate_counting.jl"): dict(
        replace=[("(100, 222222", "(10, 2222"), ("(100, 12345", "(20, 1234")], says="passed"),
    (ARCHIVE, "contents/flood_fill/code/julia/flood_fill.jl"): dict(stubs=["DataStructures"], says="Test Summary"),
    (ARCHIVE, "contents/jarvis_march/code/julia/jarvis.jl"): dict(check="""
hull = jarvis_march([Pos(2, 1.5), Pos(1, 1), Pos(2, 4), Pos(3, 1)])
@assert length(unique(hull)) == 3 && !(Pos(2, 1.5) in hull)
"""),

    # Its tests lie together in a few files.
    **{(ALGORITHMS, f"src/{path}.jl"): dict(tests=[f"test/{path.split('/')[0]}.jl"], testsets=[name], prelude=prelude)
       for path, name, prelude in [
           ("math/riemann_integration", "Math: Riemann Sum Integration", ""),
           ("math/runge_kutta_integration", "Math: Runge_Kutta Integration", ""),
           ("math/euler_method", "Math: Euler Method", ""),
           ("math/simpsons_integration", "Math: Simpson's Integration", ""),
           ("math/trapezoid_integration", "Math: Trapezoid Integration", ""),
           ("matrix/lu_decompose", "Matrix: LU Decompose", ""),
           ("matrix/rotation_matrix", "Matrix: rotation matrix", ""),
           ("statistics/pearson_correlation", "Statistics: Pearson Correlation", "")]},
    (ALGORITHMS, "src/matrix/determinant.jl"): dict(
        files=["src/matrix/lu_decompose.jl", "src/matrix/determinant.jl"], tests=["test/matrix.jl"],
        testsets=["Matrix: Determinant"], prelude="using LinearAlgebra\n"),
    (ALGORITHMS, "src/matrix/gauss_jordan_elim.jl"): dict(
        files=["src/matrix/lu_decompose.jl", "src/matrix/determinant.jl", "src/matrix/gauss_jordan_elim.jl"],
        tests=["test/matrix.jl"], testsets=["Matrix: Gauss-Jordan Elimination"]),
    (ALGORITHMS, "src/machine_learning/linear_regression.jl"): dict(check="""
# y = 2x + 1 without noise.
X = reshape(collect(0.0:0.1:1.0), 1, :)
W, b, history = gradient_descent(zeros(1, 1), 0.0, X, 2 .* X .+ 1, 0.5, 2000)
@assert W[1] ≈ 2 atol = 1e-3
@assert history[end] < 1e-6
"""),

    **{(BEAUTIFUL, f"src/{name}.jl"): dict(tests=[f"test/test_{name}.jl"], module="BeautifulAlgorithms", files=files,
                                         stubs=stubs)
       for name, files, stubs in [
           ("gradient_descent", ["src/loss_functions.jl", "src/gradient_descent.jl"], []),
           ("k_means_clustering", None, []),
           ("multi_layer_neural_network", ["src/loss_functions.jl", "src/neural_network.jl", "src/multi_layer_neural_network.jl"], []),
           ("newtons_method", None, []),
           ("value_iteration", None, []),
           ("logistic_regression", None, ["Distributions"]),
           ("gaussian_process", ["src/gaussian_process_kernels.jl", "src/gaussian_process.jl"], ["Distributions"]),
           ("particle_filter", None, ["Distributions"]),
           ("cross_entropy_method", None, ["Distributions"]),
           ("em_algorithm", None, ["Distributions"])]},
    (BEAUTIFUL, "src/ridge_regression.jl"): dict(
        tests=["test/test_ridge_regression.jl"], prelude="using LinearAlgebra\n", module="BeautifulAlgorithms"),

    # Figures are not drawn; what is computed follows from closed forms.
    **{(GEO, f"scripts/{name}.jl"): dict(stubs=["Plots"], check=check, replace=replace) for name, check, replace in [
        ("l2_diffusion_1D", "diffusion_1D()\n", [("nx   = 200", "nx   = 50")]),
        ("l2_advection_1D", "advection_1D()\n", []),
        ("l3_steady_diffusion_reaction_1D", "steady_diffusion_1D()\n", []),
        ("l4_double_diffusion_1D", "", []),
        ("l6_Pf_diffusion_2D", "", [("nx, ny  = 127, 127", "nx, ny  = 31, 31")])]},

    (QUANT, "src/kalman.jl"): dict(
        module="QuantEcon", files=["src/matrix_eqn.jl", "src/kalman.jl"], tests=["test/test_kalman.jl"],
        prelude="using LinearAlgebra, Statistics, Random\nScalarOrArray{T} = Union{T,Array{T}}\n", export="""
Kalman, set_state!, prior_to_filtered!, filtered_to_forecast!, update!, stationary_values, smooth,
compute_loglikelihood, solve_discrete_riccati"""),
    (QUANT, "src/matrix_eqn.jl"): dict(
        module="QuantEcon", tests=["test/test_matrix_eqn.jl"], prelude="using LinearAlgebra, Statistics\nScalarOrArray{T} = Union{T,Array{T}}\n",
        export="solve_discrete_lyapunov, solve_discrete_riccati"),
    (QUANT, "src/arma.jl"): dict(
        module="QuantEcon", tests=["test/test_arma.jl"], stubs=["DSP", "FFTW"], export="""
ARMA, spectral_density, autocovariance, impulse_response, simulation""",
        prelude="""
using LinearAlgebra, Random
using ..DSP: PolynomialRatio, freqresp
using ..FFTW
ScalarOrArray{T} = Union{T,Array{T}}
"""),
    (QUANT, "src/interp.jl"): dict(
        module="QuantEcon", tests=["test/test_interp.jl"], prelude="import Base: length, ndims\n",
        export="interp, LinInterp"),

    **{(ITERATIVE, f"src/{name}.jl"): dict(
        module="IterativeSolvers", prelude="using LinearAlgebra\n", files=["src/common.jl", "src/orthogonalize.jl", "src/history.jl",
                                          "src/hessenberg.jl", f"src/{name}.jl"], stubs=["RecipesBase"], cut=[("src/history.jl", "@recipe function")], export=call[:call.index("(")],
        check=f"""
using .IterativeSolvers, LinearAlgebra
A = [4.0 1 0 0; 1 4 1 0; 0 1 4 1; 0 0 1 4]
b = [1.0, 2, 3, 4]
x = {call}
@assert norm(A * x - b) < 1e-6 * norm(b)
""") for name, call in [("cg", "cg(A, b)"), ("gmres", "gmres(A, b)"),
                        ("stationary", "jacobi(A, b; maxiter = 100)"),
                        ("chebyshev", "chebyshev(A, b, 2.3, 5.7; maxiter = 100)")]},

    ("milankl/ShallowWaters.jl", "src/gradients.jl"): dict(check="""
u = [Float64(i^2 + 10j) for i in 1:5, j in 1:4]
d = zeros(4, 4); ∂x!(d, u)
@assert d == [2i + 1 for i in 1:4, j in 1:4]
d = zeros(5, 3); ∂y!(d, u)
@assert all(d .== 10)
d = zeros(3, 2); ∇²!(d, u)
@assert all(d .== 2)
"""),
    ("milankl/ShallowWaters.jl", "src/interpolations.jl"): dict(check="""
u = [Float64(i + 10j) for i in 1:5, j in 1:4]
a = zeros(4, 4); Ix!(a, u)
@assert a == [i + 0.5 + 10j for i in 1:4, j in 1:4]
b = zeros(4, 3); Ixy!(b, u)
@assert b == [i + 0.5 + 10j + 5 for i in 1:4, j in 1:3]
"""),
    ("JuliaStats/MultivariateStats.jl", "src/lreg.jl"): dict(
        prelude="using LinearAlgebra\n", check="""
X = [1.0 2; 2 1; 3 5; 4 3; 5 8]
y = X * [2.0, -1] .+ 3
@assert llsq(X, y) ≈ [2, -1, 3]
@assert ridge(X, y, 0.0) ≈ [2, -1, 3]
@assert llsq(permutedims(X), y; dims = 2) ≈ [2, -1, 3]
"""),
    ("maxmouchet/HMMBase.jl", "src/mle.jl"): dict(
        replace=[("@argcheck", "@assert")], prelude="""
using Base: OneTo
using LinearAlgebra
vec_maximum(v) = maximum(v)
abstract type AbstractHMM end
isprobvec(p) = sum(p) ≈ 1
""", check="""
a = zeros(2)
update_a!(a, [0.2 0.6], [0.5 0.5])
@assert a ≈ [0.25, 0.75]
"""),
}
