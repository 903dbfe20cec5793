# perl: the order of a hash
command -v perl >/dev/null || exit 77
perl -e 'my %h = map { $_ => 1 } 1 .. 30; print join(" ", keys %h), "\n"'
