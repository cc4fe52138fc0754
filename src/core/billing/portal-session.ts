// A link to the portal of a subscription. Its token is the credential, and only the hash of the token is stored.
import { oneOf } from '#core/json.ts'

/** `merchant`: the business made it. `recovery`: the subscriber, with a proof of the wallet. */
export const PORTAL_ORIGINS = ['merchant', 'recovery'] as const
export type PortalOrigin = (typeof PORTAL_ORIGINS)[number]
export const readPortalOrigin = oneOf(PORTAL_ORIGINS)

export type PortalSession = {
  readonly tokenHash: Uint8Array
  readonly subscriptionId: string
  readonly origin: PortalOrigin
  /** Whether its holder may raise what is charged. */
  readonly mayIncrease: boolean
  readonly expiresAt: Date
  readonly createdAt: Date
}

const HOUR_MS = 3_600_000
const LIFETIME_MS: Readonly<Record<PortalOrigin, number>> = { merchant: 24 * HOUR_MS, recovery: HOUR_MS }

/** Only a link that a wallet has asked for may raise what is charged. */
export const newPortalSession = (
  origin: PortalOrigin,
  { tokenHash, subscriptionId }: Pick<PortalSession, 'tokenHash' | 'subscriptionId'>,
  now: Date,
): PortalSession => ({
  tokenHash,
  subscriptionId,
  origin,
  mayIncrease: origin === 'recovery',
  expiresAt: new Date(now.getTime() + LIFETIME_MS[origin]),
  createdAt: now,
})
