// Addresses that the system program derives from a base address and a seed: no key opens them, and the base signs for their
// creation.
import { hash } from 'node:crypto'
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import { addressOfBytes, bytesOfAddress } from '#core/chain/public-key.ts'
import type { SeededAddress } from '#ports/chain.ts'

const MAX_SEED_BYTES = 32

/** Returns the address of an account that belongs to the system program. Throws RangeError for a seed that is too long. */
export const seededAddress: SeededAddress = (base, seed) => {
  const bytes = Buffer.from(seed)
  if (bytes.length > MAX_SEED_BYTES) throw new RangeError(`a seed has at most ${MAX_SEED_BYTES} bytes`)
  const all = Buffer.concat([bytesOfAddress(base), bytes, bytesOfAddress(SYSTEM_PROGRAM_ADDRESS)])
  return addressOfBytes(hash('sha256', all, 'buffer'))
}
