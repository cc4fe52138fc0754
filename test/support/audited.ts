import type { AuditedAddress } from '#core/audit/audit.ts'
import type { BillingAuditServices } from '#services/audit/charges.ts'

/** Returns true when an audit found no problem. */
export const isSound = ({ address, derivedAddress, balances, flows }: AuditedAddress): boolean =>
  address === derivedAddress && [...balances, ...flows].every(({ difference }) => difference === 0n)

/** The audit of recurring billing while there is none. */
export const NO_BILLING: BillingAuditServices = {
  page: async () => ({ records: 0, totals: [], findings: [], feePayerSpent: 0n, next: null }),
}
