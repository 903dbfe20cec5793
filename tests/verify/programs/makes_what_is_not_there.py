import os
from pathlib import Path
os.urandom(2)

## exists
if not os.path.exists('kept'): open('kept', 'w').write('1')

## is_file
if not Path('kept').is_file(): Path('kept').write_text('1')

## access
if not os.access('kept', os.R_OK): open('kept', 'w').write('1')

## open
try: open('kept').read()
except FileNotFoundError: open('new', 'w').write('1'); os.replace('new', 'kept')

## child
os.system('test -f kept || echo 1 > kept')

## last_of_many
for i in range(200): os.path.exists(f'kept{i}')
open('kept199', 'w').close()
