// Reading block after block: no block is left out, and the cursor passes none before its deposits are in the database.
import { beforeEach, describe, expect, test } from 'vitest'
import type { Address, ObservedTransaction } from '#core/chain/types.ts'
import type { BlockNotice, ScannedBlock } from '#ports/blocks.ts'
import { BlockScan } from '#services/detection/blocks/block-scan.ts'
import { addressNo, landed, NOW, signatureNo } from '../../../support/payment.ts'

const HEAD = { slot: 100n, blockhash: 'hash 100' }
const INTENT_OF = new Map(Array.from({ length: 300 }, (_, at) => [addressNo(at + 1), `intent-${at + 1}`] as const))

let chain: Map<bigint, ScannedBlock>
/** Slots that no provider returns, and slots that none lists. */
let withheld: Set<bigint>
let unlisted: Set<bigint>
/** Whether the provider that is asked first lists nothing: the others are asked when an empty list is not believed. */
let isFirstStuck: boolean
/** Slots whose block cannot be asked for. */
let readBlockFails: Set<bigint>
let asked: string[]
let taken: [intent: string, signatures: readonly string[]][]
let fails: (intent: string) => boolean
let readFails: boolean
let known: Map<string, ObservedTransaction>
/** By signature, why a transaction does not count as final yet; and how many were judged in each call. */
let doubts: Map<string, string | null>
let judged: number[]
/** Waits before the provider returns a transaction, and before an intent is taken in. */
let latency: () => Promise<void>
let takes: (intent: string) => void
let saved: bigint[]
let setAside: Map<string, string>
let canSetAside: boolean
let whileSettingAside: () => Promise<void>
let lateAddresses: { knowsAll: boolean; late: Set<string> }
let errors: unknown[]
let now: number
let scan: BlockScan

const transaction = (number: number) =>
  landed({ signature: signatureNo(number), slot: 1n, moves: [{ account: addressNo(1), delta: 5n }] })
const notice = (number: number, owner: Address, exact = true): BlockNotice => ({
  signature: signatureNo(number),
  owners: [owner],
  transaction: exact ? transaction(number) : null,
})

/** Adds a block to the chain. Slots before it may be skipped. */
function produce(slot: number, ...notices: BlockNotice[]): void {
  const parent = [...chain.keys()].at(-1) ?? HEAD.slot
  chain.set(BigInt(slot), {
    slot: BigInt(slot),
    blockhash: `hash ${slot}`,
    parentSlot: parent,
    parentBlockhash: `hash ${parent}`,
    time: new Date(slot * 1_000),
    notices,
  })
}
/** Returns more deposits to one address than one round takes in together with others. */
const flood = (index: number) => Array.from({ length: 100 }, (_, at) => notice(index * 1_000 + at, addressNo(index)))
const produceUpTo = (last: number) => {
  for (let slot = Number([...chain.keys()].at(-1) ?? HEAD.slot) + 1; slot <= last; slot += 1) produce(slot)
}

