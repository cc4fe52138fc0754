// A portal of a subscription as its page shows it, and the outcomes of requests for other terms.
import { makeUsdCents } from '#core/money/amounts.ts'
import type {
  PortalServices,
  PortalView,
  RecoveredLink,
  TermOutcome,
} from '#services/billing/portal/portal-services.ts'
import { exampleProduct, exampleTier } from './example-catalogue.ts'
import { exampleChangeChallenge, examplePreparedApprove, exampleRecoveryChallenge } from './example-checkout.ts'
import { exampleSubscription } from './example-subscription.ts'
import { units } from './payment.ts'

const EXPIRES_AT = new Date('2026-11-20T13:00:00Z')
const RECOVERY_URL = 'https://pay.example.com/pay/manage'
export const PORTAL_TOKEN = `po_${'x'.repeat(43)}`

const tier = { ...exampleTier, id: exampleSubscription.tierId, name: 'Small', unitBaseUnits: units(5_000_000n) }

export const examplePortal: PortalView = {
  subscription: exampleSubscription,
  product: exampleProduct,
  tier: { ...tier, priceUsdCents: makeUsdCents(500) },
  merchantName: 'Corner Shop',
  session: {
    tokenHash: new Uint8Array(32),
    subscriptionId: exampleSubscription.id,
    origin: 'recovery',
    mayIncrease: true,
    expiresAt: EXPIRES_AT,
    createdAt: new Date('2026-11-20T12:00:00Z'),
  },
  options: [exampleTier],
  paymentsLeft: 11,
  totalAuthorization: { usdCents: 6_000n, baseUnits: 60_000_000n },
  recoveryUrl: RECOVERY_URL,
  revocable: false,
  charges: [],
}

const { transaction, amount, delegate, replacesDelegate, expiresAt, subscriptionId } = examplePreparedApprove
export const exampleApproval: TermOutcome = {
  outcome: 'approval_required',
  approve: {
    approvalId: '0a9b8c7d-6e5f-4a3b-9c2d-1e0f9a8b7c6d',
    subscriptionId,
    transaction,
    amount,
    delegate,
    replacesDelegate,
    expiresAt,
  },
}
export const exampleRevocation = { approvalId: '7d6c5b4a-3e2f-4d1c-8b0a-9f8e7d6c5b4a', transaction, expiresAt }
export const exampleProof: TermOutcome = { outcome: 'proof_required', challenge: exampleChangeChallenge }
export const exampleChange = { outcome: 'changed', subscription: exampleSubscription } as const

export const exampleLink: RecoveredLink = {
  subscription: examplePortal.subscription,
  product: examplePortal.product,
  tier: examplePortal.tier,
  merchantName: examplePortal.merchantName,
  link: {
    subscriptionId: exampleSubscription.id,
    portalUrl: `https://pay.example.com/pay/m/${PORTAL_TOKEN}`,
    expiresAt: EXPIRES_AT,
    origin: 'recovery',
    mayIncrease: true,
  },
}

/** What each operation answers in examples. */
export const examplePortalServices: PortalServices = {
  readPortal: async () => examplePortal,
  cancelInPortal: async () => ({
    ...exampleSubscription,
    cancelAtPeriodEnd: true,
    stoppedBy: 'subscriber',
    canceledAt: new Date('2026-11-20T12:30:00Z'),
    nextChargeAt: null,
  }),
  pauseInPortal: async () => ({
    ...exampleSubscription,
    status: 'paused',
    stoppedBy: 'subscriber',
    nextChargeAt: null,
  }),
  resumeInPortal: async () => exampleSubscription,
  changeTierInPortal: async () => exampleProof,
  renewInPortal: async () => exampleApproval,
  revokeInPortal: async () => exampleRevocation,
  activateInPortal: async () => ({ outcome: 'renewed', subscription: exampleSubscription }),
  recovery: () => ({ challengeUrl: `${RECOVERY_URL}/challenge`, verifyUrl: `${RECOVERY_URL}/verify` }),
  challengeForLinks: async () => exampleRecoveryChallenge,
  recoverLinks: async () => [exampleLink],
}
