// Proves the credentials of callers. An unproved credential is looked up before anything else is read for it: a few of an
// address at the same time, and one of an operation. A credential that this process has found before waits for no lookup.
import { setTimeout as sleep } from 'node:timers/promises'
import { type ErrorCode, hasCode, ServiceError } from '#core/errors.ts'
import { countedAs } from '#core/network/ip-address.ts'
import type { HeavyWork, HeavyWorkLimits } from '#graphql/heavy-work.ts'
import { digest, type Limits } from '#graphql/limits.ts'
import { createLru } from '#lib/lru.ts'
import { createSlots } from '#lib/parallel.ts'
import type { CredentialKind, CredentialServices } from '#services/accounts/authenticate.ts'

/** Addresses take turns, and no lookup is refused, because each may be that of a valid credential. */
export const LOOKUP_LIMITS: HeavyWorkLimits = {
  fromPoints: 0,
  atOnce: 200,
  atOncePerCaller: 20,
  turnMs: 1_000,
  waitingPerCaller: Number.POSITIVE_INFINITY,
  waiting: Number.POSITIVE_INFINITY,
  refusalPauseMs: 0,
}

/**
 * How long each refusal of an address above its limit keeps the place of a lookup. So an address that sends thousands of wrong
 * credentials at one moment has 400 of them refused in a second, in any number of operations, and the process serves others
 * between them.
 */
const REFUSED_FOR_MS = 50

/** Credentials that this process remembers as found. */
const KEPT = 20_000

/** The sender of a credential, and the lookups of its operation. */
export type Asker = {
  readonly address: string
  readonly lookups: Lookups
  readonly signal?: AbortSignal
}

/** Runs lookups. Passes on the refusal of an earlier one by the limit of the address; null for none. */
export type Lookups = <Result>(look: (refusal: ServiceError | null) => Promise<Result>) => Promise<Result>

/**
 * Both return what `ask` finds. Every credential is looked up, so a valid one is never refused for what others sent. One that
 * proves nothing counts against its address; above the limit it is refused with `rate_limited` in place of its own error.
 */
export type Proofs = {
  prove<T>(kind: CredentialKind, credential: string, asker: Asker, ask: () => Promise<T>): Promise<T>
  /** Asks with a text that a wallet has signed. Only `ask` can prove it, so all of it takes the place of a lookup. */
  proveWallet<T>(asker: Asker, ask: () => Promise<T>): Promise<T>
}

/** Returns the lookups of one operation, which run one after the other. */
export function createLookups(): Lookups {
  const oneByOne = createSlots(1)
  let refusal: ServiceError | null = null
  return (look) =>
    oneByOne(async () => {
      try {
        return await look(refusal)
      } catch (error) {
        if (hasCode(error, 'rate_limited')) refusal = error
        throw error
      }
    })
}

export function createProofs({
  requireIssued,
  limits,
  turns,
}: {
  requireIssued: CredentialServices['requireIssued']
  limits: Pick<Limits, 'wrongCredential'>
  turns: HeavyWork
}): Proofs {
  const found = createLru<string, boolean>(KEPT)
  /** Counts a wrong credential, which throws `rate_limited` above the limit, and throws its own error below it. */
  const refuse = async (error: unknown, codes: Codes, { address }: Asker): Promise<never> => {
    if (isOneOf(codes, error)) await limits.wrongCredential(address)
    throw error
  }
  const inTurn = <T>(codes: Codes, asker: Asker, look: () => Promise<T>): Promise<T> => {
    const lookUp = () => look().catch((error: unknown) => refuse(error, codes, asker))
    // After a refusal by the limit, the others of the operation are refused without a lookup, each in its own turn.
    return asker.lookups((refusal) => {
      const found = () => (refusal === null ? lookUp() : Promise.reject(refusal)).catch(keepPlace)
      return turns.run(1, countedAs(asker.address), found, asker.signal)
    })
  }
  return {
    async prove(kind, credential, asker, ask) {
      const name = digest(credential)
      if (found.get(name) !== true) await inTurn(UNPROVED, asker, () => requireIssued(kind, credential))
      found.set(name, true)
      return await ask().catch((error: unknown) => {
        // It may be removed or revoked by now.
        if (isOneOf(UNPROVED, error)) found.set(name, false)
        return refuse(error, UNPROVED, asker)
      })
    },
    proveWallet: (asker, ask) => inTurn(UNPROVED_BY_WALLET, asker, ask),
  }
}

async function keepPlace(refusal: unknown): Promise<never> {
  if (hasCode(refusal, 'rate_limited')) await sleep(REFUSED_FOR_MS)
  throw refusal
}

type Codes = ReadonlySet<ErrorCode>

const UNPROVED: Codes = new Set([
  'unauthenticated',
  'invalid_client_secret',
  'checkout_not_found',
  'portal_not_found',
  'login_link_not_found',
])
/** Codes of an answer to a text that does not prove the wallet. */
const UNPROVED_BY_WALLET: Codes = new Set([
  'invalid_signature',
  'incomplete_proof',
  'invalid_subscriber_wallet',
  'login_refused',
  'login_link_not_found',
])

const isOneOf = (codes: Codes, error: unknown): boolean => error instanceof ServiceError && codes.has(error.code)
