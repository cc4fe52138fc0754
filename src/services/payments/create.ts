// POST /intents: allocates an index, derives the address, stores the intent. Spec: "Payments (API key)".
import { type Account, NO_DEFAULTS, payeeLabel, type Tenant, tenantOf } from '#core/accounts/account.ts'
import type { Actor } from '#core/accounts/audit.ts'
import { hrefOf, type Redirect, readRedirects } from '#core/billing/host.ts'
import type { Asset, Network } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { isMetadata } from '#core/metadata.ts'
import { type BasisPoints, isBasisPoints, MAX_USD_CENTS, type UsdCents } from '#core/money/amounts.ts'
import { type CentsRange, isWithin } from '#core/money/conversion.ts'
import { applyCustomerPatch, type CustomerPatch, judgeCustomerPatch } from '#core/payments/customer-details.ts'
import type { OrderDetails } from '#core/payments/intent-values.ts'
import { CHECKOUT_WINDOW_SECONDS, type PaymentIntent } from '#core/payments/payment-intent.ts'
import { isBlank } from '#core/text.ts'
import type { AccountStore } from '#ports/accounts.ts'
import type { RedirectDomainStore } from '#ports/catalogue.ts'
import type { DepositKeys, DeriveAddresses } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { IntentStore } from '#ports/payments.ts'
import type { Random } from '#ports/random.ts'
import type { Secrets } from '#ports/secrets.ts'
import type { Directory } from '#services/accounts/directory.ts'
import { judgeDomains } from '#services/billing/domains.ts'
import { isUuid } from '#services/requests.ts'
import { createAddressReserve } from './address-reserve.ts'
import type { PriceRangeOf } from './known-prices.ts'

// Derivation indexes, read from the database in blocks, so that a create does not wait for the database.

type Store = Pick<IntentStore, 'reserveIndexes'>

const MIN_BLOCK = 32
const MAX_BLOCK = 1_024

/**
 * Returns each index once. A block is as large as the number of indexes used before, within bounds: a busy instance does
 * not wait for a block, and an idle instance that stops loses a few dozen indexes, which is harmless.
 */
export function createIndexAllocator(store: Store): () => Promise<number> {
  const indexes = new Indexes(store)
  return () => indexes.next()
}

class Indexes {
  readonly #store: Store
  #free: number[] = []
  #used = 0
  #refill: Promise<void> | null = null

  constructor(store: Store) {
    this.#store = store
  }

  async next(): Promise<number> {
    for (;;) {
      const index = this.#free.shift()
      if (index !== undefined) return this.#use(index)
      await this.#startRefill()
    }
  }

  #use(index: number): number {
    this.#used += 1
    // A refill in advance can fail without an effect. A call that finds the block empty asks again, and gets the error.
    if (this.#free.length < this.#blockSize() / 2) this.#startRefill().catch(() => {})
    return index
  }

  #blockSize(): number {
    return Math.min(MAX_BLOCK, Math.max(MIN_BLOCK, this.#used))
  }

  #startRefill(): Promise<void> {
    this.#refill ??= this.#reserve().finally(() => {
      this.#refill = null
    })
    return this.#refill
  }

  async #reserve(): Promise<void> {
    const block = await this.#store.reserveIndexes(this.#blockSize())
    this.#free = [...this.#free, ...block]
  }
}

export type CreateIntentDeps = {
  readonly intents: Pick<IntentStore, 'reserveIndexes' | 'create' | 'findByReference'>
  readonly accounts: Pick<AccountStore, 'findMarketplace' | 'findSeller'>
  readonly directory: Pick<Directory, 'account' | 'tokens'>
  readonly keys: Pick<DepositKeys, 'addressOf'>
  readonly deriveAddresses: DeriveAddresses
  readonly redirectDomains: Pick<RedirectDomainStore, 'active'>
  readonly secrets: Pick<Secrets, 'clientSecretOf'>
  readonly random: Pick<Random, 'uuid'>
  readonly clock: Clock
  readonly maxMarketplaceFeeBps: BasisPoints
  /** In a sandbox a payment may lead back to a page of the developer's machine. */
  readonly isSandbox: boolean
  readonly priceRangeOf: PriceRangeOf
}

/** What a business asks for. Each field is as it was sent. */
export type CreateIntentInput = OrderDetails & {
  readonly amountUsdCents: UsdCents
  /** Null for those that the business has chosen for all of its payments. */
  readonly acceptedAssets: readonly Asset[] | null
  readonly reference: string | null
  readonly customer: CustomerPatch | null
  readonly applicationFeeBps: number | null
  readonly metadata: object | null
  /** The seller that the calling marketplace acts for, as it was sent; a malformed id gives `seller_not_found` too. */
  readonly onBehalfOf: string | null
  /** The source of the request, for the audit trail of a marketplace. */
  readonly createdBy: Actor
}

