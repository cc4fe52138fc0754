// Members of businesses, their logins and their sessions. Each change has its entry in the audit log, in the same transaction.
import type { Account, Marketplace, Tenant } from '#core/accounts/account.ts'
import type { Authorship } from '#core/accounts/audit.ts'
import type { ListedMember, Login, LoginLink, Member, NewLogin, Passkey } from '#core/accounts/member.ts'
import type { Role } from '#core/accounts/permissions.ts'
import type { Session } from '#core/accounts/session.ts'
import type { Address } from '#core/chain/types.ts'

/** A link before it is stored. It takes the place of each other link of the member. */
export type NewLink = { readonly tokenHash: Uint8Array; readonly expiresAt: Date }

export type MemberPatch = { readonly name?: string; readonly email?: string | null; readonly role?: Role }

export type MemberStore = {
  /** Returns the members who are not removed, the oldest first. */
  list(accountId: string): Promise<readonly ListedMember[]>
  /** Returns null for a removed member, and for one of another business. */
  find(tenant: Tenant, id: string): Promise<ListedMember | null>
  /** Returns the business of a member who is not removed. */
  ownerOf(id: string): Promise<string | null>
  /** Returns false when the business has as many members as it can have. */
  invite(member: Member, link: NewLink, by: Authorship): Promise<boolean>
  /** Returns null when there is no such member. */
  addLink(tenant: Tenant, id: string, link: NewLink, by: Authorship): Promise<Member | null>
  /**
   * Returns null when there is no such member. Only the operator takes the last owner who can log in from a business: otherwise
   * nothing changes, and the answer is `last_owner`. So do `remove` and `removeLogin`. A change of the payout wallet that waits is
   * canceled with the role of the owner who has asked for it.
   */
  update(tenant: Tenant, id: string, patch: MemberPatch, by: Authorship): Promise<Member | 'last_owner' | null>
  /** Removes a member with all logins, links and sessions. */
  remove(tenant: Tenant, id: string, by: Authorship): Promise<Member | 'last_owner' | null>
  /** Returns the member as it then is; null when the member has no such login. */
  removeLogin(
    tenant: Tenant,
    memberId: string,
    loginId: string,
    by: Authorship,
  ): Promise<ListedMember | 'last_owner' | null>
}

/** An answered challenge of a login. It is answered once. */
export type Answered = { readonly hash: Uint8Array; readonly expiresAt: Date }

export type NewSession = Omit<Session, 'memberId'> & { readonly tokenHash: Uint8Array }

/** A member with the business. */
type MemberOf = { readonly member: Member; readonly account: Account }

/** A login that was found by what it proves itself with. */
export type FoundLogin = MemberOf & { readonly login: Login; readonly passkey: Passkey | null }

export type LoginStore = {
  findLink(tokenHash: Uint8Array): Promise<(MemberOf & { readonly link: LoginLink }) | null>
  /** Returns the logins of a wallet, of members who are not removed. */
  findWallet(wallet: Address): Promise<readonly FoundLogin[]>
  findPasskey(id: string): Promise<FoundLogin | null>
  passkeysOf(memberId: string): Promise<readonly Passkey[]>
  /**
   * Adds a login of a member. By a link, the link is used up, and a session begins. Nothing changes when the challenge is used
   * (`used`), the link cannot be used or the member is removed (`link`), another login of the business has the wallet, or any
   * login the passkey (`taken`), or the member has as many as there can be (`full`).
   */
  add(
    member: Member,
    login: NewLogin,
    how: { readonly answered: Answered; readonly link: Uint8Array | null; readonly session: NewSession | null },
    by: Authorship,
  ): Promise<'added' | 'used' | 'link' | 'taken' | 'full'>
  /**
   * Uses a login: starts a session, the new one or in the place of the oldest when the member has too many, or writes the proof
   * of a session. Returns false, with nothing changed, when the challenge is used, the login or the session is gone, or the
   * counter of a passkey does not grow.
   */
  use(
    found: FoundLogin,
    how: {
      readonly answered: Answered
      /** The new counter of a passkey. */
      readonly counter: number | null
      readonly session: NewSession | { readonly provedId: string }
    },
    by: Authorship,
  ): Promise<boolean>
}

type FoundSession = MemberOf & {
  readonly session: Session
  readonly marketplace: Marketplace['status'] | null
}

export type SessionStore = {
  /** Returns the session with this hash, also one that is over, of a member who is not removed. */
  findByHash(tokenHash: Uint8Array): Promise<FoundSession | null>
  /** Notes that a session is in use, at most once a minute. */
  markSeen(id: string, at: Date): Promise<void>
  /** Returns the sessions of a business, or of one member, the latest seen first. */
  list(accountId: string, memberId: string | null, limit: number): Promise<readonly Session[]>
  /** Ends a session of a business, or of one member. Returns null when there is none. */
  end(tenant: Tenant, id: string, memberId: string | null, by: Authorship): Promise<Session | null>
  /** Deletes at most `limit` sessions that began or were seen last before these times, links and challenges. Returns how many. */
  removeExpired(before: Date, limit: number): Promise<number>
}

// Passkeys: what browsers are asked for, and whether their answers are right. https://www.w3.org/TR/webauthn-3

/** A JSON object of WebAuthn, as browsers take and give it. */
export type WebAuthnJson = Readonly<Record<string, unknown>>

export type PasskeyVerifier = {
  /** Returns the options of `navigator.credentials.create`: a passkey that browsers offer without a name, and that verifies its user. */
  creationOptions(asked: {
    readonly challenge: Uint8Array
    readonly userId: string
    /** What the browser shows. */
    readonly userName: string
    /** The passkeys that the user has: none of them is made again. */
    readonly existing: readonly Passkey[]
  }): Promise<WebAuthnJson>
  /** Returns the options of `navigator.credentials.get`. Any passkey of the site is asked for when none is named. */
  requestOptions(asked: { readonly challenge: Uint8Array; readonly allowed: readonly Passkey[] }): Promise<WebAuthnJson>
  /** Returns the id of the passkey that an answer is from, and the challenge that it answers; null for no such answer. */
  read(answer: WebAuthnJson): { readonly id: string; readonly challenge: Uint8Array } | null
  /** Returns the passkey of an answer to `creationOptions`; null when the answer is not right for the challenge and the site. */
  verifyNew(answer: WebAuthnJson, challenge: Uint8Array): Promise<Passkey | null>
  /** Returns the new counter of a passkey that has answered `requestOptions`; null when the answer is not right. */
  verify(answer: WebAuthnJson, challenge: Uint8Array, passkey: Passkey): Promise<number | null>
}
