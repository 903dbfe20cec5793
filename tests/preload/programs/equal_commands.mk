all: a b c
a b c:
	@$(DRAW) plain
	@$(DRAW) plain
