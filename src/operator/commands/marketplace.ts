import type { Command } from 'commander'
import { idOf, orEmpty, walletAddress, wholeNumber } from '#operator/arguments.ts'
import {
  ApproveMarketplaceDocument,
  CorrectSellerDocument,
  ListApplicationsDocument,
  type MarketplaceFieldsFragment,
  type MarketplaceTermsInput,
  RefuseMarketplaceDocument,
  RevokeMarketplaceDocument,
  ShowMarketplaceDocument,
} from '#operator/documents.generated.ts'
import { Failure, MISUSED } from '#operator/failure.ts'
import { facts, table } from '#operator/output.ts'
import { clearable, type Shell } from '#operator/shell.ts'
import { describeAccount, warnOfVault } from './account.ts'

type Options = { defaultFeeBps?: string; feeWallet?: string; sellerLimit?: string }

const MAX_SELLER_LIMIT = 2n ** 31n - 1n

export function addMarketplaceCommands(program: Command, { ask, show }: Shell): void {
  const marketplace = program.command('marketplace').description('businesses that take payments for sellers')

  marketplace
    .command('approve')
    .argument('<account>', 'the account of the business', idOf('ACCOUNT'))
    .description('make a business a marketplace, or make it one again; an empty text clears what is there')
    .option('--default-fee-bps <bps>', 'the default rate in basis points', wholeNumber('--default-fee-bps', 0n, 5_000n))
    .option('--fee-wallet <address>', 'the wallet for the fees', orEmpty(walletAddress('--fee-wallet')))
    .option(
      '--seller-limit <number>',
      'how many sellers it may have, archived ones included',
      orEmpty(wholeNumber('--seller-limit', 0n, MAX_SELLER_LIMIT)),
    )
    .action(async (accountId: string, options: Options) => {
      const { approveMarketplace } = await ask(ApproveMarketplaceDocument, { accountId, terms: termsOf(options) })
      show({ marketplace: approveMarketplace }, () => describe('Approved', approveMarketplace))
    })

  marketplace
    .command('applications')
    .option('--all', 'also those that were decided')
    .description('businesses that apply to be a marketplace, those that have waited longest first')
    .action(async ({ all = false }: { all?: boolean }) => {
      const { applications } = await ask(ListApplicationsDocument, { pending: !all })
      show({ applications }, () =>
        table(
          ['account', 'state', 'website', 'sells', 'expected volume', 'applied', 'reason'],
          applications.map((one) => [
            ...[one.accountId, one.state, one.website, one.sells, one.expectedVolume],
            ...[one.appliedAt, one.reason ?? ''],
          ]),
          'No business waits for an answer.',
        ),
      )
    })

  marketplace
    .command('refuse')
    .argument('<account>', 'the account of the business', idOf('ACCOUNT'))
    .requiredOption('--reason <reason>', 'why; the business reads it')
    .description('refuse the application of a business')
    .action(async (accountId: string, { reason }: { reason: string }) => {
      const { refuseMarketplace } = await ask(RefuseMarketplaceDocument, { accountId, reason })
      show({ application: refuseMarketplace }, () => `Refused ${accountId}: ${reason}`)
    })

  marketplace
    .command('revoke')
    .argument('<account>', 'the account of the business', idOf('ACCOUNT'))
    .description('disable a marketplace; it can still be read, and money in flight still settles')
    .action(async (accountId: string) => {
      const { revokeMarketplace } = await ask(RevokeMarketplaceDocument, { accountId })
      show({ marketplace: revokeMarketplace }, () => describe('Revoked', revokeMarketplace))
    })

  marketplace
    .command('show')
    .argument('<account>', 'the account of the business', idOf('ACCOUNT'))
    .description('one marketplace')
    .action(async (accountId: string) => {
      const { marketplace } = await ask(ShowMarketplaceDocument, { accountId })
      show({ marketplace }, () => describe('Marketplace', marketplace))
    })
}

/** Returns only the given options; an empty text becomes null. */
function termsOf({ defaultFeeBps, feeWallet, sellerLimit }: Options): MarketplaceTermsInput {
  return {
    ...(defaultFeeBps !== undefined && { defaultFeeBps: Number(defaultFeeBps) }),
    ...(feeWallet !== undefined && { feeWallet: clearable(feeWallet) }),
    ...(sellerLimit !== undefined && { sellerLimit: sellerLimit === '' ? null : Number(sellerLimit) }),
  }
}

function describe(title: string, marketplace: MarketplaceFieldsFragment): string {
  const { accountId, status, defaultFeeBps, feeWallet, sellerLimit, sellersCount, sellersTotal } = marketplace
  return `${title} ${accountId}\n${facts([
    ['status', status],
    ['default fee (bps)', defaultFeeBps],
    ['fee wallet', feeWallet ?? 'the sweep destination of the business'],
    ['sellers', sellersCount],
    ['with archived ones', sellersTotal],
    ['limit of sellers', sellerLimit ?? 'none'],
  ])}`
}

type SellerOptions = { name?: string; label?: string; sweepDestination?: string }

export function addSellerCommands(program: Command, { ask, show, note }: Shell): void {
  program
    .command('seller')
    .description('sellers, for corrections that their marketplace cannot make')
    .command('update')
    .argument('<id>', 'the account of the seller', idOf('ID'))
    .description("correct a seller; the marketplace's audit trail says so; an empty text clears what is there")
    .option('--name <name>')
    .option(
      '--sweep-destination <address>',
      'the wallet that its money goes to',
      orEmpty(walletAddress('--sweep-destination')),
    )
    .option('--label <label>')
    .action(async (id: string, { name, label, sweepDestination }: SellerOptions) => {
      const input = {
        ...(name !== undefined && { name }),
        ...(label !== undefined && { label: clearable(label) }),
        ...(sweepDestination !== undefined && { sweepDestination: clearable(sweepDestination) }),
      }
      if (Object.keys(input).length === 0)
        throw new Failure('nothing to change: name at least one of --name, --label, --sweep-destination', MISUSED)
      const { correctSeller } = await ask(CorrectSellerDocument, { id, input })
      if (sweepDestination !== undefined) warnOfVault(correctSeller.sweepDestination, note)
      show({ seller: correctSeller }, () => describeAccount('Changed', correctSeller))
    })
}
