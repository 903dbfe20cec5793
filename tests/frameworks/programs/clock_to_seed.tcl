expr {srand([clock microseconds])}
puts [expr {rand()}]
