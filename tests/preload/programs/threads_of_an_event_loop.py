import asyncio, random
def task(i): return random.random()

## to_thread
async def main(): print(await asyncio.gather(*[asyncio.to_thread(task, i) for i in range(4)]))
asyncio.run(main())

## run_in_executor
async def main(): print(await asyncio.gather(*[asyncio.get_running_loop().run_in_executor(None, task, i) for i in range(4)]))
asyncio.run(main())