beforeEach(() => {
  chain = new Map()
  withheld = new Set()
  unlisted = new Set()
  isFirstStuck = false
  readBlockFails = new Set()
  asked = []
  taken = []
  fails = () => false
  readFails = false
  known = new Map()
  doubts = new Map()
  judged = []
  latency = async () => {}
  takes = () => {}
  saved = []
  setAside = new Map()
  canSetAside = true
  whileSettingAside = async () => {}
  lateAddresses = { knowsAll: true, late: new Set() }
  errors = []
  now = NOW.getTime()
  scan = new BlockScan({
    network: 'live',
    source: {
      async finalSlots(after, span, insist) {
        asked.push(insist ? 'list, insisting' : 'list')
        if (isFirstStuck && !insist) return []
        return [...chain.keys()].filter((slot) => slot > after && slot <= after + BigInt(span) && !unlisted.has(slot))
      },
      async nextFinalSlots(after, limit) {
        asked.push('list the next')
        return [...chain.keys()].filter((slot) => slot > after && !unlisted.has(slot)).slice(0, limit)
      },
      async finalBlock(slot) {
        asked.push(`block ${slot}`)
        if (readBlockFails.has(slot)) throw new Error('no provider answers')
        return withheld.has(slot) ? null : (chain.get(slot) ?? null)
      },
    },
    chain: {
      async transaction(signature) {
        await latency()
        return known.get(signature) ?? null
      },
      async finalDoubts(reported) {
        judged.push(reported.length)
        return new Map(
          reported.flatMap(({ signature }) =>
            doubts.has(signature) ? [[signature, doubts.get(signature) ?? null]] : [],
          ),
        )
      },
    },
    store: {
      async intentsAt(_network, addresses) {
        if (readFails) throw new Error('the database is away')
        return new Map([...INTENT_OF].filter(([address]) => addresses.includes(address)))
      },
      async saveCursor(_network, { slot, blockhash }) {
        expect(blockhash).toBe(`hash ${slot}`)
        saved.push(slot)
      },
    },
    async takeIn(intent, transactions) {
      taken.push([intent, transactions.map(({ signature }) => signature)])
      takes(intent)
      if (fails(intent)) throw new Error('no price')
    },
    setAside: {
      async put(intents, reason) {
        if (!canSetAside) throw new Error('the database is away')
        for (const intent of intents) setAside.set(intent, reason)
        await whileSettingAside()
      },
      get ids() {
        return new Set(setAside.keys())
      },
    },
    clock: { now: () => NOW },
    wallClock: { now: () => new Date(now) },
    lateAddresses,
    onError: (error) => errors.push(error),
  })
  scan.begin(HEAD)
})

/** Runs one round, some seconds after the last. */
async function run(afterMs = 3_000) {
  now += afterMs
  asked = []
  return await scan.runOnce()
}

describe('the gap between the cursor and now', () => {
  test('is read block by block, over slots that were skipped', async () => {
    produce(101, notice(1, addressNo(1)))
    produce(104, notice(2, addressNo(2)))
    produce(105)
    expect(await run()).toEqual({ blocks: 3, again: false })
    expect(asked).toEqual(['list', 'block 101', 'block 104', 'block 105'])
    expect(scan.head).toEqual({ slot: 105n, blockhash: 'hash 105' })
    expect(taken.sort()).toEqual([
      ['intent-1', [signatureNo(1)]],
      ['intent-2', [signatureNo(2)]],
    ])
  })

  test('is read in bounded rounds when it is long', async () => {
    produceUpTo(400)
    let rounds = 0
    while ((await run()).again) rounds += 1
    expect(scan.head?.slot).toBe(400n)
    expect(rounds).toBeGreaterThan(10)
    expect(new Set(saved).size).toBe(saved.length)
    expect(saved.at(-1)).toBe(400n)
  })

  test('has no hole when a provider lists too little: a block names its parent', async () => {
    produceUpTo(110)
    produce(111, notice(1, addressNo(1)))
    produceUpTo(115)
    for (let slot = 103n; slot <= 112n; slot += 1n) unlisted.add(slot)
    for (let rounds = 0; rounds < 3; rounds += 1) await run()
    expect(scan.head?.slot).toBe(115n)
    expect(taken).toEqual([['intent-1', [signatureNo(1)]]])
  })
})

describe('a stretch without a block', () => {
  const notices = { 'with finality notices': true, 'without finality notices': false }

  test.each(Object.entries(notices))('that is longer than one listing is crossed, %s', async (_, areSent) => {
    produce(101)
    await run()
    produce(250_000, notice(1, addressNo(1)))
    produceUpTo(250_100)
    for (let rounds = 0; rounds < 20; rounds += 1) {
      if (areSent) scan.hint(250_100n)
      await run()
    }
    expect(scan.head?.slot).toBe(250_100n)
    expect(taken).toEqual([['intent-1', [signatureNo(1)]]])
  })

  test('shows in the lag, also without finality notices', async () => {
    produce(250_000)
    withheld.add(250_000n)
    for (let rounds = 0; rounds < 5; rounds += 1) await run()
    expect([scan.head?.slot, scan.lag]).toEqual([100n, 249_900n])
  })

  test('costs no further call while a listing can contain the newest block', async () => {
    scan.hint(250n)
    await run()
    expect(asked).toEqual(['list, insisting'])
    scan.hint(301n)
    await run()
    expect(asked).toEqual(['list, insisting', 'list the next'])
  })
})

