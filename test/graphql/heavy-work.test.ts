// Heavy executions take turns by caller; light executions never wait.
import { describe, expect, it } from 'vitest'
import { createHeavyWork, HEAVY_WORK_LIMITS } from '#graphql/heavy-work.ts'

const LIMITS = { ...HEAVY_WORK_LIMITS, fromPoints: 5, atOnce: 2, waitingPerCaller: 3, waiting: 6, refusalPauseMs: 1 }
const HEAVY = 5

/** Work that the test ends, and the order in which it began. */
function createBench(limits = LIMITS) {
  const heavyWork = createHeavyWork(limits)
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve))
  return {
    begun,
    settled,
    run(caller: string, name: string, points = HEAVY, signal?: AbortSignal): Promise<string> {
      const work = () =>
        new Promise<string>((resolve) => {
          begun.push(name)
          ends.set(name, () => resolve(name))
        })
      return heavyWork.run(points, caller, work, signal)
    },
    async end(name: string): Promise<void> {
      ends.get(name)?.()
      await settled()
    },
  }
}

describe('heavy work', () => {
  it('of one caller runs one at a time, and leaves places for others', async () => {
    const bench = createBench()
    const all = [bench.run('a', 'a1'), bench.run('a', 'a2'), bench.run('b', 'b1'), bench.run('c', 'c1')]
    await bench.settled()
    expect(bench.begun).toEqual(['a1', 'b1'])
    for (const name of ['a1', 'b1', 'c1', 'a2']) await bench.end(name)
    await Promise.all(all)
    expect(bench.begun).toEqual(['a1', 'b1', 'c1', 'a2'])
  })

  it('gives each caller a turn before any caller has a second turn', async () => {
    const bench = createBench({ ...LIMITS, atOnce: 1, waiting: 20 })
    const names = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']
    const all = names.map((name) => bench.run(name.slice(0, 1), name))
    for (const name of ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']) {
      await bench.settled()
      expect(bench.begun.at(-1)).toBe(name)
      await bench.end(name)
    }
    await Promise.all(all)
  })

  it('that is light runs at once, even when other work waits', async () => {
    const bench = createBench()
    const all = ['a1', 'a2', 'a3'].map((name) => bench.run('a', name))
    const light = ['l1', 'l2', 'l3', 'l4'].map((name) => bench.run('a', name, HEAVY - 1))
    await bench.settled()
    expect(new Set(bench.begun)).toEqual(new Set(['a1', 'l1', 'l2', 'l3', 'l4']))
    for (const name of ['l1', 'l2', 'l3', 'l4', 'a1', 'a2', 'a3']) await bench.end(name)
    await Promise.all([...all, ...light])
  })

  it('is refused only for the caller with too much waiting work', async () => {
    const bench = createBench()
    const all = ['a1', 'a2', 'a3', 'a4'].map((name) => bench.run('a', name))
    await expect(bench.run('a', 'a5')).rejects.toMatchObject({
      code: 'rate_limited',
      context: { retry_after_seconds: 1 },
    })
    all.push(bench.run('b', 'b1'))
    await bench.settled()
    expect(bench.begun).toEqual(['a1', 'b1'])
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1']) await bench.end(name)
    await Promise.all(all)
  })

  it('is refused when too much work waits in all', async () => {
    const bench = createBench()
    const names = ['a1', 'b1', 'a2', 'a3', 'a4', 'b2', 'b3', 'b4']
    const all = names.map((name) => bench.run(name.slice(0, 1), name))
    await expect(bench.run('c', 'c1')).rejects.toMatchObject({ code: 'rate_limited' })
    for (const name of ['a1', 'b1', 'a2', 'b2', 'a3', 'b3', 'a4', 'b4']) await bench.end(name)
    await Promise.all(all)
  })

  it('of a client that leaves frees its place', async () => {
    const bench = createBench({ ...LIMITS, waitingPerCaller: 1 })
    const first = bench.run('a', 'a1')
    const client = new AbortController()
    const waiting = bench.run('a', 'a2', HEAVY, client.signal)
    client.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'rate_limited' })
    const next = bench.run('a', 'a3')
    await bench.end('a1')
    await bench.end('a3')
    await Promise.all([first, next])
    expect(bench.begun).toEqual(['a1', 'a3'])
    await expect(bench.run('a', 'a4', HEAVY, client.signal)).rejects.toMatchObject({ code: 'rate_limited' })
  })

  it('that fails gives its place to the next', async () => {
    const heavyWork = createHeavyWork({ ...LIMITS, atOnce: 1 })
    const failing = heavyWork.run(HEAVY, 'a', () => Promise.reject(new Error('a defect')))
    const next = heavyWork.run(HEAVY, 'a', async () => 'done')
    await expect(failing).rejects.toThrow('a defect')
    expect(await next).toBe('done')
  })

  it('refuses at most 5 of the clients that leave together in one turn of the event loop', async () => {
    const waiting = 50
    const bench = createBench({ ...LIMITS, atOnce: 1, waitingPerCaller: waiting, waiting })
    const first = bench.run('a', 'a1')
    const gone = new AbortController()
    let refused = 0
    const left = Array.from({ length: waiting }, (_, at) =>
      bench.run('a', `gone ${at}`, HEAVY, gone.signal).catch(() => {
        refused += 1
      }),
    )
    gone.abort()
    let most = 0
    for (let before = 0; before < waiting; before = refused) {
      await bench.settled()
      most = Math.max(most, refused - before)
    }
    expect(most).toBe(5)
    await Promise.all(left)
    await bench.end('a1')
    expect(await first).toBe('a1')
  })
})
