# Bodies under gravity by the leapfrog scheme, and the gradient of the final energy by the initial velocities.
# The scheme conserves momentum exactly and energy nearly: the final energy's gradient is close to the momenta m v.
using Zygote, LinearAlgebra, Test

# Accelerations of all bodies, positions as rows; `soft` keeps close encounters finite.
function accelerations(x, m, soft)
    dx = x[:, 1]' .- x[:, 1]
    dy = x[:, 2]' .- x[:, 2]
    w = m' ./ (dx .^ 2 .+ dy .^ 2 .+ soft^2) .^ 1.5
    return hcat(sum(w .* dx, dims=2), sum(w .* dy, dims=2))
end

function energy(x, v, m, soft)
    dx = x[:, 1]' .- x[:, 1]
    dy = x[:, 2]' .- x[:, 2]
    pairs = (m .* m') ./ sqrt.(dx .^ 2 .+ dy .^ 2 .+ soft^2)
    return sum(m .* v .^ 2) / 2 - (sum(pairs) - sum(m .^ 2) / soft) / 2
end

function simulate(x, v, m, soft, dt, steps)
    a = accelerations(x, m, soft)
    for _ in 1:steps
        v = v .+ dt / 2 .* a
        x = x .+ dt .* v
        a = accelerations(x, m, soft)
        v = v .+ dt / 2 .* a
    end
    return x, v
end

function final_energy(x, v, m, soft, dt, steps)
    x, v = simulate(x, v, m, soft, dt, steps)
    return energy(x, v, m, soft)
end

function finite_differences(f, v, h)
    g = zero(v)
    for i in eachindex(v)
        up, down = copy(v), copy(v)
        up[i] += h
        down[i] -= h
        g[i] = (f(up) - f(down)) / 2h
    end
    return g
end

function main()
    soft, dt, steps = 0.05, 1e-3, 2000
    m = [1.0, 0.01, 0.02, 0.005]                       # a star and three planets, with G = 1
    x = [0.0 0.0; 1.0 0.0; 0.0 1.6; -2.2 0.0]
    v = [0.0 0.0; 0.0 1.0; -0.79 0.0; 0.0 -0.67]
    v = v .- m' * v ./ sum(m)                          # the center of mass rests

    xe, ve = simulate(x, v, m, soft, dt, steps)
    before, after = energy(x, v, m, soft), energy(xe, ve, m, soft)
    println("energy ", round(before, digits=9), " before, ", round(after, digits=9), " after")
    @test after ≈ before rtol = 1e-6
    @test norm(m' * ve) < 1e-13
    @test m' * xe ≈ m' * x atol = 1e-12
    spin(x, v) = sum(m .* (x[:, 1] .* v[:, 2] .- x[:, 2] .* v[:, 1]))
    @test spin(xe, ve) ≈ spin(x, v) rtol = 1e-11       # central forces keep the angular momentum

    back, = simulate(xe, -ve, m, soft, dt, steps)      # the scheme is reversible
    @test back ≈ x rtol = 1e-9

    f(v) = final_energy(x, v, m, soft, dt, 200)
    g, = gradient(f, v)
    println("gradient ", round.(g, digits=6))
    @test g ≈ finite_differences(f, v, 1e-5) rtol = 1e-6
    @test g ≈ m .* v rtol = 1e-4                      # conserved energy: only the kinetic term at the start remains
end

main()
