// How members log in, set up logins, and prove again that they are there: by a wallet that signs a text. docs/dashboard.md.
import type { Account, Tenant } from '#core/accounts/account.ts'
import { memberActor } from '#core/accounts/audit.ts'
import { isUsable, type LoginLink, MAX_LOGINS, type Member, type NewLogin } from '#core/accounts/member.ts'
import type { Session } from '#core/accounts/session.ts'
import type { VerifySignature } from '#core/billing/approval.ts'
import type { LoginConsent, LoginPurpose } from '#core/billing/proof/consent.ts'
import type { Address, Network } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import type { Clock } from '#ports/clock.ts'
import type { Answered, FoundLogin, LoginStore, MemberStore, NewSession } from '#ports/members.ts'
import type { Random } from '#ports/random.ts'
import type { Secrets } from '#ports/secrets.ts'
import { answerOf, type Challenge, challengeOf, type GivenAnswer, readSigned } from '#services/billing/wallet-proof.ts'
import { issueNonce, type Marker, readNonce } from '#services/marked-nonce.ts'
import type { Directory, DirectoryChanged } from './directory.ts'
import { readName } from './names.ts'

/** A browser that logs in. */
export type Browser = { readonly ip: string; readonly userAgent: string }

/** A member in a session. */
export type SignedIn = { readonly tenant: Tenant; readonly memberId: string; readonly sessionId: string }

/** What a proof is for. `add_login` is asked for by a link, or by a member who is logged in; `prove` by such a member only. */
export type Asked = {
  readonly purpose: LoginPurpose
  readonly link: string | null
  readonly signedIn: SignedIn | null
}

/** The secret of a new session, which is shown here and never again; null where none began. */
export type Opened = {
  readonly secret: string | null
  /** The businesses to choose from, when a wallet logs in to several and none was chosen. */
  readonly choices: readonly Account[]
}

export type OpenLink = { readonly member: Member; readonly account: Account; readonly link: LoginLink }

export type LoginServices = {
  /** Returns what a link is for, without using it. Throws `login_link_not_found` for one that cannot be used. */
  readLink(token: string): Promise<OpenLink>
  /** Returns a text for a wallet to sign. Throws `login_link_not_found`, and `session_required`. */
  challengeWallet(asked: Asked, wallet: Address): Promise<Challenge>
  /**
   * Lets a wallet log in, by a link or in a session. Using a link up opens a session. Throws as `challengeWallet` does,
   * `incomplete_proof`, `invalid_signature`, `login_taken` and `login_limit_reached`.
   */
  addWallet(
    asked: Omit<Asked, 'purpose'>,
    given: { readonly wallet: Address; readonly name: string | null; readonly answer: GivenAnswer },
    browser: Browser,
  ): Promise<Opened>
  /** Throws `incomplete_proof`, `invalid_signature`, and `login_refused` for a wallet of no member. */
  logInWithWallet(
    given: { readonly wallet: Address; readonly accountId: string | null; readonly answer: GivenAnswer },
    browser: Browser,
  ): Promise<Opened>
  /** Notes the proof in the session. Throws as `logInWithWallet` does, for a wallet of another member too. */
  proveWithWallet(
    signedIn: SignedIn,
    given: { readonly wallet: Address; readonly answer: GivenAnswer },
    browser: Browser,
  ): Promise<void>
}

export type LoginDeps = Marker & {
  readonly logins: LoginStore
  readonly members: Pick<MemberStore, 'find'>
  readonly directory: Pick<Directory, 'account'>
  readonly directoryChanged: DirectoryChanged
  readonly secrets: Pick<Secrets, 'hash' | 'equal' | 'issueSession'>
  readonly random: Pick<Random, 'bytes' | 'uuid'>
  readonly wallClock: Clock
  readonly verify: VerifySignature
  /** Without a slash at the end. Its host is what a wallet shows. */
  readonly publicUrl: string
  /** The genesis hash of the live network: the text names a chain, though no login depends on one. */
  readonly genesisHash: string
}

