import { hash, timingSafeEqual } from 'node:crypto'
import type { Random } from '#ports/random.ts'
import type { IssuedSecret, Secrets } from '#ports/secrets.ts'

/** 256 random bits cannot be guessed, so a hash without salt or stretching is enough. */
const SECRET_BYTES = 32

/** As text, because Node makes a buffer of its own memory for a digest: that takes three times as long, and longer to collect. */
const sha256 = (text: string): Uint8Array => Buffer.from(hash('sha256', text, 'binary'), 'binary')

export type SecretOrigin = Pick<Random, 'bytes'> & {
  /** Returns 32 bytes that follow from the master seed and the label, and that nothing else reveals. */
  derive(label: string): Uint8Array
}

/** The keys of a sandbox say that its money is worthless, whatever their mode. */
export function createSecrets({ bytes, derive }: SecretOrigin, { isSandbox = false } = {}): Secrets {
  const issue = (prefix: string, from: Uint8Array): IssuedSecret => {
    const secret = prefix + Buffer.from(from).toString('base64url')
    return { secret, hash: sha256(secret) }
  }
  return {
    apiKeyOf: (network, id) => issue(`sk_${network}_${isSandbox ? 'sandbox_' : ''}`, derive(`api-key:${id}`)),
    clientSecretOf: (id) => issue('cs_', derive(`payment:${id}`)),
    checkoutTokenOf: (id) => issue('co_', derive(`subscription-checkout:${id}`)),
    issuePortalToken: () => issue('po_', bytes(SECRET_BYTES)),
    issueLoginToken: () => issue('li_', bytes(SECRET_BYTES)),
    issueSession: () => issue('ss_', bytes(SECRET_BYTES)),
    hash: sha256,
    equal: (a, b) => a.length === b.length && timingSafeEqual(a, b),
  }
}
