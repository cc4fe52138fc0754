import type { Command } from 'commander'
import { idOf, limitOption, type Network, networkOption } from '#operator/arguments.ts'
import { ClearHaltDocument, type HaltFieldsFragment, ListHaltsDocument } from '#operator/documents.generated.ts'
import { table } from '#operator/output.ts'
import type { Shell } from '#operator/shell.ts'

export function addHaltCommands(program: Command, { ask, show }: Shell): void {
  const halt = program
    .command('halt')
    .description('addresses from which nothing is sent, because the ledger is not what the chain says')

  halt
    .command('list')
    .description('list halted addresses, the newest halt first')
    .addOption(networkOption('--network <network>'))
    .option('--all', 'also list halts that have ended')
    .addOption(limitOption())
    .action(async ({ network, all, limit }: { network?: Network; all?: true; limit: string }) => {
      const asked = { network: network ?? null, open: all !== true, limit: Number(limit) }
      const { halts } = await ask(ListHaltsDocument, asked)
      show({ halts: halts.map(wire) }, () =>
        table(
          ['id', 'network', 'payment', 'address', 'since', 'over', 'why'],
          halts.map((one) => [
            one.id,
            one.network,
            one.intentIndex,
            one.address,
            one.haltedAt,
            overOf(one),
            one.reason,
          ]),
          'No address is halted.',
        ),
      )
    })

  halt
    .command('clear')
    .argument('<id>', 'the halt', idOf('ID'))
    .description('end a halt although ledger and chain still differ')
    .requiredOption('--reason <text>', 'the reason; it is stored')
    .action(async (id: string, { reason }: { reason: string }) => {
      const { clearHalt } = await ask(ClearHaltDocument, { id, reason })
      show({ halt: wire(clearHalt) }, () => `${clearHalt.address} sends again.`)
    })
}

const wire = ({ faults, ...halt }: HaltFieldsFragment) => ({
  ...halt,
  faults: faults.map((fault) => ({ ...fault, amount: BigInt(fault.amount) })),
})

const overOf = ({ clearedBy, clearedReason }: HaltFieldsFragment): string | null =>
  clearedBy === 'operator' ? `cleared: ${clearedReason}` : (clearedBy ?? null)
