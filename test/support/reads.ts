// Reads of an edge without a database.
import type { Matches } from '#adapters/prisma/payments/search-reads.ts'
import type { TenantReads } from '#adapters/prisma/tenant-reads.ts'
import { pendingIntent } from './example-intent.ts'

/** Reads that find nothing, with those of a test in their place. */
export const emptyReads = (own: Partial<TenantReads> = {}): TenantReads => ({
  account: NOTHING,
  auditEntry: NOTHING,
  billingSubscription: NOTHING,
  charge: NOTHING,
  paymentIntent: {
    ...NOTHING,
    nearMatches: async () => NO_MATCHES,
    indexedMatches: async () => NO_MATCHES,
    orderedMatches: async () => NO_MATCHES,
  },
  redirectDomain: NOTHING,
  refund: NOTHING,
  subscriptionCoupon: NOTHING,
  subscriptionFigures: { movements: async () => [], failures: async () => [], forecast: async () => [] },
  subscriptionIntent: NOTHING,
  subscriptionProduct: NOTHING,
  subscriptionTier: NOTHING,
  apiRequest: NOTHING,
  webhookDelivery: NOTHING,
  webhookEndpoint: NOTHING,
  $connect: async () => {},
  ...own,
})

/** Reads of a payment at whose address these tokens were seen, which are not allowed. */
export const readsOfUnaccepted = (unacceptedTokens: readonly object[] = []): TenantReads => {
  const { paymentIntent } = emptyReads()
  const found = { ...pendingIntent, unacceptedTokens }
  return emptyReads({ paymentIntent: { ...paymentIntent, findUniqueOrThrow: async () => found } })
}

const NOTHING = {
  findMany: async () => [],
  findUnique: async () => null,
  findUniqueOrThrow: () => new Promise<never>(() => {}),
}

export const NO_MATCHES: Matches = { ids: [], isAll: true }

/** Reads that all do the same: they fail. */
export function failingReads(fail: () => Promise<never>): TenantReads {
  const failing = { findMany: fail, findUnique: fail, findUniqueOrThrow: fail }
  return emptyReads({
    account: failing,
    auditEntry: failing,
    billingSubscription: failing,
    charge: failing,
    paymentIntent: { ...failing, nearMatches: fail, indexedMatches: fail, orderedMatches: fail },
    redirectDomain: failing,
    refund: failing,
    subscriptionCoupon: failing,
    subscriptionFigures: { movements: fail, failures: fail, forecast: fail },
    subscriptionIntent: failing,
    subscriptionProduct: failing,
    subscriptionTier: failing,
    apiRequest: failing,
    webhookDelivery: failing,
    webhookEndpoint: failing,
  })
}
