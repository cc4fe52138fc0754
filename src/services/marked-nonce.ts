// Nonces of challenges that are not stored: each has the parts of its challenge that are not known otherwise, and a mark that only
// the service can make. Anyone can ask for such a challenge.
import { createHmac } from 'node:crypto'
import { CHALLENGE_MS } from '#core/billing/proof/challenge.ts'
import type { Random } from '#ports/random.ts'
import type { Secrets } from '#ports/secrets.ts'

/** The bytes of a nonce: the time of its issue in milliseconds, the id of the request, and the mark. */
const TIME_BYTES = 6
const ID_BYTES = 16
const MARK_BYTES = 16
const MARKED_BYTES = TIME_BYTES + ID_BYTES
const NONCE = /^[0-9a-f]{76}$/

/** `nonceKey` makes the marks. Every instance has the same. */
export type Marker = {
  readonly random: Pick<Random, 'bytes'>
  readonly secrets: Pick<Secrets, 'equal'>
  readonly nonceKey: Uint8Array
}

/** A nonce, and the time and the id that are parts of it. */
export type MarkedNonce = { readonly nonce: string; readonly requestId: string; readonly now: Date }

/** Returns a nonce for one purpose. */
export function issueNonce(marker: Marker, about: string, now: Date): MarkedNonce {
  const marked = Buffer.alloc(MARKED_BYTES)
  marked.writeUIntBE(now.getTime(), 0, TIME_BYTES)
  marked.set(marker.random.bytes(ID_BYTES), TIME_BYTES)
  return { nonce: nonceOf(marker, about, marked), requestId: requestIdOf(marked), now }
}

/** Reads a nonce that was issued for this purpose less than ten minutes ago. */
export function readNonce(
  marker: Marker,
  { about, nonce, now }: { readonly about: string; readonly nonce: string; readonly now: Date },
): MarkedNonce | 'unknown' | 'expired' {
  const marked = NONCE.test(nonce) ? Buffer.from(nonce, 'hex').subarray(0, MARKED_BYTES) : null
  if (marked === null || !marker.secrets.equal(Buffer.from(nonceOf(marker, about, marked)), Buffer.from(nonce)))
    return 'unknown'
  const issuedAt = new Date(marked.readUIntBE(0, TIME_BYTES))
  if (issuedAt.getTime() + CHALLENGE_MS <= now.getTime()) return 'expired'
  return { nonce, requestId: requestIdOf(marked), now: issuedAt }
}

function nonceOf({ nonceKey }: Pick<Marker, 'nonceKey'>, about: string, marked: Buffer): string {
  const text = `${about} ${marked.toString('hex')}`
  const mark = createHmac('sha256', nonceKey).update(text).digest().subarray(0, MARK_BYTES)
  return Buffer.concat([marked, mark]).toString('hex')
}

/** Returns the id as a UUID of version 8. */
function requestIdOf(marked: Buffer): string {
  const hex = marked.subarray(TIME_BYTES).toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)].join('-')
}