/** What a payment has of its own when nothing is said of it. */
export const NOTHING_MORE = {
  applicationFeeBps: null,
  onBehalfOf: null,
  description: null,
  lineItems: [],
  successUrl: null,
  cancelUrl: null,
} as const satisfies Partial<CreateIntentInput>

/** An intent after its creation. `clientSecret` is null when its reference existed already. */
export type CreatedIntent = {
  readonly intent: PaymentIntent
  readonly clientSecret: string | null
  readonly created: boolean
}

/** Creates an intent. Throws ServiceError. */
export type CreateIntent = (caller: Tenant, input: CreateIntentInput, id?: string) => Promise<CreatedIntent>

/** The payee, and the fee of the marketplace. */
type Payment = { readonly payee: Account; readonly marketplaceFeeBps: BasisPoints | null }

export function createIntentCreator(deps: CreateIntentDeps): CreateIntent {
  const nextAddress = createAddressReserve({ ...deps, nextIndex: createIndexAllocator(deps.intents) })

  return async (caller, given, id = deps.random.uuid()) => {
    const input = await withDefaults(deps, caller, given)
    const payment = await resolvePayment(deps, caller, input)
    const refusal = await judgeInput(deps, caller.network, payment, input)
    const redirects = refusal ?? (await judgeRedirects(deps, caller, payment, input))
    if (redirects instanceof ServiceError) {
      // A repeat returns the stored intent; the rest of the body does not count.
      const stored = input.reference === null ? null : await deps.intents.findByReference(caller, input.reference)
      if (stored !== null) return { intent: stored, clientSecret: null, created: false }
      throw redirects
    }
    const { payee, marketplaceFeeBps } = payment
    const createdAt = deps.clock.now()
    const account = { network: caller.network, index: payee.derivationIndex }
    const { derivationIndex, address } = await nextAddress(account, createdAt.getTime())
    const { secret, hash } = deps.secrets.clientSecretOf(id)
    const { intent, created } = await deps.intents.create(caller, {
      id,
      accountId: payee.id,
      derivationIndex,
      address,
      clientSecretHash: hash,
      createdBy: input.createdBy,
      priceUsdCents: input.amountUsdCents,
      acceptedAssets: [...new Set(input.acceptedAssets)],
      reference: input.reference,
      expiresAt: new Date(createdAt.getTime() + CHECKOUT_WINDOW_SECONDS * 1_000),
      marketplaceFeeBps,
      underpaymentToleranceBps: toleranceOf(input),
      payeeLabel: payeeLabel(payee),
      customerDetails: input.customer === null ? null : applyCustomerPatch(null, input.customer),
      orderDetails: orderDetailsOf(input, redirects),
      metadata: isMetadata(input.metadata) && Object.keys(input.metadata).length > 0 ? input.metadata : null,
      createdAt,
    })
    return { intent, clientSecret: created ? secret : null, created }
  }
}

type Input = CreateIntentInput & {
  readonly acceptedAssets: readonly Asset[]
  readonly underpaymentToleranceBps: BasisPoints
}

/** Returns what the payment keeps of the setting: null for nothing less than the price. */
const toleranceOf = ({ underpaymentToleranceBps }: Input): BasisPoints | null => underpaymentToleranceBps || null

/** Adds what the caller has chosen for all of its payments, without tokens that are allowed no more and pages at domains that are active no more. */
async function withDefaults(deps: CreateIntentDeps, caller: Tenant, input: CreateIntentInput): Promise<Input> {
  const { acceptedAssets, successUrl, cancelUrl, underpaymentToleranceBps } =
    (await deps.directory.account(caller.accountId))?.defaults ?? NO_DEFAULTS
  const tokens = await deps.directory.tokens(caller.network)
  const allowed = acceptedAssets.filter((asset) => tokens.get(asset)?.enabled)
  const given = { ...input, acceptedAssets: input.acceptedAssets ?? allowed, underpaymentToleranceBps }
  const missing = {
    successUrl: input.successUrl === null ? successUrl : null,
    cancelUrl: input.cancelUrl === null ? cancelUrl : null,
  }
  const redirects = readRedirects(missing, { allowsLocal: deps.isSandbox })
  if (typeof redirects === 'string' || redirects.length === 0) return given
  const active = await deps.redirectDomains.active(
    caller,
    redirects.flatMap(({ host }) => host ?? []),
  )
  const usable = redirects.filter(({ host }) => host === null || active.has(host))
  return {
    ...given,
    successUrl: input.successUrl ?? hrefOf(usable, 'success_url'),
    cancelUrl: input.cancelUrl ?? hrefOf(usable, 'cancel_url'),
  }
}

async function resolvePayment(deps: CreateIntentDeps, caller: Tenant, input: Input): Promise<Payment> {
  if (input.onBehalfOf !== null) return resolveSellerPayment(deps, caller, input, input.onBehalfOf)
  const payee = await deps.directory.account(caller.accountId)
  if (payee === null) throw new ServiceError('unauthenticated')
  return { payee, marketplaceFeeBps: null }
}

