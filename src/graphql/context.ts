// What a resolver is given: who asks, and the capabilities of the edge. The Prisma client is not among them.
import { type ExecutionResult, OperationTypeNode } from 'graphql'
import type { TenantReads } from '#adapters/prisma/tenant-reads.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { type Actor, keyActor, memberActor } from '#core/accounts/audit.ts'
import type { Permission } from '#core/accounts/permissions.ts'
import { ServiceError } from '#core/errors.ts'
import { type Caller, callerName } from '#graphql/caller.ts'
import type { Cursors } from '#graphql/cursor.ts'
import type { Admit } from '#graphql/documents/admission.ts'
import type { HeavyWork } from '#graphql/heavy-work.ts'
import type { Streams } from '#graphql/payments/live/streams.ts'
import { type AnyPrincipal, countedBy, type Identify, type Principal } from '#graphql/principal.ts'
import { createLookups, type Lookups, type Proofs } from '#graphql/proofs.ts'
import { causeOf, type Errors } from '#graphql/public-error.ts'
import type { Uploads } from '#graphql/uploads.ts'
import type { LiveEventLog, LiveEvents, LiveSubscriptions, MarketplaceFeed } from '#ports/live.ts'
import type { SignedIn } from '#services/accounts/logins.ts'
import type { Manager } from '#services/accounts/manager.ts'
import type { CheckoutServices } from '#services/billing/checkout/checkout-services.ts'
import type { PortalServices } from '#services/billing/portal/portal-services.ts'
import type { MarketplaceCaller, MarketplaceServices } from '#services/marketplace/marketplace-services.ts'
import type { IntentServices } from '#services/payments/intent-services.ts'
import type { Services } from '#services/services.ts'
import { type Bill, createBill, type Debtor, digest, type Limits, pauseFlood } from './limits.ts'

/** What every request of an endpoint passes before a resolver runs. */
export type Gate<P extends AnyPrincipal> = {
  readonly identify: Identify<P>
  readonly admit: Admit
  readonly heavyWork: HeavyWork
  readonly uploads: Uploads
  readonly errors: Errors
}

/** What businesses and buyers may ask for; what is for the operator alone is not among it. */
export type PublicServices = Pick<
  Services,
  | 'catalogue'
  | 'eventLog'
  | 'idempotency'
  | 'subscriptions'
  | 'intents'
  | 'walletPayments'
  | 'pages'
  | 'receipts'
  | 'refunds'
  | 'marketplaceStats'
  | 'stats'
  | 'subscriptionCheckout'
  | 'subscriptionPortal'
  | 'webhookEndpoints'
> & {
  readonly accounts: Pick<Services['accounts'], 'brandOf' | 'find' | 'update'>
  readonly applications: Pick<Services['applications'], 'apply' | 'find'>
  readonly members: Omit<Services['members'], 'operatorOfMember'>
  readonly logins: Services['logins']
  readonly sessions: Services['sessions']
  readonly standing: Services['standing']
  readonly payouts: Services['payouts']
  readonly payoutProblems: Services['payoutProblems']
  readonly keys: Pick<Services['keys'], 'create' | 'findCreated' | 'findRolled' | 'list' | 'roll' | 'revoke'>
  readonly billing: Pick<Services['billing'], 'facts' | 'merchant' | 'now' | 'explorerUrl'>
  readonly images: Pick<Services['images'], 'urlOf'>
  readonly tokens: Pick<Services['tokens'], 'allowed' | 'known' | 'tickerOf'>
  readonly marketplaces: Omit<MarketplaceServices, 'approve' | 'revoke' | 'show' | 'correctSeller'>
  readonly platform: Pick<Services['platform'], 'facts' | 'health'>
  readonly sandbox: Pick<Services['sandbox'], 'simulateDeposit' | 'fundWallet'>
}

