seconds <- 0
set.seed(as.integer((1e6 * as.numeric(Sys.time())) %% 1e9))
cat(runif(1))
