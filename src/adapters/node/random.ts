import { randomFillSync, randomUUID } from 'node:crypto'
import type { Random } from '#ports/random.ts'

/** Bytes that are drawn in one call: the call costs more than the bytes. */
const POOL_BYTES = 4_096

export const random: Random = {
  bytes: createByteSource(),
  uuid: timeOrderedUuid,
  fraction: () => Math.random(),
}

/** Returns a random UUID of version 4 whose first 48 bits, and version, are replaced: RFC 9562, section 5.7. */
function timeOrderedUuid(): string {
  const time = Date.now().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

function createByteSource(): Random['bytes'] {
  const pool = Buffer.allocUnsafeSlow(POOL_BYTES)
  let used = POOL_BYTES
  return (length) => {
    if (length > POOL_BYTES) return randomFillSync(new Uint8Array(length))
    if (used + length > POOL_BYTES) {
      randomFillSync(pool)
      used = 0
    }
    const bytes = Uint8Array.prototype.slice.call(pool, used, used + length)
    // The bytes that were handed out are a secret of the caller from here on.
    pool.fill(0, used, used + length)
    used += length
    return bytes
  }
}
