// The transfer of a charge: what it pulls from the subscriber's token account, and where that goes. docs/billing.md,
// "Charges".
import type { Charge } from '#core/billing/charge.ts'
import type { Tier } from '#core/billing/tier.ts'
import type { Authority } from '#core/chain/keys.ts'
import type { Address } from '#core/chain/types.ts'
import type { Leg } from '#core/transfers/plan.ts'
import type { NewTransfer, Transfer } from '#core/transfers/transfer.ts'

/** The kind of the transfer and of its subject, and of the subject of events about the charge; its id is the charge's. */
export const CHARGE = 'charge'

export const CHARGE_ROLES = ['payout', 'platform'] as const
export type ChargeRole = (typeof CHARGE_ROLES)[number]
export type ChargeLeg = Leg<ChargeRole>
export type NewChargeTransfer = NewTransfer<typeof CHARGE, ChargeRole>
export type ChargeTransfer = Transfer<typeof CHARGE, ChargeRole>

export const chargeKey = ({ subscriptionId, periodIndex }: Pick<Charge, 'subscriptionId' | 'periodIndex'>): string =>
  `charge:${subscriptionId}:${periodIndex}`

/** Returns the charge that a key names; null for any other text. */
export function chargeOfKey(text: string): Pick<Charge, 'subscriptionId' | 'periodIndex'> | null {
  const [, subscriptionId, periodIndex] = /^charge:([0-9a-f-]{36}):(\d{1,9})$/.exec(text) ?? []
  return subscriptionId === undefined ? null : { subscriptionId, periodIndex: Number(periodIndex) }
}

/**
 * Returns the transfer of a charge. `wallet` is the subscriber's, `delegate` the key that its allowance names. Throws
 * RangeError when the charge has a fee and the tier has no platform wallet.
 */
export function chargeTransfer(
  charge: Charge,
  tier: Pick<Tier, 'payoutOwner' | 'platformWallet' | 'platformFeeBps' | 'tokenProgram' | 'decimals'>,
  { wallet, delegate }: { readonly wallet: Address; readonly delegate: Authority },
): NewChargeTransfer {
  const { network, accountId, mint } = charge
  return {
    key: chargeKey(charge),
    network,
    subject: { kind: CHARGE, id: charge.id },
    kind: CHARGE,
    accountId,
    source: wallet,
    sourceAccount: null,
    authority: delegate,
    asset: mint,
    decimals: tier.decimals,
    tokenProgram: tier.tokenProgram,
    round: 1,
    portion: 'main',
    legs: legsOf(charge, tier),
  }
}

/** A fee of the whole charge leaves no payout, and no fee leaves no second leg: a leg of nothing is never signed. */
function legsOf(
  { netAmount, feeAmount }: Pick<Charge, 'netAmount' | 'feeAmount'>,
  { payoutOwner, platformWallet, platformFeeBps }: Pick<Tier, 'payoutOwner' | 'platformWallet' | 'platformFeeBps'>,
): readonly ChargeLeg[] {
  if (feeAmount > 0n && platformWallet === null) throw new RangeError('a charge with a fee has a platform wallet')
  const payout: ChargeLeg = { role: 'payout', destination: payoutOwner, amount: netAmount, feeBps: null }
  const fee: readonly ChargeLeg[] =
    platformWallet === null
      ? []
      : [{ role: 'platform', destination: platformWallet, amount: feeAmount, feeBps: platformFeeBps }]
  return [payout, ...fee].filter(({ amount }) => amount > 0n)
}

const isRole = (role: string): role is ChargeRole => CHARGE_ROLES.some((one) => one === role)

/** Throws RangeError for a role of another subject. */
function makeChargeRole(role: string): ChargeRole {
  if (!isRole(role)) throw new RangeError(`a charge has no leg for ${role}`)
  return role
}

/** Returns the transfer in the words of charges. Throws RangeError on one of another subject. */
export function asChargeTransfer(transfer: Transfer): ChargeTransfer {
  if (transfer.kind !== CHARGE) throw new RangeError(`a charge has no transfer of kind ${transfer.kind}`)
  return { ...transfer, kind: CHARGE, legs: transfer.legs.map((leg) => ({ ...leg, role: makeChargeRole(leg.role) })) }
}
