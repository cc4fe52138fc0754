// The edges with members over a database: people in browsers, with wallets that sign.
import { randomUUID, sign } from 'node:crypto'
import { random } from '#adapters/node/random.ts'
import { createAccountStore, createPayoutStore } from '#adapters/prisma/accounts/account-store.ts'
import { createCredentialStore } from '#adapters/prisma/accounts/credential-store.ts'
import { createKeyStore } from '#adapters/prisma/accounts/key-store.ts'
import { createLoginStore } from '#adapters/prisma/accounts/login-store.ts'
import { createMemberStore } from '#adapters/prisma/accounts/member-store.ts'
import { createSessionStore } from '#adapters/prisma/accounts/session-store.ts'
import { createTenantReads } from '#adapters/prisma/tenant-reads.ts'
import { verifyWalletSignature } from '#adapters/solana/transactions/wallet-transactions.ts'
import { createPasskeyVerifier } from '#adapters/webauthn/passkeys.ts'
import { passkeySiteOf } from '#core/accounts/passkey-site.ts'
import type { Role } from '#core/accounts/permissions.ts'
import { MAINNET_GENESIS_HASH } from '#core/chain/known-networks.ts'
import type { Network } from '#core/chain/types.ts'
import { createAuthenticator, createCredentialServices } from '#services/accounts/authenticate.ts'
import { createKeyServices } from '#services/accounts/keys.ts'
import { createLoginServices } from '#services/accounts/logins.ts'
import { createMemberServices } from '#services/accounts/members.ts'
import { createPasskeyServices, type PasskeyDeps } from '#services/accounts/passkey-logins.ts'
import { createPayoutChanger, createPayoutServices } from '#services/accounts/payouts.ts'
import { createSessionAuthenticator, createSessionServices } from '#services/accounts/sessions.ts'
import { newPerson, type Person } from './approves.ts'
import { openTestDatabase } from './database.ts'
import { createTestSecrets } from './keys.ts'
import { type Answer, startTestService, TEST_PAY, type TestOptions } from './services.ts'
import { addAccount } from './webhook-rows.ts'

export const ORIGIN = new URL(TEST_PAY.publicUrl).origin

export type MembersEdge = Awaited<ReturnType<typeof startMembersEdge>>

/** `passkeys` says why passkeys do not work; they do when it is left out. */
export async function startMembersEdge(
  options: Pick<TestOptions, 'settings' | 'services' | 'live'> & {
    readonly passkeys?: string
    readonly payoutDelayHours?: number
  } = {},
) {
  const database = await openTestDatabase()
  const { prisma } = database
  let now = new Date('2026-11-20T10:00:00Z')
  const clock = { now: () => now }
  const secrets = createTestSecrets(random)
  const authenticator = createAuthenticator({ clock, secrets, keys: createKeyStore(prisma) })
  const sessionAuthenticator = createSessionAuthenticator({ sessions: createSessionStore(database), secrets, clock })
  const directoryChanged = async () => {
    authenticator.clear()
    sessionAuthenticator.clear()
  }
  const accounts = createAccountStore(prisma)
  const common = { directoryChanged, secrets, random, clock, wallClock: clock, accounts, publicUrl: TEST_PAY.publicUrl }
  const members = createMemberStore(prisma)
  const keys = createKeyServices({ ...common, apiKeys: createKeyStore(prisma) })
  const site = passkeySiteOf(TEST_PAY.publicUrl)
  if (typeof site === 'string') throw new Error(site)
  const loginDeps: PasskeyDeps = {
    ...common,
    logins: createLoginStore(prisma),
    members,
    directory: { account: (id) => accounts.find(id) },
    verify: verifyWalletSignature,
    genesisHash: MAINNET_GENESIS_HASH,
    nonceKey: new Uint8Array(32).fill(9),
    passkeys: options.passkeys ?? { ...site, verifier: createPasskeyVerifier(site) },
  }
  const payouts = createPayoutStore(prisma)
  const services = {
    accounts: { authenticate: authenticator.authenticate, find: async (id: string) => found(await accounts.find(id)) },
    payouts: createPayoutServices({
      ...common,
      payouts,
      judgeSweepDestination: async () => {},
      payoutDelayHours: options.payoutDelayHours ?? 0,
    }),
    credentials: createCredentialServices({ credentials: createCredentialStore(database), secrets, hosted: null }),
    keys,
    members: createMemberServices({ ...common, members, operatorOf: keys.operatorOf }),
    sessions: createSessionServices({ ...common, sessions: createSessionStore(database), sessionAuthenticator }),
    logins: { ...createLoginServices(loginDeps), ...createPasskeyServices(loginDeps) },
  }
  const service = await startTestService({
    ...options,
    services: { ...options.services, ...services },
    reads: createTenantReads(prisma),
  })
  const operator = { kind: 'operator' as const, credential: null, memberId: null, ip: '192.0.2.1' }

  /** Invites a person as the operator does. Returns the member, and the token of the link. */
  async function invite(accountId: string, role: Role = 'owner', name = 'Ada') {
    const manager = await services.keys.operatorOf(accountId, operator)
    const { member, url } = await services.members.invite(manager, { name, email: null, role })
    return { member, token: tokenOf(url) }
  }

  /** Returns a person who has logged in by a link, with a wallet. */
  async function logIn(accountId: string, role: Role = 'owner', wallet: Person = newPerson()) {
    const { member, token } = await invite(accountId, role)
    const browser = newBrowser(service.graphql)
    const answer = await browser.addWallet(wallet, token)
    if (answer.body.data.addWalletLogin === null) throw new Error(answer.text)
    return { member, wallet, browser }
  }

  return {
    ...service,
    database,
    services,
    business: (network: Network = 'live') => addAccount(database, { network, name: 'Corner Shop' }),
    invite,
    logIn,
    /** Makes the changes of payout wallets that are due. */
    changePayouts: createPayoutChanger({ ...common, payouts }),
    newBrowser: () => newBrowser(service.graphql),
    now: () => now,
    later(seconds: number): void {
      now = new Date(now.getTime() + seconds * 1_000)
    },
    async close() {
      await service.close()
      await database.close()
    },
  }
}

