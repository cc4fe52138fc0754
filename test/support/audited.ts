import type { AuditedAddress } from '#core/audit/audit.ts'

/** Whether an audit found nothing to complain of. */
export const isSound = ({ address, derivedAddress, balances, flows }: AuditedAddress): boolean =>
  address === derivedAddress && [...balances, ...flows].every(({ difference }) => difference === 0n)
