import type { Command } from 'commander'
import { AdvanceClockDocument, FaucetDocument } from '#operator/documents.generated.ts'
import { assetOf, type Network, networkOption, type Shell, wholeNumber } from '#operator/shell.ts'

export function addSandboxCommands(program: Command, { ask, show }: Shell): void {
  program
    .command('clock')
    .description("the sandbox's clock")
    .command('advance')
    .argument('<seconds>', 'how far', wholeNumber('SECONDS'))
    .description("move the service's clock, and each chain's that can be moved, forward for good")
    .action(async (seconds: string) => {
      const { advanceClock } = await ask(AdvanceClockDocument, { seconds: Number(seconds) })
      show(advanceClock, () => `It is now ${advanceClock.now}.`)
    })

  program
    .command('faucet')
    .argument('<address>', 'the wallet that receives')
    .argument('<amount>', 'in base units: lamports for SOL', wholeNumber('AMOUNT'))
    .description("hand out the sandbox's money, which is worth nothing")
    .option('--mint <mint>', 'the mint address, or SOL', 'SOL')
    .addOption(networkOption('--network <network>').default('live'))
    .action(async (address: string, amount: string, { mint, network }: { mint: string; network: Network }) => {
      const asset = assetOf(mint)
      const { faucet } = await ask(FaucetDocument, { input: { network, address, asset, amount } })
      show(faucet, () => `Sent ${amount} base units of ${asset} to ${address}.`)
    })
}
