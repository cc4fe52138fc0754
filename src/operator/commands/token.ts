import type { Command } from 'commander'
import { assetOf, type Network, networkOption, readImage } from '#operator/arguments.ts'
import {
  AllowTokenDocument,
  DisallowTokenDocument,
  ListTokensDocument,
  SetTokenImageDocument,
  type TokenFieldsFragment,
} from '#operator/documents.generated.ts'
import { facts, table } from '#operator/output.ts'
import type { Shell } from '#operator/shell.ts'

type Allow = {
  network: Network
  mint: string
  name: string
  ticker: string
  price?: string
  consentPermanentDelegate: boolean
  consentPausable: boolean
  consent: readonly string[]
}

export function addTokenCommands(program: Command, { ask, pathOf, show, note }: Shell): void {
  const token = program.command('token').description('the allowlist: the assets in which buyers can pay')

  token
    .command('allow')
    .description('allow a token; its decimals, program and extensions are read from the chain and judged')
    .addOption(networkOption('--network <network>').makeOptionMandatory())
    .requiredOption('--mint <mint>', 'the mint address, or SOL', assetOf('--mint'))
    .requiredOption('--name <name>')
    .requiredOption('--ticker <ticker>', 'what buyers choose by')
    .option('--price <feed>', 'the name of the token at the price feeds, or its Pyth id; the ticker when left out')
    .option('--consent-permanent-delegate', 'allow it although its issuer can take tokens out of any account', false)
    .option('--consent-pausable', 'allow it although its issuer can stop all transfers', false)
    .option(
      '--consent <extensions>',
      'allow it although it has these extensions, with commas between them: the refusal names them',
      (text: string) => text.split(',').map((one) => one.trim()),
      [],
    )
    .action(async ({ network, mint, name, ticker, price, consent, ...flags }: Allow) => {
      const { allowToken } = await ask(AllowTokenDocument, {
        input: {
          network,
          asset: mint,
          name,
          ticker,
          feedKey: price ?? null,
          allowPermanentDelegate: flags.consentPermanentDelegate,
          allowPausable: flags.consentPausable,
          consent: [...consent],
        },
      })
      const { priceProblem, ...allowed } = allowToken
      if (priceProblem != null) note(priceProblem)
      show({ token: allowed }, () => describe('Allowed', allowed))
    })

  token
    .command('image')
    .description('set the image of a token: a PNG, JPEG or WebP file of at most 1 MB; without --file, remove it')
    .addOption(networkOption('--network <network>').makeOptionMandatory())
    .requiredOption('--mint <mint>', 'the mint address, or SOL', assetOf('--mint'))
    .option('--file <path>', 'the image')
    .action(async ({ network, mint, file }: Pick<Allow, 'network' | 'mint'> & { file?: string }) => {
      const image = file === undefined ? null : readImage(pathOf(file))
      const { setTokenImage } = await ask(SetTokenImageDocument, { network, asset: mint, image })
      show({ token: setTokenImage }, () => setTokenImage.imageUrl ?? `${setTokenImage.ticker} has no image.`)
    })

  token
    .command('disallow')
    .description('take a token off the allowlist; payments that were made in it still settle')
    .addOption(networkOption('--network <network>').makeOptionMandatory())
    .requiredOption('--mint <mint>', 'the mint address, or SOL', assetOf('--mint'))
    .action(async ({ network, mint }: Pick<Allow, 'network' | 'mint'>) => {
      const { disallowToken } = await ask(DisallowTokenDocument, { network, asset: mint })
      show({ token: disallowToken }, () => `${disallowToken.ticker} is off the ${network} allowlist.`)
    })

  token
    .command('list')
    .description('every token that was ever allowed, on both networks')
    .action(async () => {
      const { tokens } = await ask(ListTokensDocument, {})
      show({ tokens }, () =>
        table(
          ['network', 'ticker', 'name', 'mint', 'decimals', 'price feed', 'allowed'],
          tokens.map((one) => [
            one.network,
            one.ticker,
            one.name,
            one.isNative ? 'SOL' : one.mint,
            one.decimals,
            one.feedKey,
            one.enabled ? 'yes' : 'no',
          ]),
          'No token yet: token allow --network live --mint SOL --name Solana --ticker SOL allows SOL.',
        ),
      )
    })
}

const describe = (what: string, token: TokenFieldsFragment): string =>
  `${what} ${token.ticker} on the ${token.network} network\n${facts([
    ['name', token.name],
    ['mint', token.isNative ? 'SOL' : token.mint],
    ['decimals', token.decimals],
    ['program', token.tokenProgram],
    ['extensions', token.extensions.join(', ')],
    ['price feed', token.feedKey],
  ])}`
