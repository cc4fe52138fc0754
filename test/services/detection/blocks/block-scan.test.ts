// Reading block after block: no block is left out, and the cursor passes none before its deposits are in the database.
import { beforeEach, describe, expect, test } from 'vitest'
import type { Address, ObservedTransaction } from '#core/chain/types.ts'
import type { BlockNotice, ScannedBlock } from '#ports/blocks.ts'
import { type BlockScan, createBlockScan } from '#services/detection/blocks/block-scan.ts'
import { addressNo, landed, NOW, signatureNo } from '../../../support/payment.ts'

const HEAD = { slot: 100n, blockhash: 'hash 100' }
const INTENT_OF = new Map([
  [addressNo(1), 'intent-1'],
  [addressNo(2), 'intent-2'],
])

let chain: Map<bigint, ScannedBlock>
/** Slots that no provider returns, and slots that none lists. */
let withheld: Set<bigint>
let unlisted: Set<bigint>
let asked: string[]
let taken: [intent: string, signatures: readonly string[]][]
let fails: (intent: string) => boolean
let readFails: boolean
let known: Map<string, ObservedTransaction>
let saved: bigint[]
let setAside: Map<string, string>
let canSetAside: boolean
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
const produceUpTo = (last: number) => {
  for (let slot = Number([...chain.keys()].at(-1) ?? HEAD.slot) + 1; slot <= last; slot += 1) produce(slot)
}

beforeEach(() => {
  chain = new Map()
  withheld = new Set()
  unlisted = new Set()
  asked = []
  taken = []
  fails = () => false
  readFails = false
  known = new Map()
  saved = []
  setAside = new Map()
  canSetAside = true
  lateAddresses = { knowsAll: true, late: new Set() }
  errors = []
  now = NOW.getTime()
  scan = createBlockScan({
    network: 'live',
    source: {
      async finalSlots(after, span, insist) {
        asked.push(insist ? 'list, insisting' : 'list')
        return [...chain.keys()].filter((slot) => slot > after && slot <= after + BigInt(span) && !unlisted.has(slot))
      },
      async finalBlock(slot) {
        asked.push(`block ${slot}`)
        return withheld.has(slot) ? null : (chain.get(slot) ?? null)
      },
    },
    chain: { transaction: async (signature) => known.get(signature) ?? null },
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
    async take(intent, transactions) {
      taken.push([intent, transactions.map(({ signature }) => signature)])
      if (fails(intent)) throw new Error('no price')
    },
    setAside: {
      async put(intents, reason) {
        if (!canSetAside) throw new Error('the database is away')
        for (const intent of intents) setAside.set(intent, reason)
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
    produce(101, notice(1, addressNo(77)))
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

  test('among thousands to one payment is taken in over several rounds', async () => {
    produce(101, ...Array.from({ length: 2_500 }, (_, at) => notice(at, addressNo(1))), notice(9_999, addressNo(2)))
    await run()
    expect(taken.map(([intent, signatures]) => [intent, signatures.length])).toEqual([
      ['intent-1', 1_000],
      ['intent-2', 1],
    ])
    expect(saved).toEqual([])
    await run()
    await run()
    expect(taken.slice(2).map(([, signatures]) => signatures.length)).toEqual([1_000, 500])
    expect([saved, new Set(taken.flatMap(([, signatures]) => signatures)).size]).toEqual([[101n], 2_501])
  })

  test('among more than can be taken in holds the cursor for five minutes at most', async () => {
    for (let slot = 101; setAside.size === 0 && slot < 200; slot += 1) {
      const flood = Array.from({ length: 1_100 }, (_, at) => notice(slot * 10_000 + at, addressNo(1)))
      produce(slot, ...flood)
      await run(25_000)
    }
    expect(setAside.get('intent-1')).toMatch(/more deposits/)
    expect(saved).toEqual([113n])
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

  test('is taken in with all others to its intent in the round', async () => {
    produce(101, notice(1, addressNo(1)), notice(2, addressNo(1)))
    produce(102, notice(3, addressNo(1)))
    await run()
    expect(taken).toEqual([['intent-1', [1, 2, 3].map(signatureNo)]])
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

  test('far ahead of the head have the slots between listed', async () => {
    produceUpTo(140)
    scan.hint(140n)
    expect(await run(0)).toMatchObject({ again: true })
    expect(asked[0]).toBe('list')
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
      listings += asked.length
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
  expect(asked).toEqual(['list, insisting'])
})