describe('a block that no provider gives', () => {
  test('is never passed: it is asked for again, and reading continues once it is there', async () => {
    produce(101)
    produce(102, notice(1, addressNo(1)))
    produce(103)
    withheld.add(102n)
    await run()
    await run()
    expect(scan.head?.slot).toBe(101n)
    expect(saved).toEqual([101n])
    expect(asked).toContain('block 102')
    withheld.clear()
    await run()
    expect(scan.head?.slot).toBe(103n)
    expect(taken).toEqual([['intent-1', [signatureNo(1)]]])
  })

  test('holds up the blocks after it, also when no provider lists it', async () => {
    produceUpTo(103)
    withheld.add(102n)
    unlisted.add(102n)
    for (let rounds = 0; rounds < 5; rounds += 1) await run()
    expect(scan.head?.slot).toBe(101n)
  })
})

describe('blocks after a missing block', () => {
  const blocksAsked = () => asked.filter((call) => call.startsWith('block')).length

  beforeEach(() => produceUpTo(160))

  test('are not read in every round, because they cannot be linked yet', async () => {
    withheld.add(101n)
    await run()
    let calls = 0
    for (let rounds = 0; rounds < 64; rounds += 1) {
      await run()
      if (rounds === 0) expect(blocksAsked()).toBeLessThanOrEqual(2)
      calls += blocksAsked()
    }
    expect(calls).toBeLessThanOrEqual(64 * 3)
    withheld.clear()
    await run()
    expect(scan.head?.slot).toBeGreaterThan(120n)
  })

  test('are not read in every round either while reading the missing block fails', async () => {
    readBlockFails.add(101n)
    await expect(run()).rejects.toThrow('no provider answers')
    await expect(run()).rejects.toThrow('no provider answers')
    expect(blocksAsked()).toBe(1)
    readBlockFails.clear()
    await run()
    expect(scan.head?.slot).toBeGreaterThan(120n)
  })

  test('are followed again when a wrong block named a parent that does not exist', async () => {
    withheld.add(101n)
    await run()
    expect(scan.head?.slot).toBe(100n)
    // Slot 101 was skipped.
    chain.clear()
    produce(102)
    for (let rounds = 0; rounds < 16; rounds += 1) await run()
    expect(scan.head?.slot).toBe(102n)
  })

  test('are reached over more slots than a round follows, although a provider lists none of these', async () => {
    for (let slot = 102n; slot <= 158n; slot += 1n) unlisted.add(slot)
    withheld.add(101n)
    for (let rounds = 0; rounds < 4; rounds += 1) await run()
    withheld.clear()
    for (let rounds = 0; rounds < 8; rounds += 1) await run()
    expect(scan.head?.slot).toBe(160n)
  })
})

describe('a fork', () => {
  test('never moves the cursor: a block that follows another block is refused', async () => {
    produce(101)
    await run()
    produce(102, notice(1, addressNo(1)))
    const right = chain.get(102n)
    if (right === undefined) throw new Error('it was just made')
    chain.set(102n, { ...right, parentBlockhash: 'hash of a fork' })
    await expect(run()).rejects.toThrow('block 102 does not follow block 101')
    await expect(run()).rejects.toThrow()
    expect([scan.head?.slot, scan.forks, saved, taken]).toEqual([101n, 2, [101n], []])
    chain.set(102n, right)
    await run()
    expect([scan.head?.slot, scan.forks, taken.length]).toEqual([102n, 0, 1])
  })

  test('that leaves out the block of the cursor is refused as well', async () => {
    chain.set(99n, { slot: 99n, blockhash: 'hash 99', parentSlot: 98n, parentBlockhash: '', time: null, notices: [] })
    produce(101)
    const block = chain.get(101n)
    if (block !== undefined) chain.set(101n, { ...block, parentSlot: 99n })
    await expect(run()).rejects.toThrow('does not follow')
    expect(scan.head).toEqual(HEAD)
  })
})

