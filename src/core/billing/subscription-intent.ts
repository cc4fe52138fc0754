// A subscription intent: one checkout, which a subscriber opens by its token. Spec: "Subscription resources".
import { addressCodec } from '#core/chain/codecs.ts'
import { isWallet } from '#core/chain/curve.ts'
import type { Address } from '#core/chain/types.ts'
import { type Decoded, flag, integer, nullable, plain, text, time, uuid } from '#core/codec.ts'
import type { ErrorCode, ErrorContext } from '#core/errors.ts'
import { oneOf } from '#core/json.ts'
import { type Metadata, metadataCodec } from '#core/metadata.ts'
import { hrefOf, type Redirect, type Redirects, readRedirects } from './host.ts'

const STORED_STATUSES = ['open', 'completed', 'canceled'] as const

const SUBSCRIPTION_INTENT_STATUSES = [...STORED_STATUSES, 'expired'] as const
export type SubscriptionIntentStatus = (typeof SUBSCRIPTION_INTENT_STATUSES)[number]

/** In seconds. Spec: "Limits". */
export const EXPIRES_IN = { default: 86_400, min: 300, max: 604_800 } as const

export const SUBSCRIPTION_INTENT_FIELDS = {
  id: uuid,
  accountId: uuid,
  tierId: uuid,
  status: plain('text', oneOf(STORED_STATUSES)),
  /** Before completion: the wallet that the business gave, or the wallet of the newest `prepare`. */
  subscriberWallet: nullable(addressCodec),
  /** Whether the business gave the wallet, so that no other wallet may subscribe. */
  walletPinned: flag,
  successUrl: nullable(text),
  cancelUrl: nullable(text),
  /** Reserved by the first `prepare`. The subscription exists once the checkout is completed. */
  subscriptionId: nullable(uuid),
  /** The coupon that the business gave, or that was entered on the page. */
  couponId: nullable(uuid),
  metadata: metadataCodec,
  /** Grows with every change. */
  version: integer,
  expiresAt: time,
  createdAt: time,
  updatedAt: time,
  completedAt: nullable(time),
  canceledAt: nullable(time),
} as const

export type SubscriptionIntent = Decoded<typeof SUBSCRIPTION_INTENT_FIELDS>

/** Returns the status as it is shown: an open intent expires by time alone. */
export const subscriptionIntentStatus = (
  { status, expiresAt }: Pick<SubscriptionIntent, 'status' | 'expiresAt'>,
  now: Date,
): SubscriptionIntentStatus => (status === 'open' && expiresAt <= now ? 'expired' : status)

// A new checkout: the rules of its fields. Spec: "Limits".

/**
 * Returns whether a subscriber can have the address: it is on the curve, and none of the keys of the service, for which the signer
 * sponsors nothing. Anyone can create a token account for these.
 */
export const isSubscriberWallet = (wallet: string, serviceKeys: readonly Address[]): wallet is Address =>
  isWallet(wallet) && !serviceKeys.includes(wallet)

/** What a business gives for a new checkout, as it was sent. */
export type SubscriptionIntentInput = Redirects & {
  readonly tierId: string
  /** Pins the checkout to this wallet. */
  readonly subscriberWallet: string | null
  /** In seconds. */
  readonly expiresIn: number
  /** The code or the id of a coupon. */
  readonly coupon: string | null
  readonly metadata: Metadata
}

type IntentRefusal = { readonly code: ErrorCode; readonly context: ErrorContext }

/** What an input that keeps the rules asks for. */
type CheckedIntent = { readonly wallet: Address | null; readonly redirects: readonly Redirect[] }

/** Returns the first rule that an input breaks, or what it asks for. `serviceKeys` are no wallets of subscribers. */
export function checkIntent(
  input: SubscriptionIntentInput,
  serviceKeys: readonly Address[],
): IntentRefusal | CheckedIntent {
  const { expiresIn, subscriberWallet } = input
  if (!Number.isInteger(expiresIn) || expiresIn < EXPIRES_IN.min || expiresIn > EXPIRES_IN.max)
    return {
      code: 'invalid_expires_in',
      context: { min_expires_in: EXPIRES_IN.min, max_expires_in: EXPIRES_IN.max },
    }
  if (subscriberWallet !== null && !isSubscriberWallet(subscriberWallet, serviceKeys))
    return { code: 'invalid_subscriber_wallet', context: { field: 'subscriber_wallet' } }
  const redirects = readRedirects(input)
  if (typeof redirects === 'string') return { code: 'invalid_redirect_url', context: { field: redirects } }
  return { wallet: subscriberWallet, redirects }
}

export const newSubscriptionIntent = (
  input: Pick<SubscriptionIntentInput, 'tierId' | 'metadata' | 'expiresIn'>,
  { wallet, redirects }: CheckedIntent,
  of: { readonly id: string; readonly accountId: string; readonly couponId: string | null; readonly at: Date },
): SubscriptionIntent => ({
  id: of.id,
  accountId: of.accountId,
  tierId: input.tierId,
  status: 'open',
  subscriberWallet: wallet,
  walletPinned: wallet !== null,
  successUrl: hrefOf(redirects, 'success_url'),
  cancelUrl: hrefOf(redirects, 'cancel_url'),
  subscriptionId: null,
  couponId: of.couponId,
  metadata: input.metadata,
  version: 1,
  expiresAt: new Date(of.at.getTime() + input.expiresIn * 1_000),
  createdAt: of.at,
  updatedAt: of.at,
  completedAt: null,
  canceledAt: null,
})
