# rand() of two interpreters, unseeded, and then seeded by the program.
puts [expr {rand()}]
puts [interp eval [interp create] {expr {rand()}}]
