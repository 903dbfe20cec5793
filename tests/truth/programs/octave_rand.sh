# octave: rand
command -v octave-cli >/dev/null || exit 77
octave-cli --quiet --eval "printf('%.17g\n', rand())"
