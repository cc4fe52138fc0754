// Idempotency keys: what a request creates is created once, however often the request is sent within 24 hours.
import type { Tenant } from '#core/accounts/account.ts'
import { ServiceError } from '#core/errors.ts'
import type { IdempotencyStore } from '#ports/accounts.ts'
import type { Clock } from '#ports/clock.ts'
import type { Random } from '#ports/random.ts'
import type { Secrets } from '#ports/secrets.ts'

/** How long a repeat is known as one, in milliseconds. */
export const REPEATS_KNOWN_MS = 24 * 3_600_000

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

export type KeyedRequest = {
  readonly tenant: Tenant
  /** What the client has drawn for this request; null when it wants no protection. */
  readonly key: string | null
  /** Returns the whole request, as a text that is equal for a repeat. */
  readonly request: () => string
}

/** What a request creates. Both throw ServiceError. */
export type Creation<T> = {
  /** Creates it with this id. */
  create(id: string): Promise<T>
  /** Returns it as `create` did. Throws when nothing has the id, and `forbidden` when this caller may not see it. */
  find(id: string): Promise<T>
}

/**
 * Creates what a request asks for; a repeat of the request returns it as the first one did. The id is drawn and stored before
 * anything is created, so that two requests at once, or one after a crash, create one thing. A request that was refused has
 * created nothing, and its key is free for another one. Throws `invalid_request` for a malformed key, and
 * `idempotency_key_reused` when the key has belonged to another request.
 */
export type Once = <T>(
  keyed: KeyedRequest,
  creation: Creation<T>,
) => Promise<{ readonly made: T; readonly isRepeat: boolean }>

export type OnceDeps = {
  readonly idempotency: IdempotencyStore
  readonly secrets: Pick<Secrets, 'hash'>
  readonly random: Pick<Random, 'uuid'>
  readonly clock: Clock
}

export function createOnce({ idempotency, secrets, random, clock }: OnceDeps): Once {
  return async ({ tenant, key, request }, { create, find }) => {
    const drawn = random.uuid()
    if (key === null) return { made: await create(drawn), isRepeat: false }
    if (!IDEMPOTENCY_KEY.test(key)) throw new ServiceError('invalid_request', KEY_RULE)

    const at = clock.now()
    const of = { accountId: tenant.accountId, keyHash: secrets.hash(key) }
    const known = await idempotency.claim(
      { ...of, requestHash: secrets.hash(request()), objectId: drawn, createdAt: at },
      new Date(at.getTime() - REPEATS_KNOWN_MS),
    )
    if (!known.isSameRequest) throw new ServiceError('idempotency_key_reused')
    const id = known.objectId
    const repeated = () => find(id).then((made) => ({ made, isRepeat: true }), orNull)
    return (id === drawn ? null : await repeated()) ?? (await createOrFind())

    async function createOrFind() {
      try {
        return { made: await create(id), isRepeat: false }
      } catch (error) {
        // The same request at the same moment was faster.
        const made = await repeated()
        if (made !== null) return made
        if (error instanceof ServiceError) await idempotency.release(of, id)
        throw error
      }
    }
  }
}

const KEY_RULE = { field: 'idempotency_key', rule: 'must have 1 to 255 visible ASCII characters' }

function orNull(error: unknown): null {
  if (error instanceof ServiceError && error.code !== 'forbidden') return null
  throw error
}
