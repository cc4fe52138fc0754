import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { type Network, networkOption, walletAddress } from '#operator/arguments.ts'
import {
  type CustodianFieldsFragment,
  ListCustodiansDocument,
  RemoveCustodianDocument,
  SaveCustodiansDocument,
} from '#operator/documents.generated.ts'
import { Failure, MISUSED } from '#operator/failure.ts'
import { table } from '#operator/output.ts'
import type { Shell } from '#operator/shell.ts'

type OnNetwork = { network: Network }

export function addCustodianCommands(program: Command, { ask, pathOf, show }: Shell): void {
  const custodian = program
    .command('custodian')
    .description('wallets of exchanges and other custodians, to which nothing is returned automatically')
  const ofNetwork = () => networkOption('--network <network>').default('live')

  custodian
    .command('list')
    .description('the wallets on the list, with their labels')
    .addOption(networkOption('--network <network>'))
    .action(async ({ network }: { network?: Network }) => {
      const { custodians } = await ask(ListCustodiansDocument, { network: network ?? null })
      show({ custodians }, () => tableOf(custodians))
    })

  custodian
    .command('add')
    .argument('<address>', 'the wallet', walletAddress('ADDRESS'))
    .description('add a wallet, or change its label')
    .requiredOption('--label <text>', 'whose wallet it is; held money names it')
    .addOption(ofNetwork())
    .action(async (address: string, { label, network }: OnNetwork & { label: string }) => {
      await ask(SaveCustodiansDocument, { network, custodians: [{ address, label }] })
      show({ custodian: { network, address, label } }, () => `Nothing is returned to ${address} (${label}) any more.`)
    })

  custodian
    .command('import')
    .argument('<file>', 'a line for each wallet: its address, a space and its label; # begins a comment')
    .description('add the wallets that a file lists')
    .addOption(ofNetwork())
    .action(async (file: string, { network }: OnNetwork) => {
      const custodians = await readList(pathOf(file))
      const { saveCustodians } = await ask(SaveCustodiansDocument, { network, custodians })
      show({ custodians: saveCustodians }, () => tableOf(saveCustodians))
    })

  custodian
    .command('remove')
    .argument('<address>', 'the wallet', walletAddress('ADDRESS'))
    .description('take a wallet off the list; what was held for it is released with `held release`')
    .addOption(ofNetwork())
    .action(async (address: string, { network }: OnNetwork) => {
      const { removeCustodian } = await ask(RemoveCustodianDocument, { network, address })
      show({ removed: removeCustodian }, () =>
        removeCustodian ? `${address} is off the ${network} list.` : `${address} was not on the ${network} list.`,
      )
    })
}

const tableOf = (custodians: readonly CustodianFieldsFragment[]): string =>
  table(
    ['network', 'address', 'label'],
    custodians.map(({ network, address, label }) => [network, address, label]),
    'No wallet is on the list: docs/runbook.md, "Wallets of exchanges", says how to begin.',
  )

async function readList(file: string): Promise<{ address: string; label: string }[]> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Failure(`${file} cannot be read`, MISUSED)
  })
  return text.split('\n').flatMap((line, at) => {
    const entry = line.replace(/#.*/, '').trim()
    if (entry === '') return []
    const [address = '', ...words] = entry.split(/\s+/)
    const label = words.join(' ')
    if (label === '') throw new Failure(`line ${at + 1} of ${file} has no label after the address`, MISUSED)
    return [{ address: walletAddress(`the address on line ${at + 1} of ${file}`)(address), label }]
  })
}
