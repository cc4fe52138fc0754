// A subscription intent: one checkout, which a subscriber opens by its token. Spec: "Subscription resources".

import { addressCodec } from '#core/chain/codecs.ts'
import { type Decoded, flag, integer, nullable, plain, text, time, uuid } from '#core/codec.ts'
import { oneOf } from '#core/json.ts'
import { metadataCodec } from '#core/metadata.ts'

const STORED_STATUSES = ['open', 'completed', 'canceled'] as const

export const SUBSCRIPTION_INTENT_STATUSES = [...STORED_STATUSES, 'expired'] as const
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
