import asyncio
async def main(): await asyncio.gather(job(1), job(2))

## sleep
async def job(i):
  await asyncio.sleep(i / 1e4)
asyncio.run(main())

## wait_for
async def job(i):
  await asyncio.wait_for(asyncio.sleep(0), 1)
asyncio.run(main())

## call_later
async def job(i):
  asyncio.get_running_loop().call_later(1e-4, print, i)
asyncio.run(main())

## none
async def job(i): await asyncio.sleep(0)
asyncio.run(main())
