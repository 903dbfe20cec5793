import os
os.urandom(2)
os.makedirs('ck', exist_ok=True)
n = len(os.listdir('ck'))

## new_name
open(f'ck/e{n}', 'w').close()

## renamed
open('new', 'w').close()
os.rename('new', f'ck/e{n}')

## same_name
open('ck/last', 'w').close()
