import type { AuditedAddress } from '#core/audit/audit.ts'

/** Returns true when an audit found no problem. */
export const isSound = ({ address, derivedAddress, balances, flows }: AuditedAddress): boolean =>
  address === derivedAddress && [...balances, ...flows].every(({ difference }) => difference === 0n)
