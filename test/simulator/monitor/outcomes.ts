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
  const inTime = sum(payments.filter(({ time }) => time <= expiresAt).map(({ amount }) => amount))
  const settles = SETTLES.has(status)
  check(
    'a price that is paid in time settles',
    settles || inTime < expected || monitor.cancels.has(index),
    () => `${inTime} of ${expected} ${asset} came in time`,
  )
  check(
    'only a price that is paid in time settles',
    !settles || inTime >= expected || monitor.onDemand.has(index),
    () => `${inTime} of ${expected} ${asset} came in time`,
  )
}
