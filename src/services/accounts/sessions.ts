// Sessions of members: found by the secret in a cookie, listed, and ended.
import { type Account, type Marketplace, type Tenant, tenantOf } from '#core/accounts/account.ts'
import type { Actor } from '#core/accounts/audit.ts'
import type { Member } from '#core/accounts/member.ts'
import { isOver, isProven, type Session } from '#core/accounts/session.ts'
import { ServiceError } from '#core/errors.ts'
import { createCache } from '#lib/cache.ts'
import type { Clock } from '#ports/clock.ts'
import type { SessionStore } from '#ports/members.ts'
import type { Secrets } from '#ports/secrets.ts'
import { isUuid } from '#services/requests.ts'
import type { DirectoryChanged } from './directory.ts'

export type LoggedIn = {
  readonly session: Session
  readonly member: Member
  readonly account: Account
  readonly tenant: Tenant
  /** The state of the business as a marketplace; null for an ordinary business. */
  readonly marketplace: Marketplace['status'] | null
}

export type SessionServices = {
  /** Throws `unauthenticated` on any text but the secret of a session that goes on. Reads a short cache, as for API keys. */
  authenticate(secret: string): Promise<LoggedIn>
  /** Returns the sessions of a business that go on, or those of one member, the latest seen first. */
  list(tenant: Tenant, memberId: string | null): Promise<readonly Session[]>
  /** Ends a session of a business, or of one member, within seconds. Throws `session_not_found`. */
  end(tenant: Tenant, id: string, memberId: string | null, actor: Actor): Promise<Session>
  /** Throws `step_up_required` when the proof of a session is more than five minutes old. */
  requireProof(session: Pick<Session, 'provedAt'>): void
}

export type SessionAuthenticator = {
  readonly authenticate: SessionServices['authenticate']
  /** Forgets all sessions. To be called when members or sessions change here, and when another instance reports a change. */
  clear(): void
}

/** A text that does not look like the secret of a session is refused without a database query. */
const SECRET = /^ss_[\w-]{43}$/
/** A session is noted as seen when its last note is this old. */
const MARKED_FOR_MS = 60_000

export function createSessionAuthenticator({
  sessions,
  secrets,
  clock,
}: {
  readonly sessions: Pick<SessionStore, 'findByHash' | 'markSeen'>
  readonly secrets: Pick<Secrets, 'hash'>
  readonly clock: Clock
}): SessionAuthenticator {
  const cache = createCache(clock, async (encodedHash: string): Promise<LoggedIn> => {
    const found = await sessions.findByHash(Buffer.from(encodedHash, 'base64'))
    const now = clock.now()
    // Thrown, because failures are not cached: a session works from the moment it begins.
    if (found === null || isOver(found.session, now) || found.account.archivedAt !== null)
      throw new ServiceError('unauthenticated')
    const { id, lastSeenAt } = found.session
    // A request does not wait for the mark, nor fail with it.
    if (now.getTime() - lastSeenAt.getTime() >= MARKED_FOR_MS) void sessions.markSeen(id, now).catch(() => {})
    return { ...found, tenant: tenantOf(found.account) }
  })
  return {
    async authenticate(secret) {
      if (!SECRET.test(secret)) throw new ServiceError('unauthenticated')
      return await cache.get(Buffer.from(secrets.hash(secret)).toString('base64'))
    },
    clear: cache.clear,
  }
}

export type SessionDeps = {
  readonly sessionAuthenticator: Pick<SessionAuthenticator, 'authenticate'>
  readonly sessions: Pick<SessionStore, 'list' | 'end'>
  readonly directoryChanged: DirectoryChanged
  readonly wallClock: Clock
}

const MAX_LISTED = 1_000

export const createSessionServices = (deps: SessionDeps): SessionServices => ({
  authenticate: deps.sessionAuthenticator.authenticate,

  async list({ accountId }, memberId) {
    const sessions = await deps.sessions.list(accountId, memberId, MAX_LISTED)
    const now = deps.wallClock.now()
    return sessions.filter((session) => !isOver(session, now))
  },

  async end(tenant, id, memberId, actor) {
    const by = { actor, at: deps.wallClock.now() }
    const session = isUuid(id) ? await deps.sessions.end(tenant, id, memberId, by) : null
    if (session === null) throw new ServiceError('session_not_found', { id })
    await deps.directoryChanged()
    return session
  },

  requireProof(session) {
    if (!isProven(session, deps.wallClock.now())) throw new ServiceError('step_up_required')
  },
})
