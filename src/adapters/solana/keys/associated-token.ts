// Finds the associated token account of a wallet synchronously: a payment watches several for each deposit address, and
// kit's asynchronous search spends most of its time on the curve check, which core does with a Jacobi symbol.
import { hash } from 'node:crypto'
import { type Address, getAddressDecoder, getAddressEncoder } from '@solana/kit'
import { ASSOCIATED_TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { isOnCurve } from '#core/chain/curve.ts'
import { createLru } from '#lib/lru.ts'

const encoder = getAddressEncoder()
const decoder = getAddressDecoder()
const MARKER = new TextEncoder().encode('ProgramDerivedAddress')
const addressBytes = (address: Address): Uint8Array => Uint8Array.from(encoder.encode(address))
const SUFFIX = Buffer.concat([addressBytes(ASSOCIATED_TOKEN_PROGRAM_ADDRESS), MARKER])

/** The bytes of mints and programs: there are few, and every search needs them. */
const knownBytes = createLru<Address, Uint8Array>(256)

/** Returns the address that the associated token program derives from (owner, token program, mint). */
export function associatedTokenAddress(owner: Address, mint: Address, tokenProgram: Address): Address {
  const seeds = Buffer.concat([addressBytes(owner), bytesOf(tokenProgram), bytesOf(mint), new Uint8Array(1), SUFFIX])
  for (let bump = 255; bump >= 0; bump -= 1) {
    seeds[96] = bump
    const candidate = hash('sha256', seeds, 'buffer')
    if (!isOnCurve(candidate)) return decoder.decode(candidate)
  }
  throw new RangeError('no bump leaves the curve')
}

function bytesOf(address: Address): Uint8Array {
  const known = knownBytes.get(address)
  if (known !== undefined) return known
  const bytes = addressBytes(address)
  knownBytes.set(address, bytes)
  return bytes
}
