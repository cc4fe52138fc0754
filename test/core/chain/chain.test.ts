import { generateKeyPairSync } from 'node:crypto'
import {
  getAddressDecoder,
  getBase58Decoder,
  getProgramDerivedAddress,
  isOffCurveAddress,
  isAddress as kitIsAddress,
} from '@solana/kit'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { makeAddress } from '#core/chain/base58.ts'
import { type LinkedBlock, linkBlocks } from '#core/chain/block-chain.ts'
import { isOnCurve } from '#core/chain/curve.ts'
import { ACCOUNTS_PER_CALL, inCalls } from '#core/chain/full-calls.ts'
import { addressOfBytes, bytesOfAddress, isGivenAsset, isPublicKey } from '#core/chain/public-key.ts'
import {
  chooseSource,
  type DepositSourceKind,
  pollingCallsPerMinute,
  REST_AFTER_MOVE_MS,
} from '#core/chain/source-choice.ts'

describe('block chain', () => {
  const block = (slot: number, parent: number, over: Partial<LinkedBlock> = {}): LinkedBlock => ({
    slot: BigInt(slot),
    blockhash: `hash ${slot}`,
    parentSlot: BigInt(parent),
    parentBlockhash: `hash ${parent}`,
    ...over,
  })
  const HEAD = { slot: 10n, blockhash: 'hash 10' }
  const slotsOf = (blocks: readonly LinkedBlock[]) => blocks.map(({ slot }) => Number(slot))

  describe('blocks', () => {
    test('follow the head in the order of their slots, however they were read', () => {
      const { linked, obstacle } = linkBlocks(HEAD, [block(13, 11), block(11, 10), block(14, 13)])
      expect(slotsOf(linked)).toEqual([11, 13, 14])
      expect(obstacle).toBeNull()
    })

    test('up to the head are passed over', () => {
      expect(slotsOf(linkBlocks(HEAD, [block(9, 8), block(10, 9), block(11, 10)]).linked)).toEqual([11])
    })

    test('beyond one that was not read wait for it', () => {
      expect(linkBlocks(HEAD, [block(11, 10), block(14, 13)])).toEqual({
        linked: [block(11, 10)],
        obstacle: { kind: 'missing', slot: 13n },
      })
    })

    test.each([
      ['another block than the head', block(11, 10, { parentBlockhash: 'hash of a fork' })],
      ['a block before the head', block(11, 9)],
    ])('that follow %s are a fork, and nothing after them is linked', (_, fork) => {
      expect(linkBlocks(HEAD, [fork, block(12, 11)])).toEqual({ linked: [], obstacle: { kind: 'fork', slot: 11n } })
    })
  })

  test('whatever is left out, linking stops before it, and goes on once it is there', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 11, max: 60 }), { minLength: 1, maxLength: 30 }),
        fc.array(fc.boolean(), { minLength: 30, maxLength: 30 }),
        (slots, isRead) => {
          const chain = slots
            .sort((a, b) => a - b)
            .map((slot, at, all) => block(slot, at === 0 ? 10 : (all[at - 1] ?? 10)))
          const read = chain.filter((_, at) => isRead[at])
          const { linked, obstacle } = linkBlocks(HEAD, read)
          const firstUnread = isRead.indexOf(false)
          const expected = chain.slice(0, firstUnread === -1 ? chain.length : firstUnread)
          expect(linked).toEqual(expected.slice(0, chain.length))
          if (read.length === expected.length) expect(obstacle).toBeNull()
          else expect(obstacle?.kind).toBe('missing')
          expect(linkBlocks(HEAD, chain).linked).toEqual(chain)
        },
      ),
    )
  })
})

const LONG_AGO = REST_AFTER_MOVE_MS
const next = (source: DepositSourceKind, polling: number, sinceMs: number | null = LONG_AGO, blocks = 160) =>
  chooseSource({ source, sinceMs }, { polling, unnoticed: polling, blocks, blockCredits: 1 }).source

describe('what polling costs', () => {
  test('is full calls, as often as each account is due', () => {
    expect(pollingCallsPerMinute([{ accounts: 250, everyMs: 2_000 }])).toBe(90)
    expect(
      pollingCallsPerMinute([
        { accounts: 100, everyMs: 6_000 },
        { accounts: 6_000, everyMs: 3_600_000 },
        { accounts: 0, everyMs: 2_000 },
      ]),
    ).toBe(11)
  })
})

