import type { Command } from 'commander'
import { isWallet } from '#core/chain/curve.ts'
import { isPublicKey } from '#core/chain/public-key.ts'
import { idOf, type Network, networkOption, orEmpty, readImage, walletAddress } from '#operator/arguments.ts'
import {
  type AccountFieldsFragment,
  CancelPayoutChangeDocument,
  CreateAccountDocument,
  DisableAccountDocument,
  EnableAccountDocument,
  ListAccountsDocument,
  SetBrandDocument,
  ShowAccountDocument,
  UpdateAccountDocument,
  type UpdateAccountInput,
} from '#operator/documents.generated.ts'
import { Failure, MISUSED } from '#operator/failure.ts'
import { facts, shownOnce, table } from '#operator/output.ts'
import { clearable, type Shell } from '#operator/shell.ts'

type Options = {
  name?: string
  label?: string
  sweepDestination?: string
  webhookUrl?: string
  webhookEvents?: readonly string[]
}

/** Reads names with commas between them; an empty text names none. */
const typesOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

const sweepDestination = orEmpty(walletAddress('--sweep-destination'))

type BrandOptions = { logo?: string; accentColor?: string; supportUrl?: string; supportEmail?: string }

export function addAccountCommands(program: Command, { ask, pathOf, show, note }: Shell): void {
  const account = program.command('account').description('businesses')

  account
    .command('create')
    .description('open an account; prints its first API key and its webhook secret, once')
    .requiredOption('--name <name>', 'what the business is called')
    .addOption(networkOption('--mode <mode>').makeOptionMandatory())
    .option('--sweep-destination <address>', 'the wallet that its money goes to', sweepDestination)
    .option('--webhook-url <url>', 'where its webhooks go')
    .option('--label <label>', 'what buyers see; the name when left out')
    .action(async ({ name, mode, ...options }: Options & { name: string; mode: Network }) => {
      const { label, sweepDestination, webhookUrl } = clearing(options)
      const input = { name, mode, label, sweepDestination, webhookUrl }
      const { createAccount } = await ask(CreateAccountDocument, { input })
      warnOfVault(createAccount.account.sweepDestination, note)
      show(createAccount, () => {
        const { apiKey, webhookSecret } = createAccount
        const secrets = shownOnce([
          ['API key', apiKey],
          ['webhook secret', webhookSecret],
        ])
        return `${describeAccount('Opened', createAccount.account)}\n\n${secrets}`
      })
    })

  account
    .command('update')
    .argument('<id>', 'the account', idOf('ID'))
    .description('change an account; an empty text clears what is there')
    .option('--name <name>')
    .option('--sweep-destination <address>', 'the wallet that its money goes to', sweepDestination)
    .option('--webhook-url <url>')
    .option('--webhook-events <types>', 'the types of events that it receives, with commas between them', typesOf)
    .option('--label <label>')
    .action(async (id: string, options: Options) => {
      if (Object.keys(options).length === 0)
        throw new Failure(
          'nothing to change: name at least one of --name, --label, --sweep-destination, --webhook-url, --webhook-events',
          MISUSED,
        )
      const { updateAccount } = await ask(UpdateAccountDocument, { id, input: clearing(options) })
      if (options.sweepDestination !== undefined) warnOfVault(updateAccount.sweepDestination, note)
      show({ account: updateAccount }, () => describeAccount('Changed', updateAccount))
    })

  account
    .command('cancel-payout-change')
    .argument('<id>', 'the account', idOf('ID'))
    .description('cancel a change of the payout wallet that waits; `account show` shows it')
    .action(async (accountId: string) => {
      const { cancelAccountPayoutChange: kept } = await ask(CancelPayoutChangeDocument, { accountId })
      show({ account: kept }, () => `${kept.name} keeps ${kept.sweepDestination ?? 'no wallet'}.`)
    })

  account
    .command('disable')
    .argument('<id>', 'the account', idOf('ID'))
    .description('let a business, or a seller, make and change nothing; money under way is finished')
    .requiredOption('--reason <text>', 'why; its people read it')
    .action(async (id: string, { reason }: { reason: string }) => {
      const { disableAccount } = await ask(DisableAccountDocument, { id, reason })
      show({ account: disableAccount }, () => describeAccount('Disabled', disableAccount))
    })

  account
    .command('enable')
    .argument('<id>', 'the account', idOf('ID'))
    .description('enable a disabled business or seller again')
    .action(async (id: string) => {
      const { enableAccount } = await ask(EnableAccountDocument, { id })
      show({ account: enableAccount }, () => describeAccount('Enabled', enableAccount))
    })

  account
    .command('brand')
    .argument('<id>', 'the account', idOf('ID'))
    .description('change how the pages of a business look to its buyers; an empty text clears what is there')
    .option('--logo <path>', 'a PNG, JPEG or WebP file of at most 1 MB')
    .option('--accent-color <color>', 'the color of buttons and links, such as #00aa77')
    .option('--support-url <url>', 'the page on which buyers get help')
    .option('--support-email <address>', 'the address at which buyers get help')
    .action(async (id: string, { logo, accentColor, supportUrl, supportEmail }: BrandOptions) => {
      const input = {
        ...(logo !== undefined && { logo: logo === '' ? null : readImage(pathOf(logo)) }),
        ...(accentColor !== undefined && { accentColor: clearable(accentColor) }),
        ...(supportUrl !== undefined && { supportUrl: clearable(supportUrl) }),
        ...(supportEmail !== undefined && { supportEmail: clearable(supportEmail) }),
      }
      if (Object.keys(input).length === 0)
        throw new Failure(
          'nothing to change: name at least one of --logo, --accent-color, --support-url, --support-email',
          MISUSED,
        )
      const { setBrand } = await ask(SetBrandDocument, { id, input })
      show({ account: setBrand }, () => describeAccount('Changed', setBrand))
    })

  account
    .command('list')
    .description('all accounts, in the order they were opened')
    .action(async () => {
      const { accounts } = await ask(ListAccountsDocument, {})
      show({ accounts }, () =>
        table(
          ['id', 'mode', 'name', 'sweep destination', 'webhooks'],
          accounts.map((one) => [one.id, one.mode, one.name, one.sweepDestination, one.webhookUrl]),
          'No account yet: account create --name NAME --mode test opens one.',
        ),
      )
    })

  account
    .command('show')
    .argument('<id>', 'the account', idOf('ID'))
    .description('one account')
    .action(async (id: string) => {
      const { account } = await ask(ShowAccountDocument, { id })
      show({ account }, () => describeAccount('Account', account))
    })
}

