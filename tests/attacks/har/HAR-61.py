"""
id: HAR-61
title: loops, policies and tasks of asyncio that are left behind
ending: [ok]
credit: honest
"""
import asyncio


class Policy(asyncio.DefaultEventLoopPolicy):
    get_event_loop = new_event_loop = lambda s: 1 / 0


async def forever():
    while True:
        await asyncio.sleep(0.001)


loop = asyncio.new_event_loop()
task = loop.create_task(forever())
loop.call_later(0.001, os._exit, 3)
asyncio.set_event_loop(None)
try:
    asyncio.set_event_loop_policy(Policy())
except Exception:
    pass
