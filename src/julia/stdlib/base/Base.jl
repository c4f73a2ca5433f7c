# Base: the files in the order in which they need each other.
include("boot.jl")
