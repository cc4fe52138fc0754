// Reads the bytes of a version-0 message, so that one message has one form only: counts in their shortest form, and nothing
// after the last part. kit's decoder with a comparison of its encoding says the same, and takes eight times as long.
import type { Address } from '@solana/kit'
import { addressOfBytes } from '#core/chain/public-key.ts'
import { type Found, MessageMismatch } from './demands.ts'

const VERSION_0 = 0x80
const ADDRESS_BYTES = 32

export type ReadMessage = {
  /** In the order of the message: signers first, and the writable accounts of both parts before the readonly ones. */
  readonly accounts: readonly Address[]
  readonly signers: readonly Address[]
  readonly writable: readonly Address[]
  /** The blockhash, in base58. */
  readonly lifetime: string
  readonly instructions: readonly Found[]
}

/** Throws MessageMismatch for anything but a version-0 message without lookup tables, and for bytes that mean nothing. */
export function readMessage(bytes: Uint8Array): ReadMessage {
  const from = new Reader(bytes)
  const version = from.byte()
  if (version !== VERSION_0)
    throw new MessageMismatch(version < VERSION_0 ? 'message version legacy' : 'message version')
  const [signed, readonlySigned, readonlyUnsigned] = [from.byte(), from.byte(), from.byte()]
  const accounts = from.list(() => from.address())
  const others = accounts.length - signed
  if (readonlySigned > signed || readonlyUnsigned > others)
    throw new MessageMismatch('a header that counts more accounts than there are')
  const lifetime = from.address()
  const accountAt = (index: number): Address => {
    const account = accounts[index]
    if (account === undefined) throw new MessageMismatch('an account that is not there')
    return account
  }
  const instructions = from.list(() => ({
    program: accountAt(from.byte()),
    accounts: from.list(() => accountAt(from.byte())),
    data: from.bytes(from.count()),
  }))
  // A message with lookup tables does not contain all of its accounts, so its effects cannot be checked.
  if (from.count() > 0) throw new MessageMismatch('an address lookup table')
  from.end()
  return {
    accounts,
    signers: accounts.slice(0, signed),
    writable: [
      ...accounts.slice(0, signed - readonlySigned),
      ...accounts.slice(signed, accounts.length - readonlyUnsigned),
    ],
    lifetime,
    instructions,
  }
}

class Reader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  byte(): number {
    const byte = this.#bytes[this.#at]
    if (byte === undefined) throw new MessageMismatch('bytes that end too early')
    this.#at += 1
    return byte
  }

  bytes(length: number): Uint8Array {
    const end = this.#at + length
    if (end > this.#bytes.length) throw new MessageMismatch('bytes that end too early')
    const part = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return part
  }

  address(): Address {
    return addressOfBytes(this.bytes(ADDRESS_BYTES))
  }

  /** Reads a number of up to 16 bits: seven bits in each byte, the lowest first, with the highest bit while more follow. */
  count(): number {
    let count = 0
    for (let shift = 0; shift <= 14; shift += 7) {
      const byte = this.byte()
      count |= (byte & 0x7f) << shift
      if (byte < 0x80) {
        if ((byte === 0 && shift > 0) || count > 0xffff) break
        return count
      }
    }
    throw new MessageMismatch('bytes that mean nothing')
  }

  list<T>(item: () => T): readonly T[] {
    return Array.from({ length: this.count() }, item)
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw new MessageMismatch('bytes that mean nothing')
  }
}
