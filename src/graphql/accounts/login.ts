// How members log in, set up logins, and prove again that they are there. docs/dashboard.md.
import type { Account } from '#core/accounts/account.ts'
import { permissionsOf } from '#core/accounts/permissions.ts'
import { PROOF_MS } from '#core/accounts/session.ts'
import { LOGIN_PURPOSES, type LoginPurpose } from '#core/billing/proof/consent.ts'
import { ServiceError } from '#core/errors.ts'
import { MemberType, SessionType } from '#graphql/accounts/members.ts'
import { PROOF, WalletChallenge } from '#graphql/billing/wallet-challenge.ts'
import { builder, REFUSED } from '#graphql/builder.ts'
import { businessOf, type Context, countPublic, requireEnabled, requireProof, signedInOf } from '#graphql/context.ts'
import { NetworkEnum } from '#graphql/network.ts'
import { SessionSecret } from '#graphql/principal.ts'
import type { Asked, Browser, Opened, OpenLink } from '#services/accounts/logins.ts'
import type { LoggedIn } from '#services/accounts/sessions.ts'

const LoginBusiness = builder.objectRef<Account>('LoginBusiness').implement({
  description: 'A business that a member logs in to.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'The id of its account.' }),
    name: t.exposeString('name', { description: 'Its name.' }),
    mode: t.expose('network', { type: NetworkEnum, description: 'The network of its payments.' }),
    disabledReason: t.exposeString('disabledReason', {
      nullable: true,
      description: 'Why the operator has disabled it. Null while it is enabled.',
    }),
  }),
})

const Me = builder.objectRef<LoggedIn>('Me').implement({
  description: 'The member who is logged in.',
  fields: (t) => ({
    member: t.expose('member', { type: MemberType, description: 'The member.' }),
    business: t.expose('account', { type: LoginBusiness, description: 'The business.' }),
    session: t.expose('session', { type: SessionType, description: 'The session.' }),
    provenUntil: t.field({
      type: 'DateTimeISO',
      description: 'Until when the last proof counts for what needs one.',
      resolve: ({ session }) => new Date(session.provedAt.getTime() + PROOF_MS),
    }),
    permissions: t.stringList({
      description: 'What the role of the member permits, by the names that refusals have.',
      resolve: ({ member }) => [...permissionsOf(member.role)],
    }),
  }),
})

const OpenLinkType = builder.objectRef<OpenLink>('LoginLink').implement({
  description: 'A link by which a member sets up a login, once.',
  fields: (t) => ({
    member: t.expose('member', { type: MemberType, description: 'The member.' }),
    business: t.expose('account', { type: LoginBusiness, description: 'The business.' }),
    expiresAt: t.field({
      type: 'DateTimeISO',
      description: 'Until when it works.',
      resolve: ({ link }) => link.expiresAt,
    }),
  }),
})

const LogInType = builder.objectRef<Pick<Opened, 'choices'> & { readonly me: LoggedIn | null }>('LogIn').implement({
  description: 'The outcome of a login.',
  fields: (t) => ({
    me: t.expose('me', {
      type: Me,
      nullable: true,
      description: 'The member, whose session is in the cookie of the answer. Null while a business must be chosen.',
    }),
    businesses: t.field({
      type: [LoginBusiness],
      description:
        'The businesses to choose from, when a wallet logs in to several: send the same answer with `businessId`. Empty otherwise.',
      resolve: ({ choices }) => [...choices],
    }),
  }),
})

const PURPOSES: Readonly<Record<LoginPurpose, string>> = {
  log_in: 'To log in.',
  add_login: 'To set up a login, by a link or in a session.',
  prove: 'To prove again in a session, for what needs a proof of the last five minutes.',
}

export const LoginPurposeEnum = builder.enumType('LoginPurpose', {
  description: 'What a proof of a member is for.',
  values: Object.fromEntries(
    LOGIN_PURPOSES.map((purpose) => [purpose, { value: purpose, description: PURPOSES[purpose] }]),
  ),
})

const LINK = 'The token of the link, which is behind `#` in its URL. Null in a session.'
const ANSWER = {
  type: 'JSONObject',
  required: true,
  description: 'The credential that the browser returns, by its `toJSON`.',
} as const
const WALLET = { type: 'SolanaAddress', required: true, description: 'The wallet.' } as const

