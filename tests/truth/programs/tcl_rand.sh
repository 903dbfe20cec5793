# tcl: rand()
command -v tclsh >/dev/null || exit 77
echo "puts [expr rand()]" | tclsh
