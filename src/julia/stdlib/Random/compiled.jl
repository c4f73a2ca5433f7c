# What compiled code runs in the place of Random's intrinsics: the same draws on a Xoshiro whose words are values of the program.
# The task's generator comes here as _task_state, which holds its words while compiled code runs.

const _task_state = Xoshiro(0, 0, 0, 0)

_rotated(x::UInt64, k) = (x << k) | (x >> (64 - k))
_rotated(x::UInt32, k) = (x << k) | (x >> (32 - k))

function _word(r::Xoshiro)
    s0, s1, s2, s3 = r.s0, r.s1, r.s2, r.s3
    out = _rotated(s0 + s3, 23) + s0
    t = s1 << 17
    s2 ⊻= s0
    s3 ⊻= s1
    r.s1 = s1 ⊻ s2
    r.s0 = s0 ⊻ s3
    r.s2 = s2 ⊻ t
    r.s3 = _rotated(s3, 45)
    return out
end
_word(r::AbstractRNG) = rand(r, UInt64)::UInt64

_bits52(r) = _word(r) >> 12
_words_of(r) = (r.s0, r.s1, r.s2, r.s3)
function _words_of(r, from)
    r.s0, r.s1, r.s2, r.s3 = from.s0, from.s1, from.s2, from.s3
    return _words_of(r)
end

# ---- numbers

_unit(::Type{Float64}, w) = Float64((w >> 11) % Int64) * 0x1p-53
_unit(::Type{Float32}, w) = Float32((w >> 40) % Int32) * Float32(0x1p-24)
_unit(::Type{Float16}, w) = Float16(Float32((w >> 53) % Int32) * Float32(0x1p-11))

_number(r, ::Type{T}) where {T<:Base.IEEEFloat} = _unit(T, _word(r))
_number(r, ::Type{Bool}) = (_word(r) >> 56) & 1 == 1
_number(r, ::Type{T}) where {T<:Base.BitInteger} = (_word(r) >> (64 - 8 * _bytes(T))) % T

_bytes(::Type{<:Union{Int8,UInt8}}) = 1
_bytes(::Type{<:Union{Int16,UInt16}}) = 2
_bytes(::Type{<:Union{Int32,UInt32}}) = 4
_bytes(::Type{<:Union{Int64,UInt64}}) = 8

"The upper and the lower half of a product."
function _long_product(x::UInt64, y::UInt64)
    a, b, c, d = x >> 32, x & 0xffffffff, y >> 32, y & 0xffffffff
    ad, bc = a * d, b * c
    middle = ((b * d) >> 32) + (ad & 0xffffffff) + (bc & 0xffffffff)
    return a * c + (ad >> 32) + (bc >> 32) + (middle >> 32), x * y
end

function _below(r, count::UInt64)
    x = _word(r)
    count == 0 && return x
    high, low = _long_product(x, count)
    if low < count
        least = (-count) % count
        while low < least
            high, low = _long_product(_word(r), count)
        end
    end
    return high
end

function _below(r, count::UInt32)
    x = _word(r) >> 32
    count == 0 && return x % UInt32
    product = x * count
    if product % UInt32 < count
        least = (-count) % count
        while product % UInt32 < least
            product = (_word(r) >> 32) * count
        end
    end
    return (product >> 32) % UInt32
end

_unsigned_for(::Type{T}) where {T} = _bytes(T) == 8 ? UInt64 : UInt32

function _between(r, from::T, to::T) where {T}
    to < from && throw(ArgumentError("collection must be non-empty"))
    U = _unsigned_for(T)
    return (from % U + _below(r, to % U - from % U + one(U))) % T
end

function _fill_between(r, A, from, to)
    to < from && throw(ArgumentError("collection must be non-empty"))
    for i in 1:length(A)
        A[i] = _between(r, from, to)
    end
    return A
end

# ---- arrays of numbers

const _lane_factors = (0x02011ce34bce797f, 0x5a94851fb48a6e05, 0x3688cf5d48899fa7, 0x867b4bb4c42e5661)

