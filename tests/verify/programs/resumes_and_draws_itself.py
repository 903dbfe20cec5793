import os, time
state = [7]
def draw():
  state[0] = state[0] * 75 % 65537
  return state[0]
starts = open('starts', 'a').tell(); open('starts', 'a').write('x')
done = open('ckpt').read().split() if os.path.exists('ckpt') else []
for step in range(len(done), 6):
  done.append(str(draw()))
  open('ckpt', 'w').write(' '.join(done))
  print('step', step, 'loss=' + done[-1], flush=True)
  if step == 2 and starts == 2: time.sleep(600)
