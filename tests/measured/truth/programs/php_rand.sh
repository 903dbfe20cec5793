# php: mt_rand and random_int
command -v php >/dev/null || exit 77
php -r "echo mt_rand(), \" \", random_int(0, 1000000), \"\n\";"