function found<T>(value: T | null): T {
  if (value === null) throw new Error('there is no such row')
  return value
}

export const tokenOf = (url: string): string => url.split('#')[1] ?? ''

type Ask = (query: string, variables?: object, headers?: Record<string, string>) => Promise<Answer>

export type TestBrowser = ReturnType<typeof newBrowser>

/** A browser on a page of the service. It keeps the cookie that it is given. */
export function newBrowser(ask: Ask, origin = ORIGIN) {
  let cookie = ''
  async function graphql(query: string, variables: object = {}): Promise<Answer> {
    const headers = { origin, 'user-agent': 'Test browser', ...(cookie && { cookie }) }
    const answer = await ask(query, variables, headers)
    const set = answer.headers.get('set-cookie')
    if (set !== null) cookie = set.includes('Max-Age=0') ? '' : (set.split(';', 1)[0] ?? '')
    return answer
  }
  /** Asks for a text, and signs it. */
  async function sign(wallet: Person, purpose: string, link: string | null = null) {
    const { body, text } = await graphql(CHALLENGE, { purpose, wallet: wallet.address, link })
    const challenge = body.data?.challengeWalletLogin
    if (challenge == null) throw new Error(text)
    return { wallet: wallet.address, nonce: challenge.nonce, signature: signatureOf(challenge.message, wallet) }
  }
  return {
    graphql,
    sign,
    get cookie() {
      return cookie
    },
    set cookie(value: string) {
      cookie = value
    },
    addWallet: async (wallet: Person, link: string | null) =>
      await graphql(ADD, { ...(await sign(wallet, 'add_login', link)), link }),
    logIn: async (wallet: Person, businessId: string | null = null) =>
      await graphql(LOG_IN, { ...(await sign(wallet, 'log_in')), businessId }),
    prove: async (wallet: Person) => await graphql(PROVE, await sign(wallet, 'prove')),
  }
}

export const signatureOf = (text: string, { privateKey }: Person): string =>
  sign(null, Buffer.from(text), privateKey).toString('base64')

export const unknownId = (): string => randomUUID()

const ME = 'me { member { id name role } business { id name } session { id } }'
const PROOF = '$wallet: SolanaAddress!, $nonce: String, $signature: String'
const ANSWER = 'wallet: $wallet, nonce: $nonce, signature: $signature'
export const CHALLENGE = `mutation ($purpose: LoginPurpose!, $wallet: SolanaAddress!, $link: String) {
  challengeWalletLogin(purpose: $purpose, wallet: $wallet, link: $link) { nonce message input { statement domain uri resources } } }`
export const ADD = `mutation (${PROOF}, $link: String) { addWalletLogin(${ANSWER}, link: $link) { ${ME} businesses { id } } }`
export const LOG_IN = `mutation (${PROOF}, $businessId: String) {
  logInWithWallet(${ANSWER}, businessId: $businessId) { ${ME} businesses { id } } }`
export const PROVE = `mutation (${PROOF}) { proveWithWallet(${ANSWER}) { provenUntil } }`
