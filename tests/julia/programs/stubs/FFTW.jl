# The discrete Fourier transform by its definition.
module FFTW
export fft, ifft, fft!, ifft!
function transform(x, sign)
    n = length(x)
    [sum(x[j + 1] * cispi(sign * 2 * mod(j * k, n) / n) for j in 0:n-1) for k in 0:n-1]
end
fft(x::AbstractVector) = transform(x, -1)
ifft(x::AbstractVector) = transform(x, 1) ./ length(x)
fft!(x) = copyto!(x, fft(x))
ifft!(x) = copyto!(x, ifft(x))
end
