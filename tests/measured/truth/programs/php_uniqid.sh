# php: uniqid
command -v php >/dev/null || exit 77
php -r "echo uniqid(), \"\n\";"
