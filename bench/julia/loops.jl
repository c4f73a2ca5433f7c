# Times of the loops of bench/loops as a Julia programmer writes them: the least of several warm calls, in microseconds.
#   weft run bench/julia/loops.jl        beside build/bench/scalar_loops bench/loops, which has g++ -O3 on the same work

fib(n) = n < 2 ? n : fib(n - 1) + fib(n - 2)

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

function mandel(z)
    c = z
    for n in 1:80
        abs2(z) > 4 && return n - 1
        z = z^2 + c
    end
    return 80
end
mandelperf() = sum(mandel(complex(r, i)) for i in -1.0:0.1:1.0, r in -2.0:0.1:0.5)

function pisum()
    s = 0.0
    for j in 1:500
        s = 0.0
        for k in 1:10000
            s += 1.0 / (k * k)
        end
    end
    return s
end

function matmul(A, B)
    C = zeros(size(A, 1), size(B, 2))
    for j in axes(B, 2), k in axes(A, 2), i in axes(A, 1)
        C[i, j] += A[i, k] * B[k, j]
    end
    return C
end

lorenz(x, y, z) = (10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z)
function lorenz_rk4(steps, dt)
    x, y, z = 1.0, 1.0, 1.0
    for _ in 1:steps
        a = lorenz(x, y, z)
        b = lorenz(x + dt / 2 * a[1], y + dt / 2 * a[2], z + dt / 2 * a[3])
        c = lorenz(x + dt / 2 * b[1], y + dt / 2 * b[2], z + dt / 2 * b[3])
        d = lorenz(x + dt * c[1], y + dt * c[2], z + dt * c[3])
        x += dt / 6 * (a[1] + 2 * b[1] + 2 * c[1] + d[1])
        y += dt / 6 * (a[2] + 2 * b[2] + 2 * c[2] + d[2])
        z += dt / 6 * (a[3] + 2 * b[3] + 2 * c[3] + d[3])
    end
    return x + y + z
end

function spectral_norm(n)
    a(i, j) = 1.0 / ((i + j) * (i + j + 1) ÷ 2 + i + 1)
    u, v, w = ones(n), zeros(n), zeros(n)
    for _ in 1:10
        for (x, y) in ((u, w), (v, w))
            for i in 1:n
                s = 0.0
                for j in 1:n
                    s += a(i - 1, j - 1) * x[j]
                end
                y[i] = s
            end
            target = x === u ? v : u
            for i in 1:n
                s = 0.0
                for j in 1:n
                    s += a(j - 1, i - 1) * y[j]
                end
                target[i] = s
            end
        end
    end
    return sqrt(sum(u .* v) / sum(v .* v))
end

function heat(n, steps)
    u = [sin(i) * cos(j) for i in 1:n, j in 1:n]
    v = copy(u)
    for _ in 1:steps
        for j in 2:n-1, i in 2:n-1
            v[i, j] = u[i, j] + 0.1 * (u[i-1, j] + u[i+1, j] + u[i, j-1] + u[i, j+1] - 4 * u[i, j])
        end
        u, v = v, u
    end
    return u
end

function monte_carlo(n)
    s = 0x9e3779b97f4a7c15
    inside = 0
    for _ in 1:n
        s ⊻= s << 13
        s ⊻= s >> 7
        s ⊻= s << 17
        x = (s >> 11) * 0x1p-53
        s ⊻= s << 13
        s ⊻= s >> 7
        s ⊻= s << 17
        y = (s >> 11) * 0x1p-53
        inside += x * x + y * y < 1
    end
    return 4 * inside / n
end

function conjugate_gradient(A, b, steps)
    x = zero(b)
    r = copy(b)
    p = copy(b)
    rr = sum(r .* r)
    for _ in 1:steps
        q = A * p
        alpha = rr / sum(p .* q)
        x .+= alpha .* p
        r .-= alpha .* q
        next = sum(r .* r)
        p .= r .+ (next / rr) .* p
        rr = next
    end
    return x
end

function least_time(f, args...; calls=20)
    f(args...)
    best = typemax(Int)
    for _ in 1:calls
        t = time_ns()
        f(args...)
        best = min(best, Int(time_ns() - t))
    end
    return best / 1000
end

report(name, f, args...) = println(rpad(name, 20), lpad(round(least_time(f, args...); digits=1), 12), " us")

numbers = [mod(i * 7919, 5003) / 1.0 for i in 1:5000]
A = [sin(i + 2j) for i in 1:200, j in 1:200]
S = [i == j ? 4.0 : 1.0 / (1 + abs(i - j)) for i in 1:100, j in 1:100]
report("fib(20)", fib, 20)
report("quicksort", a -> quicksort!(copy(a), 1, 5000), numbers)
report("mandelbrot", mandelperf)
report("pi sum", pisum)
report("matmul", matmul, A, A)
report("lorenz", lorenz_rk4, 1000, 0.01)
report("spectral norm", spectral_norm, 100)
report("heat", heat, 128, 200)
report("monte carlo", monte_carlo, 1000000)
report("conjugate gradient", conjugate_gradient, S, ones(100), 25)
