# R's generator: unseeded, after its seed was taken away, and in forked children.
x <- runif(1)
rm(.Random.seed, envir = globalenv())
y <- sample(1000, 3)
z <- unlist(parallel::mclapply(1:2, function(i) runif(1), mc.cores = 2, mc.preschedule = FALSE))
RNGkind("L'Ecuyer-CMRG")
cat(format(c(x, y, z, rnorm(1)), digits = 15), "\n")