"Eight words of each of `groups` steps of eight generators side by side, which start from numbers of the one."
function _lanes!(r, out, groups)
    groups == 0 && return 0
    a, b, c, d = map(f -> ntuple(_ -> f * _word(r), 8), _lane_factors)
    for k in 1:groups
        i = 8k - 8
        x = map((a, d) -> _rotated(a + d, 23) + a, a, d)
        t = map(b -> b << 17, b)
        c = map(xor, c, a)
        d = map(xor, d, b)
        b = map(xor, b, c)
        a = map(xor, a, d)
        c = map(xor, c, t)
        d = map(d -> _rotated(d, 45), d)
        out[i+1], out[i+2], out[i+3], out[i+4] = x[1], x[2], x[3], x[4]
        out[i+5], out[i+6], out[i+7], out[i+8] = x[5], x[6], x[7], x[8]
    end
    return 8 * groups
end

"Words for so many bytes; the last may be used in part."
function _words(r, bytes)
    n = cld(bytes, 8)
    out = Vector{UInt64}(undef, n)
    done = _lanes!(r, out, bytes ÷ 64)
    for i in done+1:n
        out[i] = _word(r)
    end
    return out
end

"Part number `i` of words of numbers with 1, 2, 4 or 8 bytes."
function _part(words, i, size)
    size == 8 && return words[i]
    across = 8 ÷ size
    return words[((i - 1) >> trailing_zeros(across)) + 1] >> (8 * size * ((i - 1) & (across - 1)))
end

function _fill(r, A)
    T = eltype(A)
    for i in 1:length(A)
        A[i] = _number(r, T)
    end
    return A
end
function _fill(r::Xoshiro, A::Array{Float64})
    words = _words(r, 8 * length(A))
    for i in 1:length(A)
        A[i] = _unit(Float64, words[i])
    end
    return A
end
function _fill(r::Xoshiro, A::Array{Float32})
    words = _words(r, 4 * length(A))
    for i in 1:length(A)
        A[i] = _unit(Float32, _part(words, i, 4) << 32)
    end
    return A
end
function _fill(r::Xoshiro, A::Array{T}) where {T<:Base.BitInteger}
    words = _words(r, _bytes(T) * length(A))
    for i in 1:length(A)
        A[i] = _part(words, i, _bytes(T)) % T
    end
    return A
end

# A word has the lowest bits of eight Bools eight times over: first those at bit 0 of each byte, then those at bit 1, …
function _fill(r::Xoshiro, A::Array{Bool})
    n = length(A)
    groups = n >= 640 ? n ÷ 512 : 0
    chunks = (n - 512 * groups) ÷ 8
    rest = n % 8
    words = Vector{UInt64}(undef, 8 * groups + cld(chunks, 8) + (rest > 0 ? 1 : 0))
    done = _lanes!(r, words, groups)
    for i in done+1:length(words)
        words[i] = _word(r)
    end
    for i in 1:n
        k = i - 1
        byte = k & 7
        if i <= 512 * groups
            word, bit = 8 * (k >> 9) + ((k >> 3) & 7), (k >> 6) & 7
        elseif i <= n - rest
            chunk = (k - 512 * groups) >> 3
            word, bit = done + (chunk >> 3), chunk & 7
        else
            word, bit = length(words) - 1, 0
        end
        A[i] = (words[word+1] >> (bit + 8 * byte)) & 1 == 1
    end
    return A
end
function _fill(r::AbstractRNG, A::BitArray)
    chunks = cld(length(A), 64)
    words = r isa Xoshiro ? _words(r, 8 * chunks) : [_word(r) for _ in 1:chunks]
    for i in 1:length(A)
        A[i] = (words[((i-1)>>6)+1] >> ((i - 1) & 63)) & 1 == 1
    end
    return A
end

# ---- normal and exponential numbers: the ziggurat's layers (intrinsics/ziggurat.h)

