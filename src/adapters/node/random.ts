import { randomFillSync, randomUUID } from 'node:crypto'
import type { Random } from '#ports/random.ts'

/** Bytes that are drawn in one call: the call costs more than the bytes. */
const POOL_BYTES = 4_096

export const random: Random = {
  bytes: createByteSource(),
  uuid: createUuidSource(),
  fraction: () => Math.random(),
}

/**
 * Returns a source of random UUIDs of version 4 whose first 48 bits, and version, are replaced: RFC 9562, section 5.7. The text of
 * a millisecond is made once.
 */
function createUuidSource(): Random['uuid'] {
  let time = Number.NaN
  let start = ''
  return () => {
    const now = Date.now()
    if (now !== time) {
      const digits = now.toString(16).padStart(12, '0')
      start = `${digits.slice(0, 8)}-${digits.slice(8)}-7`
      time = now
    }
    return start + randomUUID().slice(15)
  }
}

function createByteSource(): Random['bytes'] {
  const pool = new Uint8Array(POOL_BYTES)
  let used = POOL_BYTES
  return (length) => {
    if (length > POOL_BYTES) return randomFillSync(new Uint8Array(length))
    if (used + length > POOL_BYTES) {
      randomFillSync(pool)
      used = 0
    }
    const bytes = pool.slice(used, used + length)
    // The bytes that were handed out are a secret of the caller from here on.
    pool.fill(0, used, used + length)
    used += length
    return bytes
  }
}
