import type { Command } from 'commander'
import { SOL_DECIMALS } from '#core/chain/types.ts'
import { makeBaseUnits } from '#core/money/amounts.ts'
import { formatUnits } from '#core/money/conversion.ts'
import type { Network } from '#operator/arguments.ts'
import { type NetworkStatusFieldsFragment, StatusDocument } from '#operator/documents.generated.ts'
import { facts, table } from '#operator/output.ts'
import type { Shell } from '#operator/shell.ts'

export function addStatusCommand(program: Command, { ask, show }: Shell): void {
  program
    .command('status')
    .description('networks, workers, open work, and what a person should look at')
    .action(async () => {
      const { networks, ...status } = (await ask(StatusDocument, {})).operatorStatus
      const { live, test } = networks
      show({ networks: { live: live && wire(live), test: test && wire(test) }, ...status }, () =>
        [
          describe('live', live),
          describe('test', test),
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
    ['deposits', describeDeposits(network.deposits)],
  ])}`
}

function describeDeposits(deposits: NetworkStatusFieldsFragment['deposits']): string {
  if (deposits == null) return 'searched for; the way is shown a minute after the start'
  const { source, since, reason, readToSlot } = deposits
  const how =
    source === 'polling' ? 'found address by address' : `found in blocks, read to slot ${readToSlot ?? 'none'}`
  return `${how}, since ${since}: ${reason}`
}

const alertLines = (alerts: readonly string[]): string =>
  alerts.length === 0 ? 'Nothing needs a person.' : `Look at this:\n${alerts.map((alert) => `  - ${alert}`).join('\n')}`
