# Measuring tools: what is measured is run once.
module BenchmarkTools
end
