// The lease of a worker on a transfer, as a condition of every write.
import type { Lease } from '#core/transfers/transfer.ts'

/** Matches the transfer while the lease is the last that was given on it. */
export const leasedBy = ({ transferId, fence }: Lease) => ({ id: transferId, fence })
