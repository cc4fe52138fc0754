// A charge with its amounts as integers, and the table of charges.
import type { ChargeFieldsFragment } from './documents.generated.ts'
import { table } from './output.ts'

export const chargeJson = ({ amount, netAmount, feeAmount, ...charge }: ChargeFieldsFragment) => ({
  ...charge,
  amount: BigInt(amount),
  netAmount: BigInt(netAmount),
  feeAmount: BigInt(feeAmount),
})

export const chargeTable = (charges: readonly ChargeFieldsFragment[], empty: string): string =>
  table(
    ['charge', 'subscription', 'period', 'status', 'base units', 'next try', 'why'],
    charges.map((one) => [
      ...[one.id, one.subscriptionId, one.periodIndex, one.status, one.amount, one.nextAttemptAt],
      describeFailure(one),
    ]),
    empty,
  )

/** Returns the failure code and the reason of the transfer, where each says something of its own. */
function describeFailure({ failureCode, reason }: ChargeFieldsFragment): string {
  const parts = [failureCode, reason].filter((part) => part != null)
  return [...new Set(parts)].join(': ')
}