const LOGIN_NETWORK: Network = 'live'
const USUAL_WALLET_NAME = 'Wallet'
const MAX_USER_AGENT = 200

export function createLoginServices(deps: LoginDeps): LoginServices {
  const consentOf = (purpose: LoginPurpose, subject: Subject | null, wallet: Address): LoginConsent => ({
    purpose,
    network: LOGIN_NETWORK,
    wallet,
    memberId: subject?.member.id ?? '',
    business: subject?.account.name ?? '',
  })

  const textOf = (consent: LoginConsent, nonce: ReturnType<typeof issueNonce>): Promise<Challenge> =>
    challengeOf({ payUrl: deps.publicUrl, genesisHashOf: async () => deps.genesisHash }, consent, nonce)

  /** Verifies an answer to a text of `challengeWallet`. */
  async function verify(consent: LoginConsent, given: GivenAnswer): Promise<Answered> {
    const answer = answerOf(given)
    if (answer === null) throw new ServiceError('incomplete_proof')
    const about = aboutOf(consent)
    const nonce = readNonce(deps, { about, nonce: answer.nonce, now: deps.wallClock.now() })
    if (typeof nonce === 'string') throw new ServiceError('invalid_signature', { rule: nonce })
    const challenge = await textOf(consent, nonce)
    const signed = readSigned(deps.verify, { message: challenge.message, wallet: consent.wallet }, answer)
    if ('refused' in signed) throw new ServiceError('invalid_signature', { rule: signed.refused })
    return { hash: deps.secrets.hash(answer.nonce), expiresAt: challenge.expiresAt }
  }

  return {
    readLink: (token) => readLink(deps, token),

    async challengeWallet(asked, wallet) {
      const consent = consentOf(asked.purpose, await subjectOf(deps, asked), wallet)
      return await textOf(consent, issueNonce(deps, aboutOf(consent), deps.wallClock.now()))
    },

    async addWallet(by, { wallet, name, answer }, browser) {
      const subject = await subjectOf(deps, { ...by, purpose: 'add_login' })
      if (subject === null) throw linkNotFound()
      const answered = await verify(consentOf('add_login', subject, wallet), answer)
      const login = { id: deps.random.uuid(), name: readName('name', name ?? USUAL_WALLET_NAME), wallet, passkey: null }
      return await addLogin(deps, { member: subject.member, login, answered, link: by.link }, browser)
    },

    async logInWithWallet({ wallet, accountId, answer }, browser) {
      const answered = await verify(consentOf('log_in', null, wallet), answer)
      const found = await deps.logins.findWallet(wallet)
      const possible = accountId === null ? found : found.filter(({ account }) => account.id === accountId)
      const [login, ...others] = possible
      if (login === undefined) throw new ServiceError('login_refused')
      // Nothing is used up: the same answer serves again, with a business.
      if (others.length > 0) return { secret: null, choices: possible.map(({ account }) => account) }
      return await logIn(deps, { login, answered, counter: null }, browser)
    },

    async proveWithWallet(signedIn, { wallet, answer }, browser) {
      const subject = await subjectOf(deps, { purpose: 'prove', link: null, signedIn })
      const answered = await verify(consentOf('prove', subject, wallet), answer)
      const found = await deps.logins.findWallet(wallet)
      await prove(deps, signedIn, { found, answered, counter: null }, browser)
    },
  }
}

/** The member that a proof is about, and the business. */
export type Subject = Pick<OpenLink, 'member' | 'account'>

async function readLink(deps: Pick<LoginDeps, 'logins' | 'secrets' | 'wallClock'>, token: string): Promise<OpenLink> {
  const found = await deps.logins.findLink(deps.secrets.hash(token))
  if (found === null || !isUsable(found.link, deps.wallClock.now())) throw linkNotFound()
  return found
}

