# Small matrices and vectors in loops, as a Julia programmer writes them. build/bench/julia_loops times each beside g++ -O3 on the same work.
using LinearAlgebra, Random

# ---- a body that turns: products of rotations

function turn(w, t)
    angle = norm(w)
    x, y, z = w / angle
    s, c = sincos(angle * t)
    K = [0 -z y; z 0 -x; -y x 0]
    return I + s * K + (1 - c) * K^2
end

function attitude(w, inertia, dt, steps)
    R = Matrix{Float64}(I, 3, 3)
    for _ in 1:steps
        w = w + dt * (inertia \ -cross(w, inertia * w))
        R = R * turn(w, dt)
    end
    return R, w
end

# ---- an extended Kalman filter: a car seen by distance and direction

function track(seen, Q, W, dt)
    x = [0.0, 0.0, 0.1, 1.0]
    P = Matrix{Float64}(I, 4, 4)
    for k in axes(seen, 2)
        s, c = sincos(x[3])
        v = x[4]
        F = [1.0 0 -dt*v*s dt*c; 0 1 dt*v*c dt*s; 0 0 1 0; 0 0 0 1]
        x = x + dt * [v * c, v * s, 0.1, 0.0]
        P = F * P * F' + Q
        dx, dy = x[1] - 20, x[2] - 30
        r2 = dx^2 + dy^2
        r = sqrt(r2)
        H = [dx/r dy/r 0 0; -dy/r2 dx/r2 -1 0]
        S = H * P * H' + W
        K = P * H' / S
        x = x + K * (seen[:, k] - [r, atan(dy, dx) - x[3]])
        P = (I - K * H) * P
    end
    return x, P
end

# ---- Newton's method

function circles(starts)
    found = similar(starts)
    for k in axes(starts, 2)
        x = starts[:, k]
        for _ in 1:20
            f = [x[1]^2 + x[2]^2 - 4, x[1] * x[2] - 1]
            J = [2x[1] 2x[2]; x[2] x[1]]
            step = J \ f
            x -= step
            norm(step) < 1e-12 && break
        end
        found[:, k] = x
    end
    return found
end

function newton(f, jacobian, x; most=20)
    for _ in 1:most
        step = jacobian(x) \ f(x)
        x = x - step
        norm(step) < 1e-12 && break
    end
    return x
end
surfaces(x) = [x[1]^2 + x[2]^2 + x[3]^2 - 3, x[1] * x[2] - x[3], x[1] - x[2] + x[3]^2 - 1]
slopes(x) = [2x[1] 2x[2] 2x[3]; x[2] x[1] -1; 1 -1 2x[3]]
function meeting_points(starts)
    total = zeros(3)
    for k in 1:size(starts, 2)
        total .+= newton(surfaces, slopes, starts[:, k])
    end
    return total
end

# ---- a linear system by RK4

function rk4_step(f, x, dt)
    k1 = f(x)
    k2 = f(x + dt / 2 * k1)
    k3 = f(x + dt / 2 * k2)
    k4 = f(x + dt * k3)
    return x + dt / 6 * (k1 + 2k2 + 2k3 + k4)
end

function spiral(A, x, dt, steps)
    for _ in 1:steps
        x = rk4_step(x -> A * x, x, dt)
    end
    return x
end

# ---- Gaussian densities by the Cholesky factor

function log_likelihood(points, mean, covariance)
    total = 0.0
    for k in 1:size(points, 2)
        C = cholesky(Symmetric(covariance + 0.001k * I))
        d = points[:, k] - mean
        total -= (dot(d, C \ d) + logdet(C) + 3 * log(2pi)) / 2
    end
    return total
end

# ---- triangles of a mesh: determinants, inverses

function stiffness(points, triangles)
    total = 0.0
    for k in axes(triangles, 2)
        a, b, c = points[:, triangles[1, k]], points[:, triangles[2, k]], points[:, triangles[3, k]]
        J = [b - a c - a]
        G = inv(J)' * [-1.0 1 0; -1 0 1]
        E = abs(det(J)) / 2 * (G' * G)
        total += tr(E) + E[1, 2] * E[2, 3]
    end
    return total
end

const SIGHTINGS = [30 .+ rand(Xoshiro(1), 1, 1000); rand(Xoshiro(2), 1, 1000) .- 2]
const STARTS2 = [1.5 .+ rand(Xoshiro(3), 1, 200); 0.1 .+ 0.5 .* rand(Xoshiro(4), 1, 200)]
const STARTS3 = 0.6 .+ 0.8 .* rand(Xoshiro(5), 3, 200)
const POINTS = rand(Xoshiro(6), 3, 1000)
const CORNERS = 10 .* rand(Xoshiro(7), 2, 500)
const TRIANGLES = [rand(Xoshiro(8), 1:166, 1, 1000); rand(Xoshiro(9), 167:333, 1, 1000); rand(Xoshiro(10), 334:500, 1, 1000)]

const PROGRAMS = [
    (attitude, ([0.1, 2.0, 0.2], [1.0 0.1 0; 0.1 2 0; 0 0 3], 0.01, 1000)),
    (track, (SIGHTINGS, Matrix(0.01I, 4, 4), [0.1 0.01; 0.01 0.2], 0.1)),
    (circles, (STARTS2,)),
    (meeting_points, (STARTS3,)),
    (spiral, ([-0.1 -1 0; 1 -0.1 0.2; 0 0.3 -0.5], [1.0, 0.0, 0.5], 0.01, 1000)),
    (log_likelihood, (POINTS, [0.5, 0.4, 0.6], [2.0 0.3 0.1; 0.3 1.5 0.2; 0.1 0.2 1.0])),
    (stiffness, (CORNERS, TRIANGLES)),
]

if abspath(PROGRAM_FILE) == abspath(@__FILE__)
    for (f, arguments) in PROGRAMS
        f(arguments...)
        println(rpad(string(f), 20), round((@elapsed f(arguments...)) * 1e6; digits=1), " us")
    end
end
