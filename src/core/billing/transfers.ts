// The transfer of a charge: one transaction that pulls from the wallet of the subscriber, and pays the business and the
// platform. docs/billing.md, "Charges".
import type { Leg } from '#core/transfers/plan.ts'
import type { NewTransfer, Transfer } from '#core/transfers/transfer.ts'

/** The subject of the transfer; its id is the charge's. */
export const CHARGE_SUBJECT = 'charge'

export type ChargeTransferKind = 'charge'

export const CHARGE_LEG_ROLES = ['payout', 'platform_fee'] as const
export type ChargeLegRole = (typeof CHARGE_LEG_ROLES)[number]

export type ChargeLeg = Leg<ChargeLegRole>
export type NewChargeTransfer = NewTransfer<ChargeTransferKind, ChargeLegRole>
export type ChargeTransfer = Transfer<ChargeTransferKind, ChargeLegRole>

const isRole = (role: string): role is ChargeLegRole => CHARGE_LEG_ROLES.some((one) => one === role)

/** Throws RangeError for a role of another subject. */
export function makeChargeLegRole(role: string): ChargeLegRole {
  if (!isRole(role)) throw new RangeError(`a charge has no leg for ${role}`)
  return role
}

/** Returns the transfer in the words of charges. Throws RangeError on one of another subject. */
export function asChargeTransfer(transfer: Transfer): ChargeTransfer {
  if (transfer.kind !== CHARGE_SUBJECT) throw new RangeError(`a charge has no transfer of kind ${transfer.kind}`)
  return {
    ...transfer,
    kind: CHARGE_SUBJECT,
    legs: transfer.legs.map((leg) => ({ ...leg, role: makeChargeLegRole(leg.role) })),
  }
}
