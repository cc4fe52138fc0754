// The log of requests: written together, and never at the cost of the requests.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ApiRequest } from '#core/accounts/api-request.ts'
import { RequestLog } from '#services/platform/request-log.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const request = (requestId: string): ApiRequest => ({
  accountId: 'a',
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
  for (let at = 0; at < 1_000; at += 1) log.add(request(String(at)))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(written.map(({ length }) => length)).toEqual([200])
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
