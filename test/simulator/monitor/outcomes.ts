// Checks what became of each payment: a price that was paid in time has settled, and no other has.
// docs/contract.md, "Statuses and transitions".
import type { Ending } from './ending.ts'
import { type Check, sum, type Terms } from './figures.ts'
import type { Reported } from './reported.ts'

/** The statuses of a payment whose price is for the business. */
const SETTLES: ReadonlySet<string> = new Set(['swept', 'settle_failed'])

export function checkOutcome(
  { monitor, ground }: Ending,
  reported: Reported,
  { expiresAt }: Terms,
  check: Check,
): void {
  const { address, asset, expected, index, status } = reported
  // A node that lies shows no block times.
  if (asset === null || expected === null || ground.faults.counts['provider lying'] > 0) return
  const { evidence } = monitor.figures
  const payments = evidence.inflows(address, asset).filter(({ signature }) => evidence.isFinal(signature))
  const paid = (isInTime: (times: readonly number[]) => boolean): bigint =>
    sum(payments.filter(({ times }) => isInTime(times)).map(({ amount }) => amount))
  const settles = SETTLES.has(status)
  const surely = paid((times) => times.every((time) => time <= expiresAt))
  check(
    'a price that is paid in time settles',
    settles || surely < expected || monitor.cancels.has(index),
    () => `${surely} of ${expected} ${asset} came in time`,
  )
  const perhaps = paid((times) => times.some((time) => time <= expiresAt))
  check(
    'only a price that is paid in time settles',
    !settles || perhaps >= expected || monitor.onDemand.has(index),
    () => `${perhaps} of ${expected} ${asset} came in time`,
  )
}
