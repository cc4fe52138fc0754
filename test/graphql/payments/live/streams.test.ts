// Places of live streams: which holder they count for, and how each is freed.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createStreams,
  DEFAULT_STREAM_LIMITS,
  type Holder,
  holdersOfAccount,
  holdersOfFeed,
  holdersOfIntent,
  type Stream,
} from '#graphql/payments/live/streams.ts'

const many = { account: 9, feed: 9, buyers: 9, intent: 9, address: 9, everyBuyer: 9, total: 9 }
const open = (streams: ReturnType<typeof createStreams>, holders: readonly Holder[], times: number) => {
  for (let time = 0; time < times; time++) streams.open(holders)
}
const refused = expect.objectContaining({ code: 'rate_limited' })

it('a stream of all payments of a marketplace counts for its keys and for its feed', () => {
  const streams = createStreams({ ...many, account: 3, feed: 2 })
  open(streams, holdersOfFeed('a'), 2)
  expect(() => streams.open(holdersOfFeed('a'))).toThrow(refused)
  expect(() => streams.open(holdersOfFeed('b'))).not.toThrow()
  streams.open(holdersOfAccount('a'))
  expect(() => streams.open(holdersOfAccount('a'))).toThrow(refused)
})

describe('a stream of a buyer', () => {
  const of = (intent: string, account: string, address: string) =>
    holdersOfIntent({ id: intent, accountId: account }, address)

  it.each([
    ['intent', of('i', 'other', '10.0.0.2'), of('other', 'a', '10.0.0.1')],
    ['buyers', of('other', 'a', '10.0.0.2'), of('i', 'other', '10.0.0.1')],
    ['address', of('other', 'other', '10.0.0.1'), of('i', 'a', '10.0.0.2')],
  ])('counts for its %s', (kind, sharing, notSharing) => {
    const streams = createStreams({ ...many, [kind]: 2 })
    open(streams, of('i', 'a', '10.0.0.1'), 2)
    expect(() => streams.open(sharing)).toThrow(refused)
    expect(() => streams.open(notSharing)).not.toThrow()
  })

  it('leaves places for businesses, however many streams buyers have', () => {
    const streams = createStreams({ ...many, everyBuyer: 2 })
    open(streams, of('i', 'a', '10.0.0.1'), 1)
    open(streams, of('j', 'b', '10.0.0.2'), 1)
    expect(() => streams.open(of('k', 'c', '10.0.0.3'))).toThrow(refused)
    expect(() => streams.open(holdersOfAccount('a'))).not.toThrow()
  })

  it('takes no place of the keys of its account', () => {
    const streams = createStreams({ ...many, account: 1, buyers: 1 })
    streams.open(of('i', 'a', '10.0.0.1'))
    streams.open(holdersOfAccount('a'))
    expect(streams.count()).toBe(2)
  })

  it('counts for its address, which can have a tenth of all places', () => {
    const streams = createStreams(DEFAULT_STREAM_LIMITS)
    let taken = 0
    for (let secret = 0; secret < 520; secret++) {
      for (let place = 0; place < 50; place++) {
        try {
          streams.open(of(`intent ${secret}`, `account ${secret % 20}`, '10.0.0.1'))
          taken++
        } catch {
          break
        }
      }
    }
    expect(taken).toBe(1_000)
    expect(() => streams.open(of('another', 'account 1', '10.0.0.2'))).not.toThrow()
    expect(() => streams.open(holdersOfAccount('account 1'))).not.toThrow()
  })
})

describe('a place', () => {
  it('is not taken from a holder when another has none left', () => {
    const streams = createStreams({ ...many, intent: 1, buyers: 2 })
    const holders = (intent: string) => holdersOfIntent({ id: intent, accountId: 'a' }, '10.0.0.1')
    streams.open(holders('i'))
    for (let time = 0; time < 5; time++) expect(() => streams.open(holders('i'))).toThrow(refused)
    expect(() => streams.open(holders('j'))).not.toThrow()
  })

  it('is freed once, however often its stream ends', () => {
    const streams = createStreams({ ...many, account: 2 })
    const request = new AbortController()
    const stream = streams.open(holdersOfAccount('a'), request.signal)
    streams.open(holdersOfAccount('a'))
    stream.close()
    stream.close()
    request.abort()
    expect(streams.count()).toBe(1)
    open(streams, holdersOfAccount('a'), 1)
    expect(() => streams.open(holdersOfAccount('a'))).toThrow(refused)
  })

  it('is freed when its request ends, which ends the stream', () => {
    const streams = createStreams(many)
    const request = new AbortController()
    const stream = streams.open(holdersOfAccount('a'), request.signal)
    request.abort()
    expect([streams.count(), stream.signal.aborted]).toEqual([0, true])
  })

  it('is not reserved for a request that has already ended', () => {
    const streams = createStreams(many)
    const stream = streams.open(holdersOfAccount('a'), AbortSignal.abort())
    expect([streams.count(), stream.signal.aborted]).toEqual([0, true])
  })

  it('is freed, and no other is given, when the service stops', () => {
    const streams = createStreams(many)
    const stream = streams.open(holdersOfAccount('a'))
    streams.endAll()
    expect([streams.count(), stream.signal.aborted]).toEqual([0, true])
    expect(() => streams.open(holdersOfAccount('a'))).toThrow(refused)
  })

  it('is counted correctly in any order of opening and closing', () => {
    const limits = { account: 3, feed: 1, buyers: 3, intent: 2, address: 3, everyBuyer: 5, total: 7 }
    const step = fc.oneof(
      fc.record({ open: fc.constantFrom('a', 'b'), intent: fc.constantFrom(null, 'i', 'j', 'k') }),
      fc.record({ close: fc.nat(20), byRequest: fc.boolean() }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const streams = createStreams(limits)
        const all: { stream: Stream; request: AbortController; holders: readonly Holder[] }[] = []
        const counts = (holder: Holder) =>
          all.filter(({ holders }) => holders.some(({ kind, id }) => kind === holder.kind && id === holder.id)).length
        for (const one of steps) {
          if ('close' in one) {
            const [ended] = all.splice(one.close % Math.max(1, all.length), 1)
            if (one.byRequest) ended?.request.abort()
            else ended?.stream.close()
            continue
          }
          const { open: account, intent } = one
          const holders =
            intent === null ? holdersOfAccount(account) : holdersOfIntent({ id: intent, accountId: account }, account)
          const hasRoom = all.length < limits.total && holders.every((holder) => counts(holder) < limits[holder.kind])
          const request = new AbortController()
          if (hasRoom) all.push({ stream: streams.open(holders, request.signal), request, holders })
          else expect(() => streams.open(holders, request.signal)).toThrow(refused)
          expect(streams.count()).toBe(all.length)
        }
      }),
    )
  })
})