_sum2(a, b) = (s = a + b; t = s - a; (s, (a - (s - t)) + (b - t)))
function _split(a)
    c = 134217729.0 * a
    high = c - (c - a)
    return high, a - high
end
function _product2(a, b)
    p = a * b
    ah, al = _split(a)
    bh, bl = _split(b)
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl
end
function _wide_sum(a, b)
    s, e = _sum2(a[1], b[1])
    return _sum2(s, e + a[2] + b[2])
end
function _wide_product(a, b)
    p, e = _product2(a[1], b[1])
    return _sum2(p, e + (a[1] * b[2] + a[2] * b[1]))
end
function _wide_quotient(a, b)
    q = a[1] / b[1]
    p = _wide_product((q, 0.0), b)
    rest = _wide_sum(a, (-p[1], -p[2]))
    return _sum2(q, rest[1] / b[1])
end

"The logarithm of 1 - u, u the number of a word, rounded once: by the series of the inverse hyperbolic tangent in numbers of two doubles."
function _log_of_rest(word)
    rest = 9007199254740992 - (word >> 11) % Int64
    shift = leading_zeros(rest) - 10
    m = Float64(rest << shift) * 0x1p-53
    k = -shift
    if m > 1.4142135623730951
        m /= 2
        k += 1
    end
    s = _wide_quotient((m - 1, 0.0), _sum2(m, 1.0))
    square = _wide_product(s, s)
    sum = (0.0, 0.0)
    for j in 20:-1:0
        sum = _wide_sum(_wide_product(sum, square), _wide_quotient((1.0, 0.0), (2.0 * j + 1.0, 0.0)))
    end
    series = _wide_product(s, sum)
    of_power = _wide_product((Float64(k), 0.0), (0.6931471805599453, 2.3190468138462996e-17))
    return _wide_sum(of_power, (2 * series[1], 2 * series[2]))[1]
end

const _normal_tail = 3.654152885361009
const _exponential_tail = 7.69711747013105

function _normal(r, bits)
    bounds, widths = _rng_layers(true, 1), _rng_layers(true, 2)
    mantissa = (bits >> 1) % Int64
    layer = mantissa & 255
    x = Float64(ifelse(bits & 1 == 1, -mantissa, mantissa)) * widths[layer+1]
    mantissa < bounds[layer+1] && return x
    return _normal_at_edge(r, mantissa, x)
end
function _normal_at_edge(r, mantissa, x)
    bounds, widths, densities = _rng_layers(true, 1), _rng_layers(true, 2), _rng_layers(true, 3)
    while true
        layer = mantissa & 255
        mantissa < bounds[layer+1] && return x
        if layer == 0
            while true
                along = -(1 / _normal_tail) * _log_of_rest(_word(r))
                up = -_log_of_rest(_word(r))
                up + up > along * along &&
                    return (mantissa >> 8) & 1 == 1 ? -_normal_tail - along : _normal_tail + along
            end
        end
        height = (densities[layer] - densities[layer+1]) * _unit(Float64, _word(r)) + densities[layer+1]
        height < exp(-0.5 * x * x) && return x
        bits = _bits52(r)
        mantissa = (bits >> 1) % Int64
        x = Float64(ifelse(bits & 1 == 1, -mantissa, mantissa)) * widths[(mantissa&255)+1]
    end
end

function _exponential(r, bits)
    bounds, widths = _rng_layers(false, 1), _rng_layers(false, 2)
    mantissa = bits % Int64
    layer = mantissa & 255
    x = Float64(mantissa) * widths[layer+1]
    mantissa < bounds[layer+1] && return x
    return _exponential_at_edge(r, mantissa, x)
end
function _exponential_at_edge(r, mantissa, x)
    bounds, widths, densities = _rng_layers(false, 1), _rng_layers(false, 2), _rng_layers(false, 3)
    while true
        layer = mantissa & 255
        mantissa < bounds[layer+1] && return x
        layer == 0 && return _exponential_tail - _log_of_rest(_word(r))
        height = (densities[layer] - densities[layer+1]) * _unit(Float64, _word(r)) + densities[layer+1]
        height < exp(-x) && return x
        mantissa = _bits52(r) % Int64
        x = Float64(mantissa) * widths[(mantissa&255)+1]
    end
