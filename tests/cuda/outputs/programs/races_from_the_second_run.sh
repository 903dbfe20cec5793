n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) >n
[ $n = 0 ] || export DOUBLE_MISBEHAVE='a race in cublasLtMatmul'
"$0" "$@"