/** Returns only what was given; empty texts become null. */
function clearing({ name, label, sweepDestination, webhookUrl, webhookEvents }: Options): UpdateAccountInput {
  return {
    ...(name !== undefined && { name }),
    ...(label !== undefined && { label: clearable(label) }),
    ...(sweepDestination !== undefined && { sweepDestination: clearable(sweepDestination) }),
    ...(webhookUrl !== undefined && { webhookUrl: clearable(webhookUrl) }),
    ...(webhookEvents !== undefined && { webhookEvents: [...webhookEvents] }),
  }
}

/** Notes an address that no private key signs for. */
export function warnOfVault(address: string | null | undefined, note: Shell['note']): void {
  if (!isPublicKey(address) || isWallet(address)) return
  note(
    `${address} has no private key: it is a program's address, such as a vault. Make sure that you can move money out of it.`,
  )
}

const optional = (
  entries: readonly (readonly [string, string | null | undefined])[],
): readonly (readonly [string, string])[] =>
  entries.flatMap(([name, value]) => (value == null ? [] : [[name, value] as const]))

export const describeAccount = (what: string, account: AccountFieldsFragment): string =>
  `${what} ${account.name} (${account.mode})\n${facts([
    ['id', account.id],
    ['label', account.label],
    ['sweep destination', account.sweepDestination],
    ['webhooks', account.webhookUrl],
    ...(account.webhookEvents.length === 0 ? [] : [['webhook events', account.webhookEvents.join(', ')] as const]),
    ...optional([
      ['logo', account.logoUrl],
      ['accent color', account.accentColor],
      ['support page', account.supportUrl],
      ['support address', account.supportEmail],
    ]),
    ...(account.marketplaceAccountId == null ? [] : [['seller of', account.marketplaceAccountId] as const]),
    ...(account.archivedAt == null ? [] : [['archived', account.archivedAt] as const]),
    ...(account.disabledAt == null ? [] : [['disabled', `${account.disabledAt}: ${account.disabledReason}`] as const]),
    ['opened', account.createdAt],
  ])}`
