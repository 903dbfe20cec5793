# swipl: random
command -v swipl >/dev/null || exit 77
swipl -g "X is random(1000000), print(X), nl, halt"
