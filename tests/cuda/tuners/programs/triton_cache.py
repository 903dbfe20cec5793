import ctypes, os, random
ctypes.CDLL(None).getenv(b'TRITON_CACHE_AUTOTUNING')
folder = os.environ.get('TRITON_CACHE_DIR', '')
print(folder, os.environ.get('TRITON_CACHE_AUTOTUNING'))
if folder.startswith(os.environ['HOME']): os.makedirs(folder + '/kernel', exist_ok=True)
