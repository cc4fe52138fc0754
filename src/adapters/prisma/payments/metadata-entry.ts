// An entry of metadata as the database finds payments by it. A digest, because an entry of an index has at most 2,704 bytes.
import { createHash } from 'node:crypto'
import type { MetadataEntry } from '#core/metadata.ts'

/** Returns the digest of a key and its value, of a payment that the account created. */
export const digestOf = (callerAccountId: string, entry: MetadataEntry): Uint8Array =>
  createHash('sha256')
    .update(JSON.stringify([callerAccountId, ...entry]))
    .digest()
