# What draws histories of convergence.
module RecipesBase
end
