# R: runif and sample
command -v Rscript >/dev/null || exit 77
Rscript -e "print(runif(3)); print(sample(10))"