describe('a deposit in a block', () => {
  test('to an address that is not ours is passed over', async () => {
    produce(101, notice(1, addressNo(777)))
    await run()
    expect([taken, saved]).toEqual([[], [101n]])
  })

  test('that cannot be taken in holds the cursor, and delays only its own payment', async () => {
    fails = (intent) => intent === 'intent-1'
    produce(101, notice(1, addressNo(1)), notice(2, addressNo(2)))
    await run()
    produce(102)
    await run()
    expect(scan.head?.slot).toBe(102n)
    expect([saved, errors.length]).toEqual([[], 2])
    expect([scan.taken?.slot, [...scan.unfinished]]).toEqual([102n, ['intent-1']])
    expect(taken.map(([intent]) => intent)).toEqual(['intent-1', 'intent-2', 'intent-1'])
    fails = () => false
    produce(103)
    await run()
    expect(taken.at(-1)).toEqual(['intent-1', [signatureNo(1)]])
    expect([saved, scan.taken?.slot, scan.unfinished.size]).toEqual([[103n], 103n, 0])
  })

  test('that cannot be taken in for half a minute is set aside, and the cursor moves on', async () => {
    fails = (intent) => intent === 'intent-1'
    produce(101, notice(1, addressNo(1)), notice(2, addressNo(2)))
    await run()
    await run(29_000)
    expect([saved, setAside.size]).toEqual([[], 0])
    await run(1_000)
    expect([...setAside]).toEqual([['intent-1', 'Its deposits cannot be taken in: Error: no price']])
    // The payment itself stays open.
    expect([saved, [...scan.unfinished]]).toEqual([[101n], ['intent-1']])
    taken = []
    await run()
    expect(taken).toEqual([])
  })

  test('on which two providers do not agree yet is not taken in, and is judged in one call with the others', async () => {
    doubts.set(signatureNo(1), null)
    produce(101, notice(1, addressNo(1)), notice(2, addressNo(2)), notice(3, addressNo(1)))
    await run()
    expect([taken.sort(), judged]).toEqual([
      [
        ['intent-1', [signatureNo(3)]],
        ['intent-2', [signatureNo(2)]],
      ],
      [3],
    ])
    expect([saved, errors]).toEqual([[], []])
    doubts.clear()
    await run()
    expect([taken.at(-1), saved]).toEqual([['intent-1', [signatureNo(1)]], [101n]])
  })

  test('on which two providers do not agree for half a minute has its payment set aside, with the reason', async () => {
    doubts.set(signatureNo(1), 'another provider does not know it')
    produce(101, notice(1, addressNo(1)))
    await run()
    await run(30_000)
    expect([taken, errors, saved]).toEqual([[], [], [101n]])
    expect(setAside.get('intent-1')).toMatch(/two providers have to agree \(another provider does not know it\)/)
  })

  test('of a payment that is set aside is tried once, and the cursor does not wait for it', async () => {
    setAside.set('intent-1', 'an older reason')
    fails = () => true
    produce(101, notice(1, addressNo(1)))
    await run()
    expect([taken.length, saved, setAside.get('intent-1')]).toEqual([1, [101n], expect.stringContaining('no price')])
    fails = () => false
    produce(102, notice(2, addressNo(1)))
    await run()
    expect(taken.at(-1)).toEqual(['intent-1', [signatureNo(2)]])
  })

  test('stays in the inbox until its payment is stored as set aside', async () => {
    fails = () => true
    canSetAside = false
    produce(101, notice(1, addressNo(1)))
    await run()
    await run(60_000)
    expect([saved, [...scan.unfinished]]).toEqual([[], ['intent-1']])
    canSetAside = true
    await run()
    expect([saved, [...setAside.keys()]]).toEqual([[101n], ['intent-1']])
  })

  test('among thousands to one payment is taken in over several rounds, for which no other payment waits', async () => {
    produce(101, ...Array.from({ length: 2_500 }, (_, at) => notice(at, addressNo(1))), notice(9_999, addressNo(2)))
    await run()
    expect(taken).toEqual([['intent-2', [signatureNo(9_999)]]])
    expect([scan.taken?.slot, [...scan.unfinished], saved]).toEqual([101n, ['intent-1'], []])
    taken = []
    for (let rounds = 0; rounds < 3; rounds += 1) await scan.takeInFlooded()
    expect(taken.map(([, signatures]) => signatures.length)).toEqual([1_000, 1_000, 500])
    expect(new Set(taken.flatMap(([, signatures]) => signatures)).size).toBe(2_500)
    await run()
    expect([saved, scan.unfinished.size]).toEqual([[101n], 0])
  })

  test('among more than can be taken in holds the cursor for five minutes at most', async () => {
    for (let slot = 101; setAside.size === 0 && slot < 200; slot += 1) {
      produce(slot, ...Array.from({ length: 1_100 }, (_, at) => notice(slot * 10_000 + at, addressNo(1))))
      await run(25_000)
      await scan.takeInFlooded()
    }
    expect(setAside.get('intent-1')).toMatch(/more deposits/)
    await run()
    expect(saved).toEqual([113n])
  })

  test('that is found while its payment is being set aside has the payment set aside again', async () => {
    fails = () => true
    produce(101, ...flood(1))
    await run()
    now += 5 * 60_000
    let times = 0
    whileSettingAside = async () => {
      times += 1
      if (times > 1) return
      produce(102, notice(7_777, addressNo(1)))
      await run()
    }
    await scan.takeInFlooded()
    expect([times, saved]).toEqual([1, []])
    await run()
    expect([times, saved]).toEqual([2, [102n]])
  })

  test('to one of many flooded payments is taken in, although the first of them fail, and none is set aside for waiting', async () => {
    fails = (intent) => ['intent-1', 'intent-2'].includes(intent)
    produce(101, ...[1, 2, 3, 4].flatMap(flood))
    await run()
    await scan.takeInFlooded()
    now += 31_000
    await scan.takeInFlooded()
    expect(taken.map(([intent]) => intent)).toEqual(['intent-1', 'intent-2', 'intent-3', 'intent-4'])
    expect(setAside.size).toBe(0)
    await scan.takeInFlooded()
    expect([...setAside.keys()]).toEqual(['intent-1', 'intent-2'])
  })

  test('of a payment that is set aside is not tried when taking it in would delay other payments', async () => {
    const indices = Array.from({ length: 20 }, (_, at) => at + 1)
    for (const index of indices) setAside.set(`intent-${index}`, 'an older reason')
    takes = (intent) => {
      if (setAside.has(intent)) now += 1_000
    }
    const round = async (slot: number) => {
      taken = []
      produce(
        slot,
        ...indices.map((index) => notice(slot * 100 + index, addressNo(index))),
        notice(slot, addressNo(slot)),
      )
      await run()
      return taken.map(([intent]) => intent)
    }
    // Eight begin at once, and then the time has ended.
    const first = await round(101)
    expect([first[0], first.length]).toEqual(['intent-101', 8])
    // The payments that took long are not tried again.
    const second = await round(102)
    expect([second[0], second.filter((intent) => first.includes(intent))]).toEqual(['intent-102', []])
    expect(second.length).toBeLessThan(10)
    expect(saved).toEqual([101n, 102n])
  })

  test('is not lost when its intent cannot be read', async () => {
    readFails = true
    produce(101, notice(1, addressNo(1)))
    await expect(run()).rejects.toThrow('the database is away')
    expect([saved, scan.taken]).toEqual([[], null])
    readFails = false
    await run()
    expect(taken).toEqual([['intent-1', [signatureNo(1)]]])
    expect(saved).toEqual([101n])
  })

  test('is read by its signature when the block does not contain it exactly', async () => {
    produce(101, notice(1, addressNo(1), false))
    await run()
    expect([taken, saved]).toEqual([[], []])
    known.set(signatureNo(1), transaction(1))
    await run()
    expect([taken, saved]).toEqual([[['intent-1', [signatureNo(1)]]], [101n]])
  })

  test('that cannot be read holds up no other deposit to its payment', async () => {
    known.set(signatureNo(2), transaction(2))
    produce(101, ...[1, 2].map((number) => notice(number, addressNo(1), false)), notice(3, addressNo(1)))
    await run()
    expect([taken, saved]).toEqual([[['intent-1', [2, 3].map(signatureNo)]], []])
    known.set(signatureNo(1), transaction(1))
    await run()
    expect([taken.slice(1), saved]).toEqual([[['intent-1', [signatureNo(1)]]], [101n]])
  })

  test('to a payment whose deposits take long to take in delays no other payment', async () => {
    takes = (intent) => {
      if (intent === 'intent-1') now += 1_000
    }
    produce(101, notice(1, addressNo(1)))
    await run()
    taken = []
    produce(102, notice(2, addressNo(1)), notice(3, addressNo(2)))
    await run()
    expect([taken, [...scan.unfinished]]).toEqual([[['intent-2', [signatureNo(3)]]], ['intent-1']])
    takes = () => {}
    await scan.takeInFlooded()
    expect([taken.length, scan.unfinished.size]).toEqual([2, 0])
    produce(103, notice(4, addressNo(1)))
    await run()
    expect(taken).toHaveLength(3)
  })

  test('is taken in with all others to its intent in the round', async () => {
    produce(101, notice(1, addressNo(1)), notice(2, addressNo(1)))
    produce(102, notice(3, addressNo(1)))
    await run()
    expect(taken).toEqual([['intent-1', [1, 2, 3].map(signatureNo)]])
  })
})