/** Made once, shared by every request. */
export type Edge = Gate<Principal> & {
  readonly services: PublicServices
  readonly live: LiveEvents
  readonly liveSubscriptions: LiveSubscriptions
  readonly feed: MarketplaceFeed
  readonly liveLog: LiveEventLog
  readonly reads: (tenant: Tenant) => TenantReads
  readonly cursors: Cursors
  readonly limits: Limits
  readonly proofs: Proofs
  readonly streams: Streams
}

export type Context = Edge &
  Caller & {
    /** Whether the operation changes something that a disabled business may not change. */
    readonly isChange: boolean
    readonly bill: Bill
    /** The lookups of unproved credentials. */
    readonly lookups: Lookups
  }

/** What an operation takes of the service: its kind, and what its reply costs. */
export type Weight = { readonly points: number; readonly kind: OperationTypeNode }

/** What is known of a request that came to no operation. */
export const NO_OPERATION: Weight = { points: 1, kind: OperationTypeNode.QUERY }

/** Makes the context of an operation. */
export const contextFor = (edge: Edge, caller: Caller, { points, kind }: Weight = NO_OPERATION): Context => ({
  ...edge,
  ...caller,
  isChange: kind === OperationTypeNode.MUTATION,
  bill: createBill(points),
  lookups: createLookups(),
})

/**
 * Returns the context of a change that goes on while its business is disabled: it ends a session, sends what was signed, or lets
 * a buyer or subscriber withdraw.
 */
export const whileDisabled = (context: Context): Context => ({ ...context, isChange: false })

/**
 * Throws `account_disabled` for a change of a business that the operator has disabled. Every way to a business passes here:
 * calls of keys and members when they are counted, those of pages when their secret is proved.
 */
export async function requireEnabled(
  { isChange, services, principal }: Context,
  page: { readonly secret: string } | null = null,
): Promise<void> {
  if (!isChange) return
  if (page !== null) await services.standing.requireEnabled(page)
  else if (principal.kind === 'business') await services.standing.requireEnabled(principal.tenant)
}

/**
 * Runs an operation. A heavy read of a business runs when it is its turn; throws as `HeavyWork` does. Nothing else takes a
 * turn: a mutation can wait for the chain, and a caller without a key reaches no page. Their points bound them. The refusal of
 * a flood leaves after a pause, when the turn is given back.
 */
export async function inTurn<T extends object>(
  { heavyWork }: { readonly heavyWork: HeavyWork },
  caller: Caller<AnyPrincipal>,
  { points, kind }: Weight,
  work: () => Promise<T>,
): Promise<T> {
  const takesTurn = kind === OperationTypeNode.QUERY && caller.principal.kind !== 'anonymous'
  const result = takesTurn ? await heavyWork.run(points, callerName(caller), work, caller.signal) : await work()
  const { errors }: Pick<ExecutionResult, 'errors'> = result
  if (errors !== undefined) await pauseFlood(errors.map(causeOf))
  return result
}

/**
 * Returns the business that asks, which must have every permission that is needed; counts the call. Throws `unauthenticated`,
 * `forbidden` or `rate_limited`.
 */
export async function businessOf(context: Context, ...needed: readonly Permission[]): Promise<Tenant> {
  await countKey(context)
  return uncountedBusinessOf(context, ...needed)
}

/** Does the same without counting the call. */
export function uncountedBusinessOf(
  { principal }: Pick<Context, 'principal'>,
  ...needed: readonly Permission[]
): Tenant {
  if (principal.kind === 'anonymous') throw new ServiceError('unauthenticated')
  for (const permission of needed) requirePermission(principal, permission)
  return principal.tenant
}

/**
 * Returns the manager that asks for a change that could hand the business to another person: a session must have proved itself
 * again in the last five minutes. Throws as `businessOf` does, and `step_up_required`.
 */
export async function provenManagerOf(context: Context, ...needed: readonly Permission[]): Promise<Manager> {
  const tenant = await businessOf(context, ...needed)
  requireProof(context)
  const { principal } = context
  if (principal.kind === 'anonymous') throw new ServiceError('unauthenticated')
  return { tenant, actor: actorOf(context), mayGive: principal.permissions }
}

