// Businesses, their sellers, and the scope that every query of theirs must name.

import type { Brand } from '#core/accounts/brand.ts'
import { addressCodec, basisPointsCodec } from '#core/chain/codecs.ts'
import type { Address, Asset, Network } from '#core/chain/types.ts'
import { type Decoded, integer, nullable, plain, uuid } from '#core/codec.ts'
import { oneOf } from '#core/json.ts'
import { type BasisPoints, makeBasisPoints } from '#core/money/amounts.ts'

declare const tenant: unique symbol

/**
 * The business that calls, proved by its key. Every store call that reads or writes rows of a business takes a tenant
 * first, so a query without one does not compile. Only authentication makes tenants, by `tenantOf`.
 */
export type Tenant = {
  readonly [tenant]: true
  readonly accountId: string
  readonly network: Network
}

/** What a payment of a business has unless it says otherwise. */
export type PaymentDefaults = {
  /** Empty when each payment has to name its own. */
  readonly acceptedAssets: readonly Asset[]
  readonly successUrl: string | null
  readonly cancelUrl: string | null
  /** How much less than the price counts as paid. 0 for nothing less. */
  readonly underpaymentToleranceBps: BasisPoints
}

export const NO_DEFAULTS: PaymentDefaults = {
  acceptedAssets: [],
  successUrl: null,
  cancelUrl: null,
  underpaymentToleranceBps: makeBasisPoints(0),
}

export type Account = {
  readonly id: string
  readonly network: Network
  readonly name: string
  /** The name for buyers; null means the name of the account. */
  readonly label: string | null
  readonly sweepDestination: Address | null
  readonly derivationIndex: number
  /** Set on a seller. */
  readonly marketplaceAccountId: string | null
  readonly externalId: string | null
  readonly marketplaceFeeBps: BasisPoints | null
  readonly brand: Brand
  readonly defaults: PaymentDefaults
  readonly archivedAt: Date | null
  /** When the operator disabled it; null while it is enabled. */
  readonly disabledAt: Date | null
  /** Why, for the people of the business. */
  readonly disabledReason: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

const MARKETPLACE_STATUSES = ['active', 'disabled'] as const

export const MARKETPLACE_FIELDS = {
  accountId: uuid,
  status: plain('text', oneOf(MARKETPLACE_STATUSES)),
  defaultFeeBps: basisPointsCodec,
  feeWallet: nullable(addressCodec),
  sellerLimit: nullable(integer),
} as const

export type Marketplace = Decoded<typeof MARKETPLACE_FIELDS>

const isTenant = (value: { accountId: string; network: Network }): value is Tenant => value.accountId !== ''

/** Returns the scope of a business that has just proved itself. */
export function tenantOf(account: Pick<Account, 'id' | 'network'>): Tenant {
  const scope = { accountId: account.id, network: account.network }
  if (!isTenant(scope)) throw new RangeError('a tenant has an account')
  return scope
}

/** Returns the name of the payee for buyers. */
export const payeeLabel = (account: Pick<Account, 'label' | 'name'>): string => account.label ?? account.name
