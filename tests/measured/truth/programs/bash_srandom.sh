# $SRANDOM of bash
command -v bash >/dev/null || exit 77
bash -c "echo \$SRANDOM"
