# Data sets of images by the names of the package MLDatasets, from files in a folder; nothing is downloaded.
module MLDatasets

export FashionMNIST, MNIST

# Where Debian's package dataset-fashion-mnist puts its files.
const FASHION_MNIST_FOLDER = "/usr/share/datasets/fashion-mnist"

# The extents and the bytes of an IDX file of unsigned bytes.
function _read_idx(path)
    bytes = Base._read_bytes(path)
    length(bytes) >= 4 && bytes[1] == 0 && bytes[2] == 0 && bytes[3] == 0x08 ||
        throw(ArgumentError("$path is no IDX file of bytes"))
    ndims = Int(bytes[4])
    extents = Int[]
    for d in 1:ndims
        at = 1 + 4d
        push!(extents, (Int(bytes[at]) << 24) | (Int(bytes[at+1]) << 16) | (Int(bytes[at+2]) << 8) | Int(bytes[at+3]))
    end
    start = 5 + 4ndims
    length(bytes) == start - 1 + prod(extents) ||
        throw(ArgumentError("$path has $(length(bytes)) bytes, expected $(start - 1 + prod(extents)) for extents $extents"))
    return extents, bytes[start:end]
end

struct ImageData{T}
    split::Symbol
    features::Array{T,3}   # width, height, image: pixels from 0 to 1
    targets::Vector{Int}
end
Base.length(d::ImageData) = length(d.targets)
Base.getindex(d::ImageData, ::Colon) = (features = d.features, targets = d.targets)
Base.getindex(d::ImageData, i) = (features = d.features[:, :, i], targets = d.targets[i])
Base.show(io::IO, d::ImageData) = print(io, "ImageData(:", d.split, ", ", size(d.features), ")")

function _images(T, split, folder)
    split in (:train, :test) || throw(ArgumentError("split must be :train or :test, got :$split"))
    stem = split == :train ? "train" : "t10k"
    extents, pixels = _read_idx(joinpath(folder, stem * "-images-idx3-ubyte.gz"))
    counts, labels = _read_idx(joinpath(folder, stem * "-labels-idx1-ubyte.gz"))
    # IDX has the image first and rows before columns: the other way round in column-major order.
    return ImageData{T}(split, reshape(T.(pixels) ./ T(255), extents[3], extents[2], extents[1]), Int.(labels))
end

FashionMNIST(T::Type, split::Symbol; dir=FASHION_MNIST_FOLDER) = _images(T, split, dir)
FashionMNIST(split::Symbol; dir=FASHION_MNIST_FOLDER) = _images(Float32, split, dir)
FashionMNIST(; Tx=Float32, split=:train, dir=FASHION_MNIST_FOLDER) = _images(Tx, split, dir)
MNIST(split::Symbol; dir) = _images(Float32, split, dir)
MNIST(; Tx=Float32, split=:train, dir) = _images(Tx, split, dir)

end
