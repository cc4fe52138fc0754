import { describe, expect, it, vi } from 'vitest'
import { createWriteQueue } from '#sandbox/chain/write-queue.ts'

/** A queue whose disk can be held up, and what happened to it in order. */
function observedQueue() {
  const log: string[] = []
  let release: () => void = () => {}
  let disk = Promise.resolve()
  const onBroken = vi.fn()
  const keep = async (outcomes: readonly string[]): Promise<void> => {
    log.push(`keep ${outcomes.join('+')}`)
    await disk
    log.push(`kept ${outcomes.join('+')}`)
  }
  const queue = createWriteQueue<string>(keep, onBroken)
  const write = (name: string, alone = false): Promise<string> =>
    queue.submit({
      alone,
      execute: async () => {
        log.push(`execute ${name}`)
        return name
      },
    })
  const holdDisk = (): void => {
    const held = Promise.withResolvers<void>()
    disk = held.promise
    release = held.resolve
  }
  return { queue, write, log, onBroken, holdDisk, releaseDisk: () => release() }
}

describe('a write', () => {
  it('is answered only when it is kept', async () => {
    const { write, log, holdDisk, releaseDisk } = observedQueue()
    holdDisk()
    const answered = write('a').then(() => log.push('answered a'))
    await vi.waitFor(() => expect(log).toContain('keep a'))
    expect(log).not.toContain('answered a')
    releaseDisk()
    await answered
    expect(log).toEqual(['execute a', 'keep a', 'kept a', 'answered a'])
  })

  it('is not executed while the group before it is being kept', async () => {
    const { write, log, holdDisk, releaseDisk } = observedQueue()
    holdDisk()
    const writes = [write('a'), write('b'), write('c')]
    await vi.waitFor(() => expect(log).toContain('keep a'))
    expect(log).toEqual(['execute a', 'keep a'])
    releaseDisk()
    await Promise.all(writes)
    expect(log.slice(2)).toEqual(['kept a', 'execute b', 'execute c', 'keep b+c', 'kept b+c'])
  })

  it('that must be alone shares its group with no other', async () => {
    const { write, log } = observedQueue()
    await Promise.all([write('a'), write('b'), write('travel', true), write('c')])
    expect(log.filter((line) => line.startsWith('kept'))).toEqual(['kept a', 'kept b', 'kept travel', 'kept c'])
  })
})

it('a reader of history waits for executed writes, not for queued ones', async () => {
  const { queue, write, log, holdDisk, releaseDisk } = observedQueue()
  holdDisk()
  const first = write('a')
  await vi.waitFor(() => expect(log).toContain('keep a'))
  const settled = queue.settled().then(() => log.push('settled'))
  const second = write('b')
  releaseDisk()
  await Promise.all([first, second, settled])
  expect(log.indexOf('settled')).toBeGreaterThan(log.indexOf('kept a'))
  expect(log.indexOf('settled')).toBeLessThan(log.indexOf('kept b'))
})

it('a disk that fails breaks the queue, and the write is never answered', async () => {
  const onBroken = vi.fn()
  const failure = new Error('disk full')
  const queue = createWriteQueue<string>(() => Promise.reject(failure), onBroken)
  const answered = vi.fn()
  queue.submit({ execute: async () => 'a' }).then(answered, answered)
  await vi.waitFor(() => expect(onBroken).toHaveBeenCalledExactlyOnceWith(failure))
  expect(answered).not.toHaveBeenCalled()
})