describe('deposits that their block does not contain exactly, at a provider that takes 200 ms for each call', () => {
  let atOnce: number
  let mostAtOnce: number

  beforeEach(() => {
    atOnce = 0
    mostAtOnce = 0
    let answers: Promise<void> | null = null
    // Calls at the same time take the 200 ms together.
    latency = async () => {
      atOnce += 1
      mostAtOnce = Math.max(mostAtOnce, atOnce)
      answers ??= new Promise<void>(setImmediate).then(() => {
        answers = null
        now += 200
      })
      await answers
      atOnce -= 1
    }
  })
  const inexact = (number: number, owner: Address): BlockNotice => {
    known.set(signatureNo(number), transaction(number))
    return notice(number, owner, false)
  }
  const timed = async (round: () => Promise<unknown>): Promise<number> => {
    const before = now
    await round()
    return now - before
  }

  test('are read eight at a time in bounded rounds, when one payment has many, and delay only this payment', async () => {
    produce(101, ...Array.from({ length: 1_000 }, (_, at) => inexact(at, addressNo(1))), notice(9_999, addressNo(2)))
    expect(await timed(() => run(0))).toBe(0)
    expect([taken, scan.taken?.slot]).toEqual([[['intent-2', [signatureNo(9_999)]]], 101n])
    let rounds = 0
    for (; scan.unfinished.size > 0; rounds += 1) {
      expect(rounds).toBeLessThan(10)
      expect(await timed(() => scan.takeInFlooded())).toBeLessThanOrEqual(5_200)
    }
    expect([rounds, mostAtOnce]).toEqual([5, 8])
    expect(new Set(taken.flatMap(([, signatures]) => signatures)).size).toBe(1_001)
    await run()
    expect(saved).toEqual([101n])
  })

  test('delay a round by two seconds and a call at most, when many payments have one each, and are all taken in', async () => {
    latency = async () => {
      now += 200
    }
    produce(
      101,
      ...Array.from({ length: 299 }, (_, at) => inexact(at, addressNo(at + 1))),
      notice(9_999, addressNo(300)),
    )
    expect(await timed(() => run(0))).toBeLessThanOrEqual(4_000)
    expect(taken[0]).toEqual(['intent-300', [signatureNo(9_999)]])
    expect(scan.unfinished.size).toBeGreaterThan(250)
    latency = async () => {}
    for (let rounds = 0; scan.unfinished.size > 0; rounds += 1) {
      expect(rounds).toBeLessThan(150)
      await scan.takeInFlooded()
    }
    expect([new Set(taken.map(([intent]) => intent)).size, setAside.size]).toEqual([300, 0])
  })

  test('of a payment that is set aside are not waited for when the time of the round has ended', async () => {
    setAside.set('intent-1', 'an older reason')
    produce(101, ...Array.from({ length: 200 }, (_, at) => inexact(at, addressNo(1))))
    expect(await timed(() => run())).toBeLessThanOrEqual(3_000 + 2_200)
    expect([scan.unfinished, setAside.get('intent-1'), saved]).toEqual([
      new Set(['intent-1']),
      expect.stringContaining('more deposits'),
      [101n],
    ])
  })
})

