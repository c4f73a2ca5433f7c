# The heat equation on a rod by explicit steps, and the gradient through all steps of a misfit by the initial state.
using Zygote, LinearAlgebra, Test

# One step with both ends held at zero.
function step(u, c)
    inner = u[2:end-1] .+ c .* (u[1:end-2] .- 2 .* u[2:end-1] .+ u[3:end])
    return vcat(0.0, inner, 0.0)
end

function heat(u, c, steps)
    for _ in 1:steps
        u = step(u, c)
    end
    return u
end

misfit(u, target, c, steps) = sum(abs2, heat(u, c, steps) .- target) / 2

# Gradient descent for the state from which the rod reached `target`.
function recover(u, target, c, steps, rate, iterations)
    for _ in 1:iterations
        g, = gradient(v -> misfit(v, target, c, steps), u)
        u = u .- rate .* g
    end
    return u
end

function finite_differences(f, u, h)
    g = zero(u)
    for i in eachindex(u)
        up, down = copy(u), copy(u)
        up[i] += h
        down[i] -= h
        g[i] = (f(up) - f(down)) / 2h
    end
    return g
end

function main()
    n, c, steps = 31, 0.4, 30
    x = range(0, 1, length=n)
    # A sine is an eigenvector of the step: it shrinks by a known factor each time.
    wave = sinpi.(3 .* x)
    shrink = 1 - 4c * sinpi(3 / (2 * (n - 1)))^2
    @test heat(wave, c, steps) ≈ shrink^steps .* wave

    start = exp.(-100 .* (x .- 0.3) .^ 2) .* sinpi.(x)
    target = heat(start, c, steps)
    guess = 0.5 .* sinpi.(x)
    g, = gradient(v -> misfit(v, target, c, steps), guess)
    println("misfit ", round(misfit(guess, target, c, steps), sigdigits=6))
    println("norm of its gradient ", round(norm(g), sigdigits=6))
    @test g ≈ finite_differences(v -> misfit(v, target, c, steps), guess, 1e-5) rtol = 1e-7

    # The step is linear and symmetric inside: the adjoint run is the forward run of the residual.
    residual = heat(guess, c, steps) .- target
    @test g[2:end-1] ≈ heat(residual, c, steps)[2:end-1]

    found = recover(guess, target, c, steps, 1.0, 30)
    println("misfit after descent ", round(misfit(found, target, c, steps), sigdigits=6))
    @test misfit(found, target, c, steps) < 1e-2 * misfit(guess, target, c, steps)
end

main()
