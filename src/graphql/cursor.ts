// Page cursors are opaque, signed, and bound to the caller and the filters that they were given for.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { ServiceError } from '#core/errors.ts'

const MAC_BYTES = 16

export type Cursors = {
  seal(scope: string, position: string): string
  /** Throws `invalid_request` on a cursor that was not sealed for this scope. */
  open(scope: string, cursor: string): string
}

export function createCursors(secret: Uint8Array): Cursors {
  const mac = (scope: string, position: string): Buffer =>
    // The scope's length separates the two, so that no other pair gives the same bytes.
    createHmac('sha256', secret).update(`${scope.length}:${scope}${position}`).digest().subarray(0, MAC_BYTES)
  return {
    seal: (scope, position) => Buffer.concat([mac(scope, position), Buffer.from(position)]).toString('base64url'),
    open(scope, cursor) {
      const bytes = Buffer.from(cursor, 'base64url')
      const position = bytes.subarray(MAC_BYTES).toString()
      const given = bytes.subarray(0, MAC_BYTES)
      if (given.length === MAC_BYTES && timingSafeEqual(given, mac(scope, position))) return position
      throw new ServiceError('invalid_request', { field: 'cursor' })
    },
  }
}