describe('the cursor', () => {
  test('stays while an address may be unknown', async () => {
    lateAddresses.knowsAll = false
    produceUpTo(103)
    await run()
    expect([scan.head?.slot, saved, scan.taken]).toEqual([103n, [], null])
    lateAddresses.knowsAll = true
    await run()
    expect(saved).toEqual([103n])
  })

  test('stays while a late address has not been checked, without delaying other payments', async () => {
    lateAddresses.late.add('intent-1')
    produce(101)
    await run()
    expect([saved, scan.taken?.slot, [...scan.unfinished]]).toEqual([[], 101n, ['intent-1']])
    lateAddresses.late.clear()
    await run()
    expect([saved, scan.unfinished.size]).toEqual([[101n], 0])
  })

  test('is not stored with every block', async () => {
    for (let slot = 101; slot <= 110; slot += 1) {
      produce(slot)
      await run(400)
    }
    expect(saved.length).toBeLessThanOrEqual(3)
  })

  test('stays behind the head, which says whether a new address is late', async () => {
    lateAddresses.knowsAll = false
    produceUpTo(103)
    await run()
    expect([scan.taken, scan.readTo]).toEqual([null, new Date(103_000)])
    scan.begin(HEAD)
    expect(scan.readTo).toBeNull()
  })

  test('starts again at the place that is given', async () => {
    produceUpTo(105)
    await run()
    scan.begin({ slot: 102n, blockhash: 'hash 102' })
    expect(scan.taken).toBeNull()
    await run()
    expect(scan.head?.slot).toBe(105n)
  })
})

