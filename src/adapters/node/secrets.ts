import { hash, timingSafeEqual } from 'node:crypto'
import type { Random } from '#ports/random.ts'
import type { IssuedSecret, Secrets } from '#ports/secrets.ts'

/** 256 random bits cannot be guessed, so a hash without salt or stretching is enough. */
const SECRET_BYTES = 32

/** As text, because Node makes a buffer of its own memory for a digest: that takes three times as long, and longer to collect. */
const sha256 = (text: string): Uint8Array => Buffer.from(hash('sha256', text, 'binary'), 'binary')

/** The keys of a sandbox say that its money is worthless, whatever their mode. */
export function createSecrets(random: Pick<Random, 'bytes'>, { isSandbox = false } = {}): Secrets {
  const issue = (prefix: string): IssuedSecret => {
    const secret = prefix + Buffer.from(random.bytes(SECRET_BYTES)).toString('base64url')
    return { secret, hash: sha256(secret) }
  }
  return {
    issueApiKey: (network) => issue(`sk_${network}_${isSandbox ? 'sandbox_' : ''}`),
    issueClientSecret: () => issue('cs_'),
    issueCheckoutToken: () => issue('co_'),
    issuePortalToken: () => issue('po_'),
    hash: sha256,
    equal: (a, b) => a.length === b.length && timingSafeEqual(a, b),
  }
}
