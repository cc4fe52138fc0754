// A checkout of a subscription as its page shows it, and what a wallet signs for it.
import { CHALLENGE_MS, signInOf } from '#core/billing/proof/challenge.ts'
import { type Consent, consentToCharges } from '#core/billing/proof/consent.ts'
import { signInText } from '#core/billing/proof/sign-in.ts'
import { makeAddress } from '#core/chain/base58.ts'
import { MAINNET_GENESIS_HASH } from '#core/chain/known-networks.ts'
import { makeBaseUnits } from '#core/money/amounts.ts'
import type { CheckoutView, PreparedApprove, PreparedProof } from '#services/billing/checkout/checkout-services.ts'
import type { Challenge } from '#services/billing/wallet-proof.ts'
import { exampleIntent, exampleProduct, exampleTier } from './example-catalogue.ts'

const wallet = makeAddress('7RXtDPWyeUhJpUg9Cnw1Nuhn1kRtWTLXQuZGAMk9wQCV')
const subscriptionId = '3c5f2a90-77b1-4c0e-9d65-8a1f4b7e2d33'

export const exampleCheckout: CheckoutView = {
  intent: { ...exampleIntent, subscriberWallet: wallet, subscriptionId },
  status: 'open',
  merchantName: 'Corner Shop',
  product: exampleProduct,
  tier: exampleTier,
  totalAuthorization: { usdCents: 18_000n, baseUnits: 180_000_000n },
  firstCharge: null,
}

/** The transaction is shortened: an example has no use for its bytes. */
export const examplePreparedApprove: PreparedApprove = {
  requiresSignature: true,
  subscriptionId,
  transaction: Uint8Array.of(2, 17, 203, 44),
  amount: makeBaseUnits(180_000_000),
  delegate: makeAddress('9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin'),
  replacesDelegate: null,
  expiresAt: new Date('2026-11-20T12:01:00Z'),
}

const consentTo = (purpose: 'checkout' | 'change'): Consent =>
  consentToCharges(
    { purpose, network: 'live', wallet, subscriptionId, merchant: 'Corner Shop', periods: 12, tier: exampleTier },
    makeBaseUnits(180_000_000),
  )

/** What the service asks a wallet to sign. */
export function exampleChallenge(
  consent: Consent,
  { nonce, requestId }: Pick<Challenge['input'], 'nonce' | 'requestId'> = {
    nonce: '5f1c0d9ab2e84c7f9d3ea6b0c4d8e217',
    requestId: 'c1d2e3f4-0a1b-4c2d-8e3f-5a6b7c8d9e0f',
  },
): Challenge {
  const now = new Date('2026-11-20T12:00:00Z')
  const input = signInOf(consent, {
    payUrl: 'https://pay.example.com/pay',
    genesisHash: MAINNET_GENESIS_HASH,
    nonce,
    requestId,
    termsHash: '0f'.repeat(32),
    now,
  })
  return { nonce: input.nonce, message: signInText(input), input, expiresAt: new Date(now.getTime() + CHALLENGE_MS) }
}

export const exampleChangeChallenge = exampleChallenge(consentTo('change'))
export const exampleRecoveryChallenge = exampleChallenge(
  { purpose: 'recover', network: 'live', wallet },
  // The time of the text, the id of the request, and a mark.
  {
    nonce: '01a1f8d3ea00c1d2e3f40a1b4c2d8e3f5a6b7c8d9e0f5f1c0d9ab2e84c7f9d3ea6b0c4d8e217',
    requestId: 'c1d2e3f4-0a1b-8c2d-8e3f-5a6b7c8d9e0f',
  },
)

export const examplePreparedProof: PreparedProof = {
  requiresSignature: false,
  subscriptionId,
  challenge: exampleChallenge(consentTo('checkout')),
}