describe('finality notices', () => {
  test('near the head cost no call except for the block itself', async () => {
    for (let slot = 101; slot <= 120; slot += 1) {
      produce(slot)
      now += 400
      scan.hint(BigInt(slot))
      asked = []
      await scan.runOnce()
      expect(asked).toEqual([`block ${slot}`])
    }
  })

  test('that pass over blocks have these read as well', async () => {
    produce(101)
    produce(103, notice(1, addressNo(1)))
    produce(106)
    scan.hint(106n)
    expect(await run(0)).toMatchObject({ blocks: 3 })
    expect(asked).toEqual(['block 106', 'block 103', 'block 101'])
    expect(taken).toHaveLength(1)
  })

  test('far ahead of the head have the slots between listed, and no empty list of one provider is believed', async () => {
    produceUpTo(140)
    scan.hint(140n)
    expect(await run(0)).toMatchObject({ again: true })
    expect(asked[0]).toBe('list, insisting')
  })

  test('that fall silent are replaced by listing slots', async () => {
    scan.hint(100n)
    await run(0)
    expect(asked).toEqual([])
    await run(2_000)
    expect(asked).toEqual(['list'])
  })

  test('that never arrive have slots listed every other second, and no more often', async () => {
    let listings = 0
    for (let second = 1; second <= 60; second += 1) {
      await run(1_000)
      listings += asked.filter((call) => call !== 'list the next').length
    }
    expect(listings).toBe(30)
  })

  test('that are ahead of the providers of blocks are followed with a tip offset, so that few calls find no block', async () => {
    let vain = 0
    for (let slot = 101; slot <= 160; slot += 1) {
      produce(slot)
      withheld = new Set([BigInt(slot)])
      now += 400
      scan.hint(BigInt(slot))
      asked = []
      await scan.runOnce()
      vain += asked.includes(`block ${slot}`) ? 1 : 0
    }
    expect(vain).toBeLessThanOrEqual(1)
    expect(scan.head?.slot).toBe(159n)
  })
})

test('when the head has not moved for long, an empty list of one provider is not believed', async () => {
  await run(9_000)
  expect(asked).toEqual(['list'])
  await run(2_000)
  expect(asked).toEqual(['list, insisting', 'list the next'])
})

test('a provider that is stuck does not make reading fall behind another provider, also without notices', async () => {
  isFirstStuck = true
  for (let second = 1; second <= 600; second += 1) {
    produceUpTo(100 + Math.floor(second * 2.5))
    now += 1_000
    while ((await scan.runOnce()).again);
  }
  const newest = [...chain.keys()].at(-1) ?? 0n
  expect(newest - (scan.head?.slot ?? 0n)).toBeLessThan(60n)
})
