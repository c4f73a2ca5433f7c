# A Kalman filter for a target that moves at constant velocity, disturbed by random accelerations and seen through noisy
# positions. The gain settles at the closed form of the alpha-beta filter, with the tracking index Λ = σ_a dt² / σ_z.
using LinearAlgebra, Random, Statistics, Test

function filter_track(F, Q, H, R, x, P, measurements)
    n = length(measurements)
    track = zeros(length(x), n)
    gain = zeros(length(x), 1)
    for k in 1:n
        x = F * x
        P = F * P * F' + Q
        S = H * P * H' + R
        gain = P * H' / S
        x = x + gain * (measurements[k:k] - H * x)
        P = (I - gain * H) * P
        track[:, k] = x
    end
    return track, gain, P
end

# Kalata's solution for random accelerations that are constant over a step.
function steady_gain(dt, σa, σz)
    Λ = σa * dt^2 / σz
    r = (4 + Λ - sqrt(8Λ + Λ^2)) / 4
    α = 1 - r^2
    β = 2 * (2 - α) - 4 * sqrt(1 - α)
    return [α, β / dt]
end

function simulate(F, G, σa, σz, n)
    truth = zeros(2, n)
    x = [0.0, 1.0]
    for k in 1:n
        x = F * x + G * (σa * randn())
        truth[:, k] = x
    end
    return truth, truth[1, :] + σz * randn(n)
end

function main()
    Random.seed!(3)
    dt, σa, σz = 0.5, 0.4, 2.0
    F = [1.0 dt; 0.0 1.0]
    G = [dt^2 / 2, dt]
    H = [1.0 0.0]
    Q = σa^2 * G * G'
    R = fill(σz^2, 1, 1)
    truth, z = simulate(F, G, σa, σz, 4000)
    track, gain, P = filter_track(F, Q, H, R, [0.0, 0.0], 100.0 * Matrix(I, 2, 2), z)

    println("gain ", round.(vec(gain), digits=6), ", closed form ", round.(steady_gain(dt, σa, σz), digits=6))
    @test vec(gain) ≈ steady_gain(dt, σa, σz) rtol = 1e-10
    @test P ≈ P' && minimum(eigvals(Symmetric(P))) > 0
    @test P[1, 1] ≈ gain[1] * σz^2                           # the variance after an update is α σ_z²

    settled = 200:4000
    err = track[:, settled] - truth[:, settled]
    println("errors ", round.(std(err, dims=2), digits=3), ", expected ", round.(sqrt.(diag(P)), digits=3))
    @test vec(mean(abs2, err, dims=2)) ≈ diag(P) rtol = 0.15  # as large as the filter says
    @test std(err[1, :]) < 0.7 * std(z[settled] - truth[1, settled])
end

main()