end

_normal_number(r, ::Type{T}) where {T} = T(_normal(r, _bits52(r)))
_exponential_number(r, ::Type{T}) where {T} = T(_exponential(r, _bits52(r)))
_fill_normal(r, A) = _fill_shaped(_normal, r, A)
_fill_exponential(r, A) = _fill_shaped(_exponential, r, A)

# Shorter arrays are drawn one number after another.
function _fill_shaped(shape, r, A::Array{T}) where {T}
    if T === Float64 && r isa Xoshiro && length(A) >= 7
        words = _words(r, 8 * length(A))
        for i in 1:length(A)
            A[i] = shape(r, words[i] >> 12)
        end
    else
        for i in 1:length(A)
            A[i] = T(shape(r, _bits52(r)))
        end
    end
    return A
end

# ---- permutations

function _masked(r, most, mask)
    while true
        x = (_bits52(r) % Int64) & mask
        x <= most && return x
    end
end

function _permute(r, A, least)
    n = length(A)
    n == 0 && return A
    A[1] = 1
    mask = 3
    for i in 1:n-1
        j = _masked(r, i - least, mask)
        A[i+1] = A[j+1]
        A[j+1] = i + 1
        i == mask && (mask = 2 * mask + 1)
    end
    return A
end
_permutation(r, A) = _permute(r, A, 0)
_cycle(r, A) = _permute(r, A, 1)

function _shuffle(r, A)
    mask = 3
    for i in 1:length(A)-1
        j = _masked(r, i, mask)
        kept = A[i+1]
        A[i+1] = A[j+1]
        A[j+1] = kept
        i == mask && (mask = 2 * mask + 1)
    end
    return A
end

# ---- seeds: the words are the SHA-256 of the number's bytes, whose message has one block

_swapped(x::UInt32) = (_rotated(x, 24) & 0xff00ff00) | (_rotated(x, 8) & 0x00ff00ff)

function _seed_by_number(r, seed)
    negative = seed < 0
    bits = (negative ? ~seed : seed) % UInt64
    low, high = bits % UInt32, (bits >> 32) % UInt32
    last = negative ? 0x01800000 : 0x80000000
    is_short = high == 0
    w = zeros(UInt32, 64)
    w[1] = _swapped(low)
    w[2] = is_short ? last : _swapped(high)
    w[3] = is_short ? 0x00000000 : last
    w[16] = UInt32((is_short ? 32 : 64) + (negative ? 8 : 0))
    for i in 17:64
        a, b = w[i-15], w[i-2]
        w[i] = w[i-16] + w[i-7] + (_rotated(a, 25) ⊻ _rotated(a, 14) ⊻ (a >> 3)) +
               (_rotated(b, 15) ⊻ _rotated(b, 13) ⊻ (b >> 10))
    end
    rounds = _rng_hash_rounds()
    start = (0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19)
    a, b, c, d, e, f, g, h = start
    for i in 1:64
        t = h + (_rotated(e, 26) ⊻ _rotated(e, 21) ⊻ _rotated(e, 7)) + ((e & f) ⊻ (~e & g)) + rounds[i] + w[i]
        s = (_rotated(a, 30) ⊻ _rotated(a, 19) ⊻ _rotated(a, 10)) + ((a & b) ⊻ (a & c) ⊻ (b & c))
        h, g, f, e, d, c, b, a = g, f, e, d + t, c, b, a, t + s
    end
    x = map((s, v) -> UInt64(_swapped(s + v)), start, (a, b, c, d, e, f, g, h))
    r.s0, r.s1 = x[1] | (x[2] << 32), x[3] | (x[4] << 32)
    r.s2, r.s3 = x[5] | (x[6] << 32), x[7] | (x[8] << 32)
    r.s4 = r.s0 + 3 * r.s1 + 5 * r.s2 + 7 * r.s3
    return r
end
