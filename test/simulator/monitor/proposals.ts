// Checks that held money goes to an address of the buyer only when the business has approved this one, while it waited.
// docs/contract.md, "An address from the buyer".
import type { Address } from '#core/chain/types.ts'
import type { IntentChange } from '#core/payments/change.ts'
import type { Ground } from '../world.ts'
import type { Findings } from './findings.ts'
import type { Memory } from './memory.ts'

const RULE = 'held money goes where the business approved'

export function watchProposals({ approved }: Pick<Ground, 'approved'>, findings: Findings, memory: Memory) {
  /** By payment: the address that waits for the business. */
  const waiting = memory.map<string, Address>()

  const checkReleases = ({ after: { id, derivationIndex: index }, transfers, releases }: IntentChange): void => {
    for (const { key, legs } of transfers) {
      // A release that dust disturbs has another round.
      const isNew = releases.some((one) => one.key === key && typeof one.reason === 'string')
      for (const { role, destination } of legs) {
        if (role !== 'buyer') continue
        const isApproved = approved.get(index)?.has(destination) === true
        findings.check(RULE, isApproved, () => `${key}: ${destination} was never approved`)
        const waits = waiting.get(id)
        findings.check(RULE, !isNew || waits === destination, () => `${key}: ${destination}, and ${waits} waited`)
      }
    }
  }

  return {
    onApplied(change: IntentChange): void {
      checkReleases(change)
      for (const { type, intent } of change.events) {
        const address = intent.refundAddress?.proposal?.address
        if (type === 'intent.refund_address_proposed' && address !== undefined) waiting.set(intent.id, address)
        if (type === 'intent.refund_address_approved' || type === 'intent.refund_address_declined')
          waiting.delete(intent.id)
      }
    },
  }
}
