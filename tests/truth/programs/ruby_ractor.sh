# ruby: rand in a Ractor
command -v ruby >/dev/null || exit 77
ruby -W0 -e "p Ractor.new { rand }.take"
