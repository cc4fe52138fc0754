// The signer's reading of a message, against kit's decoder and encoder: the same content, and nothing accepted that has
// another form than kit's encoding of it.
import {
  type CompiledTransactionMessage,
  getAddressDecoder,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
} from '@solana/kit'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MessageMismatch } from '#adapters/solana/transactions/demands.ts'
import { type ReadMessage, readMessage } from '#adapters/solana/transactions/message-bytes.ts'

const decoder = getCompiledTransactionMessageDecoder()
const encoder = getCompiledTransactionMessageEncoder()
const address = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => getAddressDecoder().decode(bytes))

type Message = Extract<CompiledTransactionMessage, { version: 0 }>

/** Messages with any header, whose instructions name accounts that are there, now and then one that is not. */
const messages: fc.Arbitrary<Uint8Array> = fc
  .record({
    version: fc.constant(0 as const),
    header: fc.record({
      numSignerAccounts: fc.integer({ min: 1, max: 4 }),
      numReadonlySignerAccounts: fc.nat(2),
      numReadonlyNonSignerAccounts: fc.nat(4),
    }),
    staticAccounts: fc.array(address, { minLength: 8, maxLength: 20 }),
    lifetimeToken: address,
    instructions: fc.array(
      fc.record({
        programAddressIndex: fc.nat(8),
        accountIndices: fc.array(fc.nat(8), { maxLength: 8 }),
        data: fc.uint8Array({ maxLength: 300 }),
      }),
      { maxLength: 4 },
    ),
    addressTableLookups: fc.constantFrom<Message['addressTableLookups']>(undefined, undefined, undefined, []),
  })
  .map((message) => Uint8Array.from(encoder.encode(message)))

/** Changes of a few bytes, insertions, cuts, and counts in a longer form. */
const alterations = fc.array(
  fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), how: fc.nat(3), byte: fc.nat(255) }),
  { maxLength: 2 },
)
type Alteration = { readonly at: number; readonly how: number; readonly byte: number }

function altered(bytes: Uint8Array, { at, how, byte }: Alteration): Uint8Array {
  // Most changes are made among the counts and the indexes, not within the addresses.
  const place = Math.floor(at ** 4 * bytes.length)
  const [before, after] = [bytes.subarray(0, place), bytes.subarray(place)]
  if (how === 0) return Uint8Array.from([...before, byte, ...after.subarray(1)])
  if (how === 1) return Uint8Array.from([...before, byte, ...after])
  if (how === 2) return Uint8Array.from([...before, ...after.subarray(1)])
  return Uint8Array.from([...before, (after[0] ?? 0) | 0x80, 0, ...after.subarray(1)])
}

/** The same by kit; null when kit refuses it, or encodes it in another form, or when the message is none that is signed. */
function readByKit(bytes: Uint8Array): ReadMessage | null {
  try {
    const message = decoder.decode(bytes)
    if (message.version !== 0 || !Buffer.from(encoder.encode(message)).equals(bytes)) return null
    if ((message.addressTableLookups?.length ?? 0) > 0) return null
    const { staticAccounts, header, lifetimeToken, instructions } = message
    const { numSignerAccounts: signed } = header
    const others = staticAccounts.length - signed
    if (header.numReadonlySignerAccounts > signed || header.numReadonlyNonSignerAccounts > others) return null
    const at = (index: number) => staticAccounts[index] ?? expect.fail()
    return {
      accounts: staticAccounts,
      signers: staticAccounts.slice(0, signed),
      writable: [
        ...staticAccounts.slice(0, signed - header.numReadonlySignerAccounts),
        ...staticAccounts.slice(signed, staticAccounts.length - header.numReadonlyNonSignerAccounts),
      ],
      lifetime: lifetimeToken,
      instructions: instructions.map(({ programAddressIndex, accountIndices = [], data = new Uint8Array() }) => ({
        program: at(programAddressIndex),
        accounts: accountIndices.map(at),
        data: Uint8Array.from(data),
      })),
    }
  } catch {
    return null
  }
}

function read(bytes: Uint8Array): ReadMessage | null {
  try {
    return readMessage(bytes)
  } catch (error) {
    expect(error).toBeInstanceOf(MessageMismatch)
    return null
  }
}

test('the signer reads a message as kit does, and refuses each that kit refuses or would encode in another form', () => {
  const seen = { read: 0, refused: 0 }
  fc.assert(
    fc.property(messages, alterations, (message, changes) => {
      const bytes = changes.reduce(altered, message)
      const own = read(bytes)
      seen[own === null ? 'refused' : 'read'] += 1
      expect(own).toEqual(readByKit(bytes))
    }),
    { numRuns: Number(process.env.MESSAGE_RUNS ?? 3_000) },
  )
  expect(Math.min(seen.read, seen.refused)).toBeGreaterThan(500)
})

test('a count in a longer form, a missing byte and a byte too many are refused', () => {
  const message = Uint8Array.from(
    encoder.encode({
      version: 0,
      header: { numSignerAccounts: 1, numReadonlySignerAccounts: 0, numReadonlyNonSignerAccounts: 1 },
      staticAccounts: [1, 2].map((byte) => getAddressDecoder().decode(new Uint8Array(32).fill(byte))),
      lifetimeToken: getAddressDecoder().decode(new Uint8Array(32).fill(3)),
      instructions: [{ programAddressIndex: 1, accountIndices: [0], data: Uint8Array.of(7) }],
    }),
  )
  expect(readMessage(message).instructions).toHaveLength(1)
  const counts = message.length - 7
  for (const bytes of [
    message.subarray(0, -1),
    Uint8Array.of(...message, 0),
    Uint8Array.of(...message.subarray(0, 4), 0x82, 0x00, ...message.subarray(5)),
    Uint8Array.of(...message.subarray(0, counts), 0x81, 0x80, 0x00, ...message.subarray(counts + 1)),
  ])
    expect(() => readMessage(bytes)).toThrow(MessageMismatch)
})