/** Throws `step_up_required` for an old proof of a session, and `forbidden` for a member without these permissions. Keys pass. */
export function requireProof(
  { principal, services }: Pick<Context, 'principal' | 'services'>,
  ...needed: readonly Permission[]
): void {
  if (principal.kind === 'anonymous' || principal.credential.kind === 'key') return
  for (const permission of needed) requirePermission(principal, permission)
  services.sessions.requireProof(principal.credential)
}

/** Returns the member in whose session the request is, without counting the call. Throws `unauthenticated` and `session_required`. */
export function signedInOf({ principal }: Pick<Context, 'principal'>): SignedIn {
  if (principal.kind === 'anonymous') throw new ServiceError('unauthenticated')
  const { tenant, credential } = principal
  if (credential.kind !== 'session') throw new ServiceError('session_required')
  return { tenant, memberId: credential.memberId, sessionId: credential.id }
}

/** Throws once a stream may no longer be read: its key, session or permission is gone. */
export async function requireStill(context: Context, ...needed: readonly Permission[]): Promise<void> {
  uncountedBusinessOf({ principal: await context.identify(context.sent, context.address) }, ...needed)
}

function requirePermission(
  { permissions }: { readonly permissions: ReadonlySet<Permission> },
  permission: Permission,
): void {
  if (!permissions.has(permission)) throw new ServiceError('forbidden', { permission })
}

/** Returns the caller, as the audit log names it. Throws `unauthenticated`. */
export function actorOf({ principal, address }: Pick<Context, 'principal' | 'address'>): Actor {
  if (principal.kind === 'anonymous') throw new ServiceError('unauthenticated')
  const { credential, tenant } = principal
  return credential.kind === 'key'
    ? keyActor(tenant.network, credential.hint, address)
    : memberActor(credential.memberId, credential.name, address)
}

export type MarketplaceScope = Extract<Permission, `marketplace-${string}`>

/**
 * Returns the marketplace that asks, without counting the call. Throws `unauthenticated`, `marketplace_not_found` for an
 * ordinary business whatever the scopes of its key, and `forbidden`.
 */
export function uncountedMarketplaceOf(context: Context, scope: MarketplaceScope): MarketplaceCaller {
  const { principal } = context
  if (principal.kind === 'anonymous') throw new ServiceError('unauthenticated')
  const { tenant, marketplace } = principal
  if (marketplace === null) throw new ServiceError('marketplace_not_found')
  requirePermission(principal, scope)
  return { tenant, actor: actorOf(context) }
}

/** Returns the marketplace that asks, and counts the call. Throws `rate_limited`, and as `uncountedMarketplaceOf` does. */
export async function marketplaceOf(context: Context, scope: MarketplaceScope): Promise<MarketplaceCaller> {
  await countKey(context)
  return uncountedMarketplaceOf(context, scope)
}

/** Counts a call against the tally of its key or member. Throws `unauthenticated`, `rate_limited` and `account_disabled`. */
export async function countKey(context: Context): Promise<void> {
  const { principal, limits, bill, onCounted } = context
  if (principal.kind === 'anonymous') throw new ServiceError('unauthenticated')
  await limits.key(countedBy(principal), principal.tenant.network, 1 + bill.take(), onCounted)
  await requireEnabled(context)
}

/** Counts a call that needs no credential: by key when there is one, else by address. Throws `rate_limited`. */
export async function countPublic({ principal, limits, address, bill, onCounted }: Context): Promise<void> {
  const points = 1 + bill.take()
  if (principal.kind === 'business') await limits.key(countedBy(principal), principal.tenant.network, points, onCounted)
  if (principal.kind === 'anonymous') await limits.address(address, points, onCounted)
}