describe('the source of deposits', () => {
  test('is whichever costs less by a good deal', () => {
    expect(next('polling', 600)).toBe('blocks')
    expect(next('polling', 30)).toBe('polling')
    expect(next('blocks', 30)).toBe('polling')
    expect(next('blocks', 600)).toBe('blocks')
  })

  test('stays what it is between the two thresholds, whichever it is', () => {
    for (const polling of [129, 160, 199]) {
      expect(next('polling', polling)).toBe('polling')
      expect(next('blocks', polling)).toBe('blocks')
    }
    expect(next('polling', 201)).toBe('blocks')
    expect(next('blocks', 127)).toBe('polling')
  })

  test('does not change again soon after it has', () => {
    expect(next('polling', 600, LONG_AGO - 1)).toBe('polling')
    expect(next('blocks', 30, LONG_AGO - 1)).toBe('blocks')
    expect(next('polling', 600, null)).toBe('blocks')
  })

  test('comes with a reason that a person can follow', () => {
    const costs = { polling: 600.4, unnoticed: 600.4, blocks: 160, blockCredits: 1 }
    expect(chooseSource({ source: 'polling', sinceMs: null }, { ...costs, unnoticed: 900 }).reason).toBe(
      'polling would cost 600 calls a minute, 900 without account notices, blocks 160',
    )
    expect(chooseSource({ source: 'polling', sinceMs: null }, costs).reason).toBe(
      'polling would cost 600 calls a minute, blocks 160',
    )
    expect(chooseSource({ source: 'blocks', sinceMs: null }, costs).reason).toMatch(/no reason to change/)
    expect(chooseSource({ source: 'polling', sinceMs: 5 }, costs).reason).toMatch(/too lately/)
  })
})

describe('public key', () => {
  const base58 = getBase58Decoder()

  describe('an address from outside', () => {
    it('is one when it decodes to 32 bytes, leading zeros included', () => {
      fc.assert(
        fc.property(fc.nat(32), fc.uint8Array({ minLength: 32, maxLength: 32 }), (zeros, bytes) => {
          expect(isPublicKey(base58.decode(bytes.fill(0, 0, zeros)))).toBe(true)
        }),
      )
    })

    it('is none when it decodes to any other length', () => {
      fc.assert(
        fc.property(fc.uint8Array({ minLength: 20, maxLength: 40 }), (bytes) => {
          fc.pre(bytes.length !== 32)
          expect(isPublicKey(base58.decode(bytes))).toBe(false)
        }),
      )
    })

    it('is judged by the last digit at the largest and smallest numbers, for any count of leading zeros', () => {
      for (let zeros = 0; zeros < 32; zeros += 1) {
        const ones = '1'.repeat(zeros)
        const largest = new Uint8Array(32 - zeros).fill(0xff)
        const smallest = new Uint8Array(32 - zeros).fill(1, 0, 1)
        const tooLarge = new Uint8Array(33 - zeros).fill(1, 0, 1)
        const tooSmall = new Uint8Array(31 - zeros).fill(0xff)
        for (const bytes of [largest, smallest]) expect(isPublicKey(ones + base58.decode(bytes))).toBe(true)
        for (const bytes of [tooLarge, tooSmall]) expect(isPublicKey(ones + base58.decode(bytes))).toBe(false)
      }
      expect(isPublicKey('1'.repeat(32))).toBe(true)
      expect(isPublicKey('1'.repeat(33))).toBe(false)
    })

    it('is judged as kit judges it', () => {
      const characters = fc.constantFrom(...'123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0OIl ')
      const nearly = fc.string({ unit: characters, minLength: 30, maxLength: 46 })
      fc.assert(fc.property(fc.oneof(nearly, fc.string()), (text) => isPublicKey(text) === kitIsAddress(text)))
    })

    it('is never a number, null or an object', () => {
      for (const value of [7, null, undefined, {}, ['So11111111111111111111111111111111111111112']]) {
        expect(isPublicKey(value)).toBe(false)
      }
    })
  })

  describe('the address of 32 bytes', () => {
    it('is the one that kit gives, leading zeros included', () => {
      fc.assert(
        fc.property(fc.nat(32), fc.uint8Array({ minLength: 32, maxLength: 32 }), (zeros, bytes) => {
          bytes.fill(0, 0, zeros)
          expect(addressOfBytes(bytes)).toBe(getAddressDecoder().decode(bytes))
          expect(bytesOfAddress(addressOfBytes(bytes))).toEqual(bytes)
        }),
      )
    })

    it('is that of a part of a larger buffer', () => {
      const bytes = Uint8Array.from({ length: 40 }, (_, at) => at)
      expect(addressOfBytes(bytes.subarray(3, 35))).toBe(getAddressDecoder().decode(bytes, 3))
    })

    it('does not exist for fewer or more', () => {
      for (const length of [0, 31, 33]) expect(() => addressOfBytes(new Uint8Array(length))).toThrow(RangeError)
    })
  })

  it('an asset from outside is SOL or a mint', () => {
    expect(isGivenAsset('SOL')).toBe(true)
    expect(isGivenAsset('So11111111111111111111111111111111111111112')).toBe(true)
    expect(isGivenAsset('sol')).toBe(false)
  })
})