/** Returns who asks for a proof. A link counts by address, and a session by its member. */
export async function askedOf(context: Context, purpose: LoginPurpose, link: string | null): Promise<Asked> {
  await countPublic(context)
  const isOfSession = purpose === 'prove' || (purpose === 'add_login' && link === null)
  if (isOfSession) await requireEnabled(context)
  return { purpose, link, signedIn: isOfSession ? signedInOf(context) : null }
}

/** Returns the browser that logs in. Throws `own_pages_only`. */
export function browserOf({ browser, address }: Pick<Context, 'browser' | 'address'>): Browser {
  if (browser === undefined) throw new ServiceError('own_pages_only')
  return { ip: address, userAgent: browser.userAgent }
}

/** Keeps the session that began, if one did, in the cookie of the answer. */
export async function opened(context: Context, { secret, choices }: Opened) {
  if (secret === null) return { me: choices.length === 0 ? await meOf(context) : null, choices }
  context.browser?.keep(secret)
  return { me: await context.services.sessions.authenticate(secret), choices }
}

/** Returns the member of the session of the request. */
async function meOf(context: Context): Promise<LoggedIn> {
  signedInOf(context)
  if (!(context.sent instanceof SessionSecret)) throw new ServiceError('session_required')
  return await context.services.sessions.authenticate(context.sent.secret)
}

const LoginMethods = builder.objectRef<{ readonly fault: string | null }>('LoginMethods').implement({
  description: 'How people log in here.',
  fields: (t) => ({
    passkeys: t.boolean({
      description: 'Whether passkeys work. Wallets always do.',
      resolve: ({ fault }) => fault === null,
    }),
    passkeysFault: t.exposeString('fault', {
      nullable: true,
      description: 'Why passkeys do not work, for people. Null when they do.',
    }),
  }),
})

builder.queryFields((t) => ({
  loginMethods: t.field({
    type: LoginMethods,
    nullable: true,
    description: `How people log in here. ${REFUSED}`,
    resolve: async (_root, _args, context) => {
      await countPublic(context)
      return { fault: context.services.logins.fault() }
    },
  }),
  me: t.field({
    type: Me,
    nullable: true,
    description: `The member who is logged in. Needs a session. ${REFUSED}`,
    resolve: async (_root, _args, context) => {
      await businessOf(context)
      return await meOf(context)
    },
  }),
  loginLink: t.field({
    type: OpenLinkType,
    nullable: true,
    description: `Who a link is for. Reading does not use it up. ${REFUSED}`,
    args: { token: t.arg.string({ required: true, description: LINK }) },
    resolve: async (_root, { token }, context) => {
      await countPublic(context)
      return await context.proofs.prove('loginLink', token, context, () => context.services.logins.readLink(token))
    },
  }),
}))

