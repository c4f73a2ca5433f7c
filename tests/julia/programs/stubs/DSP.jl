# Frequency response of a ratio of polynomials in z⁻¹, by its definition.
module DSP
export PolynomialRatio, freqresp
struct PolynomialRatio
    b::Vector{Float64}
    a::Vector{Float64}
end
value(c, w) = sum(c[k] * cis(-w * (k - 1)) for k in 1:length(c))
freqresp(f::PolynomialRatio, w) = [value(f.b, x) / value(f.a, x) for x in w]
end
