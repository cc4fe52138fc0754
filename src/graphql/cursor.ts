// Page cursors are encrypted, and bound to the caller and the filters that they were given for. A position may be more
// than its holder should know, such as a number that counts for all businesses together.
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { ServiceError } from '#core/errors.ts'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

export type Cursors = {
  /** Seals a position: the same scope and position give the same cursor. */
  seal(scope: string, position: string): string
  /** Throws `invalid_request` on a cursor that was not sealed for this scope. */
  open(scope: string, cursor: string): string
}

export function createCursors(secret: Uint8Array): Cursors {
  const key = keyFor(secret, 'encryption')
  const nonceKey = keyFor(secret, 'nonce')
  // Made from what it is used for, so it is used again for the same text only: any number of cursors is safe.
  const nonceOf = (scope: string, position: string): Buffer =>
    // The scope's length separates the two, so that no other pair gives the same bytes.
    createHmac('sha256', nonceKey).update(`${scope.length}:${scope}${position}`).digest().subarray(0, NONCE_BYTES)

  return {
    seal(scope, position) {
      const nonce = nonceOf(scope, position)
      const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(scope))
      const text = Buffer.concat([cipher.update(position, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url')
    },
    open(scope, cursor) {
      const bytes = Buffer.from(cursor, 'base64url')
      const [nonce, tag, text] = [
        bytes.subarray(0, NONCE_BYTES),
        bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES),
        bytes.subarray(NONCE_BYTES + TAG_BYTES),
      ]
      if (tag.length < TAG_BYTES) throw notOurs()
      const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(scope))
      try {
        return Buffer.concat([decipher.setAuthTag(tag).update(text), decipher.final()]).toString()
      } catch {
        throw notOurs()
      }
    },
  }
}

/** Returns a key as an object: with bytes, sealing a cursor takes three times as long. */
const keyFor = (secret: Uint8Array, purpose: string): KeyObject =>
  createSecretKey(createHmac('sha256', secret).update(`cursor ${purpose}`).digest())

const notOurs = () => new ServiceError('invalid_request', { field: 'cursor' })

/** Opens the cursor of an argument. Throws `invalid_request` that names the argument. */
export function openCursor(
  cursors: Cursors,
  { scope, field, cursor }: { readonly scope: string; readonly field: 'after' | 'before'; readonly cursor: string },
): string {
  try {
    return cursors.open(scope, cursor)
  } catch (error) {
    throw error instanceof ServiceError ? new ServiceError(error.code, { field }, { cause: error }) : error
  }
}