// A malformed, foreign or archived id, an ordinary business, a revoked capability: one answer, so that callers cannot probe.
async function resolveSellerPayment(
  deps: CreateIntentDeps,
  caller: Tenant,
  input: Input,
  sellerId: string,
): Promise<Payment> {
  const unknown = new ServiceError('seller_not_found')
  if (!isUuid(sellerId)) throw unknown
  const marketplace = await deps.accounts.findMarketplace(caller.accountId)
  if (marketplace?.status !== 'active') throw unknown
  const seller = await deps.accounts.findSeller(caller, sellerId)
  if (seller === null || seller.archivedAt !== null) throw unknown
  if (seller.disabledAt !== null) throw new ServiceError('account_disabled')
  // A rate out of range is refused later, because a repeat of a known reference ignores the other fields.
  const asked = isBasisPoints(input.applicationFeeBps) ? input.applicationFeeBps : null
  const stored = seller.marketplaceFeeBps ?? marketplace.defaultFeeBps
  // A rate that was stored under a higher maximum.
  const max = deps.maxMarketplaceFeeBps
  return { payee: seller, marketplaceFeeBps: asked ?? (stored > max ? max : stored) }
}

async function judgeInput(
  deps: CreateIntentDeps,
  network: Network,
  { payee, marketplaceFeeBps }: Payment,
  input: Input,
): Promise<ServiceError | null> {
  const forSeller = input.onBehalfOf !== null
  if (input.acceptedAssets.length === 0) return new ServiceError('invalid_accepted_tokens')
  const tokens = await deps.directory.tokens(network)
  const strange = input.acceptedAssets.find((asset) => tokens.get(asset)?.enabled !== true)
  if (strange !== undefined) return new ServiceError('token_not_accepted_on_platform', { asset: strange })
  const accepted = input.acceptedAssets.flatMap((asset) => tokens.get(asset) ?? [])
  const max = deps.maxMarketplaceFeeBps
  const rate = input.applicationFeeBps
  if (rate !== null && !forSeller) return new ServiceError('application_fee_without_seller')
  if (rate !== null && (!isBasisPoints(rate) || rate > max))
    return new ServiceError('application_fee_out_of_range', { max })
  const ranges = accepted.map((token) =>
    deps.priceRangeOf(token, { marketplaceFeeBps, underpaymentToleranceBps: toleranceOf(input) }),
  )
  const price = judgePrice(input.amountUsdCents, ranges)
  if (price !== null) return price
  const details = input.customer === null ? null : judgeCustomerPatch(input.customer)
  if (details !== null) return new ServiceError(details)
  if (input.metadata !== null && !isMetadata(input.metadata)) return new ServiceError('invalid_metadata')
  if (forSeller && typeof input.customer?.email !== 'string') return new ServiceError('customer_email_required')
  return payee.sweepDestination === null ? new ServiceError('sweep_destination_missing') : null
}

/** Returns the redirects, to domains of the caller or of the seller, or the refusal. */
async function judgeRedirects(
  deps: CreateIntentDeps,
  caller: Tenant,
  { payee }: Payment,
  input: Input,
): Promise<readonly Redirect[] | ServiceError> {
  const redirects = readRedirects(input, { allowsLocal: deps.isSandbox })
  if (typeof redirects === 'string') return new ServiceError('invalid_redirect_url', { field: redirects })
  const owners = input.onBehalfOf === null ? [caller] : [caller, tenantOf(payee)]
  return (await judgeDomains(deps, owners, redirects)) ?? redirects
}

/** Returns null for an order without details. A blank description is none. */
function orderDetailsOf(
  { description, lineItems }: CreateIntentInput,
  redirects: readonly Redirect[],
): OrderDetails | null {
  const isDescribed = description !== null && !isBlank(description)
  if (!isDescribed && lineItems.length === 0 && redirects.length === 0) return null
  return {
    description: isDescribed ? description : null,
    lineItems,
    successUrl: hrefOf(redirects, 'success_url'),
    cancelUrl: hrefOf(redirects, 'cancel_url'),
  }
}

/** Refuses a price that a payment in no accepted asset can have. An asset without a known price is not refused. */
function judgePrice(cents: UsdCents, ranges: readonly (CentsRange | null)[]): ServiceError | null {
  const known = ranges.filter((range) => range !== null)
  if (known.length < ranges.length || known.some((range) => isWithin(cents, range))) return null
  const possible = known.filter(({ smallest, largest }) => smallest <= largest)
  return new ServiceError(
    'price_not_expressible',
    possible.length === 0 ? {} : { smallest: String(least(possible)), largest: String(most(possible)) },
  )
}

const least = (ranges: readonly CentsRange[]): bigint =>
  ranges.reduce((least, { smallest }) => (smallest < least ? smallest : least), MAX_USD_CENTS)
const most = (ranges: readonly CentsRange[]): bigint =>
  ranges.reduce((most, { largest }) => (largest > most ? largest : most), 0n)
