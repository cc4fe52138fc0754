import type { Command } from 'commander'
import { SOL_DECIMALS } from '#core/chain/types.ts'
import { makeBaseUnits } from '#core/money/amounts.ts'
import { formatUnits } from '#core/money/conversion.ts'
import type { Network } from '#operator/arguments.ts'
import {
  type BillingStatusFieldsFragment,
  type NetworkStatusFieldsFragment,
  StatusDocument,
} from '#operator/documents.generated.ts'
import { facts, table, wholeUnits } from '#operator/output.ts'
import type { Shell } from '#operator/shell.ts'

export function addStatusCommand(program: Command, { ask, show }: Shell): void {
  program
    .command('status')
    .description('networks, workers, open work, and what a person should look at')
    .action(async () => {
      const { networks, billing = null, ...status } = (await ask(StatusDocument, {})).operatorStatus
      const { live, test } = networks
      const shown = {
        networks: { live: live && wire(live), test: test && wire(test) },
        billing: billing && billingJson(billing),
      }
      show({ ...shown, ...status }, () =>
        [
          describe('live', live),
          describe('test', test),
          describeBilling(billing),
          `Open payments ${status.openIntents}, unfinished transfers ${status.unfinishedTransfers}`,
          table(
            ['worker', 'role', 'started', 'last report'],
            status.workers.map((worker) => [worker.id, worker.role, worker.startedAt, worker.lastSeenAt]),
            'No worker.',
          ),
          alertLines(status.alerts),
        ].join('\n\n'),
      )
    })
}

const wire = (network: NetworkStatusFieldsFragment) => ({
  genesisHash: network.genesisHash,
  feePayer: network.feePayer,
  feePayerLamports: BigInt(network.feePayerLamports),
  slot: BigInt(network.slot),
  lag: network.lagSeconds,
  consensus: network.consensus ?? null,
  slotMs: network.slotMs ?? null,
  finalAfterSlots: network.finalAfterSlots,
  providers: network.providers.map(({ latencyMs = null, ...provider }) => ({ ...provider, latencyMs })),
  deposits: network.deposits && {
    ...network.deposits,
    readToSlot: network.deposits.readToSlot == null ? null : BigInt(network.deposits.readToSlot),
  },
})

function describe(name: Network, network: NetworkStatusFieldsFragment | null | undefined): string {
  if (network == null) return `The ${name} network is not served, or does not answer.`
  const lamports = makeBaseUnits(network.feePayerLamports)
  return `The ${name} network\n${facts([
    ['genesis hash', network.genesisHash],
    ['fee payer', network.feePayer],
    ['its balance', `${formatUnits(lamports, SOL_DECIMALS)} SOL`],
    ['final slot', `${network.slot}, ${Math.round(network.lagSeconds)} seconds ago`],
    ['consensus', describePace(network)],
    ['providers', network.providers.map(describeProvider).join('; ')],
    ['deposits', describeDeposits(network.deposits)],
    ['RPC calls a minute', describeCalls(network.deposits)],
  ])}`
}

const CONSENSUS = { alpenglow: 'Alpenglow', tower_bft: 'TowerBFT' }

function describePace({ consensus, slotMs, finalAfterSlots }: NetworkStatusFieldsFragment): string {
  const name = consensus == null ? 'not known to the providers' : CONSENSUS[consensus]
  const slots = slotMs == null ? 'the slot time is not measured yet' : `slots of ${Math.round(slotMs)} ms`
  return `${name}, ${slots}, final after ${finalAfterSlots} slots`
}

function describeProvider({
  number,
  latencyMs,
  failures,
  isResting,
}: NetworkStatusFieldsFragment['providers'][number]): string {
  const answers = latencyMs == null ? 'has not answered yet' : `answers after ${Math.round(latencyMs)} ms`
  return `${number} ${answers}, failed ${failures} times${isResting ? ', rests' : ''}`
}

function describeDeposits(deposits: NetworkStatusFieldsFragment['deposits']): string {
  if (deposits == null) return 'searched for; the way is shown a minute after the start'
  const { source, since, reason, readToSlot, noticedAccounts, watchedAccounts } = deposits
  const addresses =
    noticedAccounts === 0 && watchedAccounts > 0
      ? 'found address by address'
      : `found by account notices, which arrive for ${noticedAccounts} of ${watchedAccounts} accounts`
  const how = source === 'polling' ? addresses : `found in blocks, read to slot ${readToSlot ?? 'none'}`
  return `${how}, since ${since}: ${reason}`
}

function describeCalls(deposits: NetworkStatusFieldsFragment['deposits']): string | null {
  if (deposits == null) return null
  const { noticeCallsPerMinute, pollingCallsPerMinute, blockCallsPerMinute } = deposits
  return `${noticeCallsPerMinute} with account notices, ${pollingCallsPerMinute} without, ${blockCallsPerMinute} by blocks`
}

const billingJson = ({ sponsorSpent, sponsorBudget, ...billing }: BillingStatusFieldsFragment) => ({
  ...billing,
  sponsorSpent: BigInt(sponsorSpent),
  sponsorBudget: BigInt(sponsorBudget),
})

function describeBilling(billing: BillingStatusFieldsFragment | null): string {
  if (billing === null) return 'Subscriptions are off.'
  const { chargesDue, chargesInFlight, oldestChargeSince } = billing
  const [spent, budget] = [BigInt(billing.sponsorSpent), BigInt(billing.sponsorBudget)]
  return `Subscriptions\n${facts([
    ['by status', countsLine(billing.subscriptions)],
    ['allowances', countsLine(billing.delegations)],
    ['charges', `${chargesDue} due, ${chargesInFlight} in flight`],
    ['the oldest is due since', oldestChargeSince],
    ['mint', billing.mint],
    ...billing.problems.map((problem) => ['problem', problem] as const),
    ['delegate key', billing.delegate],
    [
      'approves',
      `${wholeUnits(spent, SOL_DECIMALS)} SOL in 24 hours, of at most ${wholeUnits(budget, SOL_DECIMALS)} SOL`,
    ],
  ])}`
}

const countsLine = (counts: readonly { readonly status: string; readonly count: number }[]): string =>
  counts.map(({ status, count }) => `${count} ${status}`).join(', ') || 'none'

const alertLines = (alerts: readonly string[]): string =>
  alerts.length === 0 ? 'Nothing needs a person.' : `Look at this:\n${alerts.map((alert) => `  - ${alert}`).join('\n')}`
