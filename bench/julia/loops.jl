# Loops as a Julia programmer writes them. build/bench/julia_loops times each beside g++ -O3 on the same work (bench/kernels/julia_loops.h).
using LinearAlgebra, Random, Statistics

# ---- recursion

fib(n) = n < 2 ? n : fib(n - 1) + fib(n - 2)

# ---- sorting in place

function quicksort!(a, lo, hi)
    i, j = lo, hi
    while i < hi
        pivot = a[(lo+hi)>>>1]
        while i <= j
            while a[i] < pivot
                i += 1
            end
            while a[j] > pivot
                j -= 1
            end
            if i <= j
                a[i], a[j] = a[j], a[i]
                i, j = i + 1, j - 1
            end
        end
        lo < j && quicksort!(a, lo, j)
        lo, j = i, hi
    end
    return a
end
quicksorted(a) = quicksort!(copy(a), 1, length(a))

# ---- the Mandelbrot set

function mandel(z)
    c = z
    maxiter = 80
    for n in 1:maxiter
        if abs2(z) > 4
            return n - 1
        end
        z = z^2 + c
    end
    return maxiter
end
mandelbrot() = [mandel(complex(r, i)) for i in -1.0:0.1:1.0, r in -2.0:0.1:0.5]

# ---- a sum

function pisum()
    sum = 0.0
    for j in 1:500
        sum = 0.0
        for k in 1:10000
            sum += 1.0 / (k * k)
        end
    end
    return sum
end

# ---- statistics of random matrices