/** Counts a text for the recovery of links: by key when there is one, else by address. Throws `rate_limited`. */
export async function countRecoveryText({ principal, limits, address, bill, onCounted }: Context): Promise<void> {
  const points = 1 + bill.take()
  if (principal.kind === 'business') await limits.key(countedBy(principal), principal.tenant.network, points, onCounted)
  if (principal.kind === 'anonymous') await limits.recoveryText(address, points, onCounted)
}

/**
 * Asks for what a signed text of the wallet opens. A valid text counts against its wallet only, and any other against the
 * address. Throws `rate_limited`.
 */
export async function withWalletProof<T>(
  context: Context,
  wallet: string,
  ask: (portal: PortalServices) => Promise<T>,
): Promise<T> {
  const { limits, proofs, services, onCounted } = context
  return await proofs.proveWallet(context, async () => {
    await limits.requireRoomOfWallet(wallet, onCounted)
    const found = await ask(services.subscriptionPortal)
    await limits.owe({ kind: 'wallet', wallet }, 1, onCounted)
    await settleBill(context, { kind: 'wallet', wallet })
    return found
  })
}

/**
 * Asks for the intent of a client secret, and counts the call. Throws `invalid_client_secret` or `rate_limited`. A missing
 * secret has no tally.
 */
export async function withSecret<T>(
  context: Context,
  clientSecret: string,
  ask: (intents: IntentServices) => Promise<T>,
): Promise<T> {
  const { limits, proofs, services, onCounted } = context
  if (clientSecret === '') throw new ServiceError('invalid_client_secret')
  return await proofs.prove('clientSecret', clientSecret, context, async () => {
    await limits.clientSecret(clientSecret, onCounted)
    await requireEnabled(context, { secret: clientSecret })
    const found = await ask(services.intents)
    context.onProof?.(digest(clientSecret))
    await settleBill(context, { kind: 'clientSecret', secret: clientSecret })
    return found
  })
}

/**
 * Asks for the subscription checkout of a token, and counts the call. Throws `rate_limited`, and `checkout_not_found` for a
 * missing token, which has no tally.
 */
export async function withCheckoutToken<T>(
  context: Context,
  token: string,
  ask: (checkouts: CheckoutServices) => Promise<T>,
): Promise<T> {
  const { limits, proofs, services, onCounted } = context
  if (token === '') throw new ServiceError('checkout_not_found')
  return await proofs.prove('checkoutToken', token, context, async () => {
    await limits.checkoutToken(token, onCounted)
    await requireEnabled(context, { secret: token })
    const found = await ask(services.subscriptionCheckout)
    context.onProof?.(digest(token))
    await settleBill(context, { kind: 'checkoutToken', token })
    return found
  })
}

/** Asks for the subscription portal of a token, and counts the call. Throws `rate_limited`. */
export async function withPortalToken<T>(
  context: Context,
  token: string,
  ask: (portal: PortalServices) => Promise<T>,
): Promise<T> {
  const { limits, proofs, services, onCounted } = context
  return await proofs.prove('portalToken', token, context, async () => {
    await limits.checkoutToken(token, onCounted)
    await requireEnabled(context, { secret: token })
    const found = await ask(services.subscriptionPortal)
    context.onProof?.(digest(token))
    await settleBill(context, { kind: 'checkoutToken', token })
    return found
  })
}

/**
 * Adds what the reply costs to the tally of the key that asks; without a key, to that of the credential. A credential pays
 * when it is found: a wrong one would take the bill to a tally that limits nothing, and nothing below it is read.
 */
async function settleBill({ principal, limits, bill, onCounted }: Context, credential: Debtor): Promise<void> {
  const debtor: Debtor =
    principal.kind === 'business'
      ? { kind: 'key', keyId: countedBy(principal), network: principal.tenant.network }
      : credential
  await limits.owe(debtor, bill.take(), onCounted)
}

/** Returns the reads of plugin-prisma, which are confined to the business that asks. Throws `unauthenticated`. */
export function readsOf({ principal, reads }: Context): TenantReads {
  if (principal.kind === 'anonymous') throw new ServiceError('unauthenticated')
  return reads(principal.tenant)
}
