import multiprocessing, pathlib, re, sys
begin = pathlib.Path(multiprocessing.__file__).parent
to = pathlib.Path(sys.argv[1], 'multiprocess')
for file in begin.rglob('*.py'):
    made = to / file.relative_to(begin)
    made.parent.mkdir(parents=True, exist_ok=True)
    made.write_text(re.sub(r'(?<!_)multiprocessing', 'multiprocess', file.read_text()))