// Whether 32 bytes can have a private key, against what @solana/kit says of the same bytes.
const isOnCurveByKit = (bytes: Uint8Array) => !isOffCurveAddress(getAddressDecoder().decode(bytes))

// A curve check goes wrong at small values of y, at values near the field's prime, and at the sign bit.
const aCandidate = fc.oneof(
  fc.uint8Array({ minLength: 32, maxLength: 32 }),
  fc
    .record({
      first: fc.integer({ min: 0, max: 255 }),
      middle: fc.constantFrom(0, 255),
      last: fc.constantFrom(0, 127, 128, 255),
    })
    .map(({ first, middle, last }) => Uint8Array.of(first, ...new Uint8Array(30).fill(middle), last)),
)

describe('an address on the curve', () => {
  it('is what kit says it is, whatever the bytes', () => {
    fc.assert(
      fc.property(aCandidate, (bytes) => {
        expect(isOnCurve(bytes)).toBe(isOnCurveByKit(bytes))
      }),
      { numRuns: 400 },
    )
  })

  it('is what kit says at the edges of the field, with either sign', () => {
    const prime = 2n ** 255n - 19n
    const edges = [0n, 1n, 2n, prime - 1n, prime, prime + 1n, 2n ** 255n - 1n]
    for (const y of edges.flatMap((edge) => [edge, edge + 2n ** 255n])) {
      const bytes = Uint8Array.from({ length: 32 }, (_, at) => Number((y >> BigInt(8 * at)) & 255n))
      expect([y, isOnCurve(bytes)]).toEqual([y, isOnCurveByKit(bytes)])
    }
  })

  it('is any that has a private key, wherever its bytes lie', () => {
    const { publicKey } = generateKeyPairSync('ed25519')
    const { x = '' } = publicKey.export({ format: 'jwk' })
    const key = Buffer.from(x, 'base64url')
    expect(isOnCurve(key)).toBe(true)
    expect(isOnCurve(Buffer.concat([new Uint8Array(3), key]).subarray(3))).toBe(true)
  })

  it("is not a program's own", async () => {
    const [vault] = await getProgramDerivedAddress({
      programAddress: makeAddress('SQDS4ep65T869zMMBKyuUq6aD6EgTu8psMjkvj52pCf'),
      seeds: ['vault'],
    })
    expect(isOnCurve(bytesOfAddress(vault))).toBe(false)
  })
})

describe('full calls', () => {
  const sizes = fc.array(fc.nat(130), { maxLength: 60 })
  const sizeOf = (size: number): number => size
  const sumOf = (call: readonly number[]): number => call.reduce((sum, size) => sum + size, 0)

  test('every item is in one call, and the order stays', () => {
    fc.assert(
      fc.property(sizes, (items) => {
        expect(inCalls(items, sizeOf).flat()).toEqual(items)
      }),
    )
  })

  test('a call has at most a hundred accounts, unless one item alone has more', () => {
    fc.assert(
      fc.property(sizes, (items) => {
        for (const call of inCalls(items, sizeOf))
          expect(call.length === 1 || sumOf(call) <= ACCOUNTS_PER_CALL).toBe(true)
      }),
    )
  })

  test('a call ends only where the next item has no room', () => {
    fc.assert(
      fc.property(sizes, (items) => {
        const calls = inCalls(items, sizeOf)
        for (const [at, call] of calls.entries()) {
          const next = calls[at + 1]?.[0]
          if (next !== undefined) expect(sumOf(call) + next).toBeGreaterThan(ACCOUNTS_PER_CALL)
        }
      }),
    )
  })

  test('no items need no call', () => {
    expect(inCalls([], sizeOf)).toEqual([])
  })
})