function randmatstat(t)
    Random.seed!(42)
    n = 5
    v = zeros(t)
    w = zeros(t)
    for i in 1:t
        a = randn(n, n)
        b = randn(n, n)
        c = randn(n, n)
        d = randn(n, n)
        P = [a b c d]
        Q = [a b; c d]
        v[i] = tr((P' * P)^4)
        w[i] = tr((Q' * Q)^4)
    end
    return (std(v) / mean(v), std(w) / mean(w))
end

# ---- a matrix product

function matmul(A, B)
    C = zeros(size(A, 1), size(B, 2))
    for j in axes(B, 2), k in axes(A, 2), i in axes(A, 1)
        C[i, j] += A[i, k] * B[k, j]
    end
    return C
end

# ---- Lorenz' equations by Runge-Kutta

struct Point
    x::Float64
    y::Float64
    z::Float64
end
Base.:+(a::Point, b::Point) = Point(a.x + b.x, a.y + b.y, a.z + b.z)
Base.:*(s::Real, p::Point) = Point(s * p.x, s * p.y, s * p.z)

lorenz(p; σ=10.0, ρ=28.0, β=8 / 3) = Point(σ * (p.y - p.x), p.x * (ρ - p.z) - p.y, p.x * p.y - β * p.z)

function runge_kutta(f, p, h, steps)
    for _ in 1:steps
        k1 = f(p)
        k2 = f(p + h / 2 * k1)
        k3 = f(p + h / 2 * k2)
        k4 = f(p + h * k3)
        p += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    end
    return p
end
lorenz_orbit(steps) = (p = runge_kutta(lorenz, Point(1.0, 1.0, 1.0), 0.01, steps); [p.x, p.y, p.z])

# ---- bodies under gravity

struct Body
    x::Float64
    y::Float64
    z::Float64
    vx::Float64
    vy::Float64
    vz::Float64
    mass::Float64
end

const SOLAR_MASS = 4 * pi^2
const DAYS = 365.24

sun_and_planets() = [
    Body(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, SOLAR_MASS),
    Body(4.84143144246472090, -1.16032004402742839, -1.03622044471123109e-1, 1.66007664274403694e-3 * DAYS,
         7.69901118419740425e-3 * DAYS, -6.90460016972063023e-5 * DAYS, 9.54791938424326609e-4 * SOLAR_MASS),
    Body(8.34336671824457987, 4.12479856412430479, -4.03523417114321381e-1, -2.76742510726411831e-3 * DAYS,
         4.99852801234917238e-3 * DAYS, 2.30417297573763929e-5 * DAYS, 2.85885980666130812e-4 * SOLAR_MASS),
    Body(1.28943695621391310e1, -1.51111514016986312e1, -2.23307578892655734e-1, 2.96460137564761618e-3 * DAYS,
         2.37847173959480950e-3 * DAYS, -2.96589568540237556e-5 * DAYS, 4.36624404335156298e-5 * SOLAR_MASS),
    Body(1.53796971148509165e1, -2.59193146099879641e1, 1.79258772950371181e-1, 2.68067772490389322e-3 * DAYS,
         1.62824170038242295e-3 * DAYS, -9.51592254519715870e-5 * DAYS, 5.15138902046611451e-5 * SOLAR_MASS),
]

pushed(b::Body, dx, dy, dz) = Body(b.x, b.y, b.z, b.vx + dx, b.vy + dy, b.vz + dz, b.mass)
moved(b::Body, dt) = Body(b.x + dt * b.vx, b.y + dt * b.vy, b.z + dt * b.vz, b.vx, b.vy, b.vz, b.mass)

function advance!(bodies, dt)
    n = length(bodies)
    for i in 1:n
        for j in i+1:n
            a, b = bodies[i], bodies[j]
            dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z
            d2 = dx^2 + dy^2 + dz^2
            mag = dt / (d2 * sqrt(d2))
            bodies[i] = pushed(a, -dx * b.mass * mag, -dy * b.mass * mag, -dz * b.mass * mag)
            bodies[j] = pushed(b, dx * a.mass * mag, dy * a.mass * mag, dz * a.mass * mag)
        end
    end
    for i in 1:n
        bodies[i] = moved(bodies[i], dt)
    end
end

function energy(bodies)
    e = 0.0
    for i in 1:length(bodies)
        b = bodies[i]
        e += 0.5 * b.mass * (b.vx^2 + b.vy^2 + b.vz^2)
        for j in i+1:length(bodies)
            c = bodies[j]
            e -= b.mass * c.mass / sqrt((b.x - c.x)^2 + (b.y - c.y)^2 + (b.z - c.z)^2)
        end
    end
    return e
end

function nbody(given, steps)
    bodies = copy(given)
    for _ in 1:steps
        advance!(bodies, 0.01)
    end
    return energy(bodies)
end

# ---- the largest eigenvalue of a matrix without storage

entry(i, j) = 1.0 / ((i + j) * (i + j + 1) ÷ 2 + i + 1)

function multiply!(y, x)
    for i in eachindex(y)
        s = 0.0
        for j in eachindex(x)
            s += entry(i - 1, j - 1) * x[j]
        end
        y[i] = s
    end
end
function multiply_transposed!(y, x)
    for i in eachindex(y)
        s = 0.0
        for j in eachindex(x)
            s += entry(j - 1, i - 1) * x[j]
        end
        y[i] = s
    end
end

function spectral_norm(n)
    u = ones(n)
    v = zeros(n)
    w = zeros(n)
    for _ in 1:10
        multiply!(w, u)
        multiply_transposed!(v, w)
        multiply!(w, v)
        multiply_transposed!(u, w)
    end
    return sqrt(sum(u .* v) / sum(v .* v))
end

# ---- the heat equation on a plate

function heat(plate, steps)
    u, v = copy(plate), copy(plate)
    n, m = size(u)
    for _ in 1:steps
        for j in 2:m-1, i in 2:n-1
            v[i, j] = u[i, j] + 0.1 * (u[i-1, j] + u[i+1, j] + u[i, j-1] + u[i, j+1] - 4 * u[i, j])
        end
        u, v = v, u
    end
    return u
end

# ---- the Game of Life on a torus

function life(cells, steps)
    old, new = copy(cells), similar(cells)
    n, m = size(old)
    for _ in 1:steps
        for j in 1:m
            left = j == 1 ? m : j - 1
            right = j == m ? 1 : j + 1
            for i in 1:n
                up = i == 1 ? n : i - 1
                down = i == n ? 1 : i + 1
                around = old[up, left] + old[i, left] + old[down, left] + old[up, j] + old[down, j] +
                         old[up, right] + old[i, right] + old[down, right]
                new[i, j] = around == 3 || (around == 2 && old[i, j] == 1)
            end
        end
        old, new = new, old
    end
    return old
end

# ---- pi by random points

function monte_carlo(n)
    Random.seed!(7)
    inside = 0
    for _ in 1:n
        x, y = rand(), rand()
        if x^2 + y^2 <= 1
            inside += 1
        end
    end
    return 4 * inside / n
end

# ---- a Kalman filter

function kalman(z, A, Q, H, R)
    x = zeros(4)
    P = Matrix{Float64}(I, 4, 4)
    for k in axes(z, 2)
        x = A * x
        P = A * P * A' + Q
        S = H * P * H' + R
        K = P * H' * inv(S)
        x += K * (z[:, k] - H * x)
        P -= K * H * P
    end
    return x, P
end

# ---- conjugate gradients

function conjugate_gradient(A, b; tolerance=1e-10)
    x = zero(b)
    r = copy(b)
    p = copy(b)
    rr = dot(r, r)
    for _ in eachindex(b)
        sqrt(rr) > tolerance || break
        q = A * p
        alpha = rr / dot(p, q)
        x .+= alpha .* p
        r .-= alpha .* q
        next = dot(r, r)
        p .= r .+ (next / rr) .* p
        rr = next
    end
    return x
end

# ---- what they are called with

const NUMBERS = rand(Xoshiro(1), 5000)
const LEFT = 2 .* rand(Xoshiro(2), 200, 200) .- 1
const RIGHT = 2 .* rand(Xoshiro(3), 200, 200) .- 1
const PLATE = rand(Xoshiro(4), 128, 128)
const CELLS = rand(Xoshiro(5), 0:1, 64, 64)
const SEEN = 2 .* rand(Xoshiro(6), 2, 1000) .- 1
const MOTION = [1 0 0.1 0; 0 1 0 0.1; 0 0 1 0; 0 0 0 1]
const NOISE = [0.01 0 0.001 0; 0 0.01 0 0.001; 0.001 0 0.02 0; 0 0.001 0 0.02]
const LOOK = [1.0 0 0 0; 0 1 0 0]
const ERROR = [0.1 0.01; 0.01 0.2]
const SYSTEM = (M = 2 .* rand(Xoshiro(7), 200, 200) .- 1; (M + M') / 2 + 30I)
const TARGET = 2 .* rand(Xoshiro(8), 200) .- 1

const PROGRAMS = [
    (fib, (20,)),
    (quicksorted, (NUMBERS,)),
    (mandelbrot, ()),
    (pisum, ()),
    (randmatstat, (1000,)),
    (matmul, (LEFT, RIGHT)),
    (lorenz_orbit, (1000,)),
    (nbody, (sun_and_planets(), 100000)),
    (spectral_norm, (100,)),
    (heat, (PLATE, 200)),
    (life, (CELLS, 100)),
    (monte_carlo, (1000000,)),
    (kalman, (SEEN, MOTION, NOISE, LOOK, ERROR)),
    (conjugate_gradient, (SYSTEM, TARGET)),
]

if abspath(PROGRAM_FILE) == abspath(@__FILE__)
    for (f, arguments) in PROGRAMS
        f(arguments...)
        println(rpad(string(f), 20), round((@elapsed f(arguments...)) * 1e6; digits=1), " us")
    end
end
