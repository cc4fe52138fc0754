// A delegation: what the token account of a wallet lets the service pull, shared by all subscriptions of the wallet.
// docs/billing.md, "Authorization".
import { addressCodec, networkCodec, slotCodec, unitsCodec } from '#core/chain/codecs.ts'
import { type Decoded, integer, nullable, plain, time, uuid } from '#core/codec.ts'
import { oneOf } from '#core/json.ts'

/**
 * `pending`: no approve is final yet. `exhausted`: spent to zero, so that the chain removed the delegate. `revoked`: no
 * delegate although something is outstanding. `replaced`: another delegate. `cleared`: nothing is outstanding any more.
 */
export const DELEGATION_STATUSES = ['pending', 'active', 'exhausted', 'revoked', 'replaced', 'cleared'] as const
export type DelegationStatus = (typeof DELEGATION_STATUSES)[number]

export const DELEGATION_FIELDS = {
  id: uuid,
  network: networkCodec,
  wallet: addressCodec,
  mint: addressCodec,
  tokenProgram: addressCodec,
  decimals: integer,
  /** The associated token account of the wallet. */
  tokenAccount: addressCodec,
  status: plain('text', oneOf(DELEGATION_STATUSES)),
  /** Grows with each approve that became final. */
  epoch: integer,
  /** The total of the newest final approve, in base units. */
  authorizedTotal: unitsCodec,
  /** The token account as it was read last, in this slot; null before the first reading. */
  chainSlot: nullable(slotCodec),
  /** The newest slot of a final pull that is booked; null before the first. An older reading still shows the amount. */
  pulledSlot: nullable(slotCodec),
  /**
   * The allowance of the service that the ledger accounts for, in this slot: every pull up to it is booked. Without an amount, an
   * approve has replaced the allowance since. null before the first reading.
   */
  accountedSlot: nullable(slotCodec),
  accountedAllowance: nullable(unitsCodec),
  chainDelegate: nullable(addressCodec),
  chainAllowance: unitsCodec,
  chainCheckedAt: nullable(time),
  clearedAt: nullable(time),
  /** Grows with every change of the delegation, and of a slice of it. */
  version: integer,
  createdAt: time,
  updatedAt: time,
} as const

/** The version of a delegation that is stored with the first decision on it. */
export const NOT_STORED = 0

export type Delegation = Decoded<typeof DELEGATION_FIELDS>
