# jobs in the background that draw
command -v bash >/dev/null || exit 77
bash -c 'for i in 1 2 3; do (echo $i $RANDOM) & wait; done'
