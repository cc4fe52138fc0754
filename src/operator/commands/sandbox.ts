import type { Command } from 'commander'
import { assetOf, type Network, networkOption, walletAddress, wholeNumber } from '#operator/arguments.ts'
import { AdvanceClockDocument, FaucetDocument } from '#operator/documents.generated.ts'
import type { Shell } from '#operator/shell.ts'

/** In seconds: as far as the service lets its clock be moved at once. */
const TEN_YEARS = 315_360_000n

export function addSandboxCommands(program: Command, { ask, show }: Shell): void {
  program
    .command('clock')
    .description("the sandbox's clock")
    .command('advance')
    .argument('<seconds>', 'how far', wholeNumber('SECONDS', 1n, TEN_YEARS))
    .description('move the clock of the service, and of each chain that allows it, forward permanently')
    .action(async (seconds: string) => {
      const { advanceClock } = await ask(AdvanceClockDocument, { seconds: Number(seconds) })
      show(advanceClock, () => `It is now ${advanceClock.now}.`)
    })

  program
    .command('faucet')
    .argument('<address>', 'the wallet that receives', walletAddress('ADDRESS'))
    .argument('<amount>', 'in base units: lamports for SOL', wholeNumber('AMOUNT', 1n, 2n ** 64n - 1n))
    .description("hand out the sandbox's money, which is worth nothing")
    .option('--mint <mint>', 'the mint address, or SOL', assetOf('--mint'), 'SOL')
    .addOption(networkOption('--network <network>').default('live'))
    .action(async (address: string, amount: string, { mint: asset, network }: { mint: string; network: Network }) => {
      const { faucet } = await ask(FaucetDocument, { input: { network, address, asset, amount } })
      show(faucet, () => `Sent ${amount} base units of ${asset} to ${address}.`)
    })
}
