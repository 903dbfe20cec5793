all: one two
one:
	@echo one
two: one
	echo two | cat