builder.mutationFields((t) => ({
  challengePasskey: t.field({
    type: 'JSONObject',
    nullable: true,
    description: `Returns what a page passes to \`navigator.credentials\`, in the form of \`parseCreationOptionsFromJSON\` for \`add_login\` and of \`parseRequestOptionsFromJSON\` otherwise. ${REFUSED}`,
    args: {
      purpose: t.arg({ type: LoginPurposeEnum, required: true, description: 'What the proof is for.' }),
      link: t.arg.string({ description: LINK }),
    },
    resolve: async (_root, { purpose, link }, context) => {
      const asked = await askedOf(context, purpose, link ?? null)
      return { ...(await context.proofs.proveWallet(context, () => context.services.logins.challengePasskey(asked))) }
    },
  }),
  addPasskey: t.field({
    type: LogInType,
    nullable: true,
    description: `Lets a passkey log in: by a link, which is used up and begins a session, or in a session with a proof of the last five minutes. ${REFUSED}`,
    args: {
      answer: t.arg(ANSWER),
      link: t.arg.string({ description: LINK }),
      name: t.arg({ type: 'Line', description: 'Which device it is. `Passkey` when left out.' }),
    },
    resolve: async (_root, { answer, link = null, name = null }, context) => {
      const browser = browserOf(context)
      const asked = await askedOf(context, 'add_login', link)
      // A link is a proof by itself.
      if (link === null) requireProof(context)
      const { logins } = context.services
      const add = () => logins.addPasskey(asked, { name, answer }, browser)
      return await opened(context, await context.proofs.proveWallet(context, add))
    },
  }),
  logInWithPasskey: t.field({
    type: LogInType,
    nullable: true,
    description: `Begins a session of the member whose passkey it is. ${REFUSED}`,
    args: { answer: t.arg(ANSWER) },
    resolve: async (_root, { answer }, context) => {
      const browser = browserOf(context)
      await countPublic(context)
      const logIn = () => context.services.logins.logInWithPasskey(answer, browser)
      return await opened(context, await context.proofs.proveWallet(context, logIn))
    },
  }),
  proveWithPasskey: t.field({
    type: Me,
    nullable: true,
    description: `Proves again that the member is there. The proof counts for five minutes. Needs a session. ${REFUSED}`,
    args: { answer: t.arg(ANSWER) },
    resolve: async (_root, { answer }, context) => {
      await businessOf(context)
      const signedIn = signedInOf(context)
      const browser = browserOf(context)
      await context.proofs.proveWallet(context, () =>
        context.services.logins.proveWithPasskey(signedIn, answer, browser),
      )
      return await meOf(context)
    },
  }),
  challengeWalletLogin: t.field({
    type: WalletChallenge,
    nullable: true,
    description: `Returns a text for the wallet of a member to sign. ${REFUSED}`,
    args: {
      purpose: t.arg({ type: LoginPurposeEnum, required: true, description: 'What the proof is for.' }),
      wallet: t.arg(WALLET),
      link: t.arg.string({ description: LINK }),
    },
    resolve: async (_root, { purpose, wallet, link }, context) => {
      const asked = await askedOf(context, purpose, link ?? null)
      return await context.proofs.proveWallet(context, () => context.services.logins.challengeWallet(asked, wallet))
    },
  }),
  addWalletLogin: t.field({
    type: LogInType,
    nullable: true,
    description: `Lets a wallet log in: by a link, which is used up and begins a session, or in a session with a proof of the last five minutes. ${REFUSED}`,
    args: {
      wallet: t.arg(WALLET),
      link: t.arg.string({ description: LINK }),
      name: t.arg({ type: 'Line', description: 'Which wallet it is. `Wallet` when left out.' }),
      nonce: t.arg.string(PROOF.nonce),
      signature: t.arg.string(PROOF.signature),
      signedMessage: t.arg.string(PROOF.signedMessage),
    },
    resolve: async (_root, { wallet, link = null, name = null, ...answer }, context) => {
      const browser = browserOf(context)
      const asked = await askedOf(context, 'add_login', link)
      // A link is a proof by itself.
      if (link === null) requireProof(context)
      const given = { wallet, name, answer }
      return await opened(
        context,
        await context.proofs.proveWallet(context, () => context.services.logins.addWallet(asked, given, browser)),
      )
    },
  }),
  logInWithWallet: t.field({
    type: LogInType,
    nullable: true,
    description: `Begins a session of the member whose wallet it is. ${REFUSED}`,
    args: {
      wallet: t.arg(WALLET),
      businessId: t.arg.string({ description: 'The business, when the wallet logs in to several.' }),
      nonce: t.arg.string(PROOF.nonce),
      signature: t.arg.string(PROOF.signature),
      signedMessage: t.arg.string(PROOF.signedMessage),
    },
    resolve: async (_root, { wallet, businessId, ...answer }, context) => {
      const browser = browserOf(context)
      await countPublic(context)
      const given = { wallet, accountId: businessId ?? null, answer }
      return await opened(
        context,
        await context.proofs.proveWallet(context, () => context.services.logins.logInWithWallet(given, browser)),
      )
    },
  }),
  proveWithWallet: t.field({
    type: Me,
    nullable: true,
    description: `Proves again that the member is there. The proof counts for five minutes. Needs a session. ${REFUSED}`,
    args: {
      wallet: t.arg(WALLET),
      nonce: t.arg.string(PROOF.nonce),
      signature: t.arg.string(PROOF.signature),
      signedMessage: t.arg.string(PROOF.signedMessage),
    },
    resolve: async (_root, { wallet, ...answer }, context) => {
      await businessOf(context)
      const signedIn = signedInOf(context)
      const browser = browserOf(context)
      await context.proofs.proveWallet(context, () =>
        context.services.logins.proveWithWallet(signedIn, { wallet, answer }, browser),
      )
      return await meOf(context)
    },
  }),
}))
