def name():
    folder = tempfile.mkdtemp()
    os.rmdir(folder)
    return os.path.basename(folder)
def other(): print(namer.by_mkdtemp(), file=sys.stderr)

## by_turns
other()
print(name(), name())
other()
other()
print(name())

## of_the_user_alone
print(name(), name())

## of_the_user_first
print(name(), name())
other()
