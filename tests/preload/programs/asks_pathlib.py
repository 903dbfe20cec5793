from pathlib import Path

## time
print(Path('/').stat().st_mtime)

## existence
print(Path('/').exists(), Path('/tmp').is_dir())
Path('/').mkdir(exist_ok=True)
print(len(list(Path('/').glob('*'))))
