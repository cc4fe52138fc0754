// The log of requests: written together, and never at the cost of the requests.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ApiRequest } from '#core/accounts/api-request.ts'
import { RequestLog } from '#services/platform/request-log.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const request = (requestId: string, accountId = 'a'): ApiRequest => ({
  accountId,
  keyHint: '0000',
  method: 'GET',
  route: '/status',
  status: 200,
  errorCode: null,
  requestId,
  createdAt: new Date(0),
})

function start(insert: (requests: readonly ApiRequest[]) => Promise<void> = async () => {}) {
  const written: (readonly string[])[] = []
  const log = new RequestLog({
    insert(requests) {
      written.push(requests.map(({ requestId }) => requestId))
      return insert(requests)
    },
  })
  return { log, written }
}

it('requests of a second are written in one insert', async () => {
  const { log, written } = start()
  for (const id of ['1', '2', '3']) log.add(request(id))
  expect(written).toEqual([])
  await vi.advanceTimersByTimeAsync(1_000)
  log.add(request('4'))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(written).toEqual([['1', '2', '3'], ['4']])
})

it('a flood is kept in part', async () => {
  const { log, written } = start()
  for (let at = 0; at < 1_000; at += 1) log.add(request(String(at), `account ${at % 50}`))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(written.map(({ length }) => length)).toEqual([200])
})

it('a flood of one business hides no request of another, and ends with its second', async () => {
  const { log, written } = start()
  for (let at = 0; at < 1_000; at += 1) log.add(request('flood'))
  log.add(request('other', 'b'))
  await vi.advanceTimersByTimeAsync(1_000)
  log.add(request('later'))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(written).toEqual([[...Array.from({ length: 20 }, () => 'flood'), 'other'], ['later']])
})

it('an insert waits for the one before it, and what waits meanwhile is bounded', async () => {
  const finish: (() => void)[] = []
  const { log, written } = start(() => new Promise((resolve) => void finish.push(resolve)))
  log.add(request('1'))
  await vi.advanceTimersByTimeAsync(1_000)
  for (let second = 0; second < 5; second += 1) {
    for (let at = 0; at < 15; at += 1) log.add(request('2'))
    await vi.advanceTimersByTimeAsync(1_000)
  }
  expect(written).toEqual([['1']])
  finish[0]?.()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(written).toEqual([['1'], Array.from({ length: 20 }, () => '2')])
})

it('a failure of the database costs what it did not take, and no more', async () => {
  const { log, written } = start(() => Promise.reject(new Error('away')))
  log.add(request('1'))
  await vi.advanceTimersByTimeAsync(1_000)
  log.add(request('2'))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(written).toEqual([['1'], ['2']])
})

it('what waits is written when the service stops', async () => {
  const { log, written } = start()
  log.add(request('1'))
  await log.close()
  expect(written).toEqual([['1']])
})

it('the service stops after every insert has finished', async () => {
  const finish: (() => void)[] = []
  const { log, written } = start(() => new Promise((resolve) => void finish.push(resolve)))
  for (const id of ['1', '2']) {
    log.add(request(id))
    await vi.advanceTimersByTimeAsync(1_000)
  }
  log.add(request('3'))
  let isClosed = false
  const closed = log.close().then(() => {
    isClosed = true
  })
  for (const inserts of [1, 2]) {
    await vi.advanceTimersByTimeAsync(0)
    expect([written.length, isClosed]).toEqual([inserts, false])
    finish[inserts - 1]?.()
  }
  await closed
  expect(written).toEqual([['1'], ['2', '3']])
})
