// The transfer of a charge in the words of charges. docs/billing.md, "Charges".
import { CHARGE, CHARGE_ROLES, type ChargeRole } from '#core/billing/charge-transfer.ts'
import type { Transfer } from '#core/transfers/transfer.ts'

/** The subject of the transfer, and of events about the charge; its id is the charge's. */
export const CHARGE_SUBJECT = CHARGE

export type ChargeTransfer = Transfer<typeof CHARGE, ChargeRole>

const isRole = (role: string): role is ChargeRole => CHARGE_ROLES.some((one) => one === role)

/** Throws RangeError for a role of another subject. */
export function makeChargeRole(role: string): ChargeRole {
  if (!isRole(role)) throw new RangeError(`a charge has no leg for ${role}`)
  return role
}

/** Returns the transfer in the words of charges. Throws RangeError on one of another subject. */
export function asChargeTransfer(transfer: Transfer): ChargeTransfer {
  if (transfer.kind !== CHARGE) throw new RangeError(`a charge has no transfer of kind ${transfer.kind}`)
  return { ...transfer, kind: CHARGE, legs: transfer.legs.map((leg) => ({ ...leg, role: makeChargeRole(leg.role) })) }
}