/** Returns the member that a proof is about; null for a login, which finds the member. */
export async function subjectOf(deps: LoginDeps, { purpose, link, signedIn }: Asked): Promise<Subject | null> {
  if (purpose === 'log_in') return null
  if (link !== null && purpose === 'add_login') return await readLink(deps, link)
  if (signedIn === null) throw new ServiceError('session_required')
  const { tenant, memberId } = signedIn
  const [member, account] = await Promise.all([
    deps.members.find(tenant, memberId),
    deps.directory.account(tenant.accountId),
  ])
  if (member === null || account === null) throw new ServiceError('unauthenticated')
  return { member, account }
}

/** The purpose is a part of it, so that no answer serves another one. */
const aboutOf = ({ purpose, memberId, wallet }: LoginConsent): string => `${purpose} ${memberId} ${wallet}`

const linkNotFound = () => new ServiceError('login_link_not_found')

type StartedSession = { readonly session: NewSession; readonly secret: string }

function newSession(
  { secrets, random, wallClock }: Pick<LoginDeps, 'secrets' | 'random' | 'wallClock'>,
  { ip, userAgent }: Browser,
): StartedSession {
  const { secret, hash } = secrets.issueSession()
  const at = wallClock.now()
  const times = { createdAt: at, lastSeenAt: at, provedAt: at } satisfies Partial<Session>
  return {
    secret,
    session: { id: random.uuid(), tokenHash: hash, ...times, ip, userAgent: userAgent.slice(0, MAX_USER_AGENT) },
  }
}

const authorOf = ({ wallClock }: Pick<LoginDeps, 'wallClock'>, { id, name }: Member, { ip }: Browser) => ({
  actor: memberActor(id, name, ip),
  at: wallClock.now(),
})

/** Adds a login that has proved itself. By a link, a session begins. */
export async function addLogin(
  deps: LoginDeps,
  {
    member,
    login,
    answered,
    link,
  }: {
    readonly member: Member
    readonly login: NewLogin
    readonly answered: Answered
    readonly link: string | null
  },
  browser: Browser,
): Promise<Opened> {
  const opened = link === null ? null : newSession(deps, browser)
  const outcome = await deps.logins.add(
    member,
    login,
    { answered, link: link === null ? null : deps.secrets.hash(link), session: opened?.session ?? null },
    authorOf(deps, member, browser),
  )
  switch (outcome) {
    case 'added':
      return { secret: opened?.secret ?? null, choices: [] }
    case 'used':
      throw new ServiceError('invalid_signature', { rule: 'used' })
    case 'link':
      throw linkNotFound()
    case 'taken':
      throw new ServiceError('login_taken')
    case 'full':
      throw new ServiceError('login_limit_reached', { limit: MAX_LOGINS })
  }
}

type Proof = { readonly answered: Answered; readonly counter: number | null }

/** Begins a session by a login that has proved itself. */
export async function logIn(
  deps: LoginDeps,
  { login, answered, counter }: Proof & { readonly login: FoundLogin },
  browser: Browser,
): Promise<Opened> {
  const { session, secret } = newSession(deps, browser)
  const by = authorOf(deps, login.member, browser)
  if (!(await deps.logins.use(login, { answered, counter, session }, by)))
    throw new ServiceError('invalid_signature', { rule: 'used' })
  return { secret, choices: [] }
}

/** Notes the proof of a login of the member in the session. */
export async function prove(
  deps: LoginDeps,
  { memberId, sessionId }: SignedIn,
  { found, answered, counter }: Proof & { readonly found: readonly FoundLogin[] },
  browser: Browser,
): Promise<void> {
  const login = found.find(({ member }) => member.id === memberId)
  if (login === undefined) throw new ServiceError('login_refused')
  const by = authorOf(deps, login.member, browser)
  if (!(await deps.logins.use(login, { answered, counter, session: { provedId: sessionId } }, by)))
    throw new ServiceError('invalid_signature', { rule: 'used' })
  await deps.directoryChanged()
}
