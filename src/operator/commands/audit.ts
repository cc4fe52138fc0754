import type { Command } from 'commander'
import { SOL_DECIMALS } from '#core/chain/types.ts'
import { NETWORKS, type Network, networkOption } from '#operator/arguments.ts'
import { auditBilling, type BillingReport, describeBilling, mergeBilling } from '#operator/audit-billing.ts'
import { createTally, type Finding, type NetworkReport, type Unbooked } from '#operator/audit-report.ts'
import {
  AuditPageDocument,
  type AuditPageQuery,
  AuditScopeDocument,
  AuditStatsDocument,
  type AuditStatsQuery,
  ListTokensDocument,
} from '#operator/documents.generated.ts'
import { Failure, REFUSED } from '#operator/failure.ts'
import { table, wholeUnits } from '#operator/output.ts'
import type { Shell } from '#operator/shell.ts'

// The part of an audit that recounts figures.

type Difference = AuditStatsQuery['auditStats']['differences'][number]

export type StatsReport = {
  /** Businesses and sellers whose figures were recounted. */
  readonly accounts: number
  readonly differences: readonly Difference[]
}

/** Recounts every page of the networks. */
async function auditStats({ ask }: Pick<Shell, 'ask'>, networks: readonly Network[]): Promise<StatsReport> {
  const differences: Difference[] = []
  let accounts = 0
  for (const network of networks) {
    for (let after: string | null | undefined; after !== null; ) {
      const { auditStats: page }: AuditStatsQuery = await ask(AuditStatsDocument, { network, after })
      accounts += page.accounts
      differences.push(...page.differences)
      after = page.next ?? null
    }
  }
  return { accounts, differences }
}

function describeStats({ accounts, differences }: StatsReport): string {
  if (accounts === 0) return 'There is no business.'
  if (differences.length === 0) return `The figures of ${accounts} businesses and sellers equal a recount.`
  return [
    'These figures differ from a recount of payments, transfers and charges:',
    ...differences.map(differenceLine),
    'Run `SELECT rebuild_stats()` on the database, and audit again.',
  ].join('\n')
}

const differenceLine = ({ accountId, scope, day, span, asset, figures }: Difference): string =>
  `  - ${accountId}, ${scope}, ${day.slice(0, 10)}, spans of ${span} s, ${asset === '' ? 'not settled' : asset}: ` +
  figures.map(({ figure, difference }) => `${figure} ${difference}`).join(', ')

/** Addresses a request: enough for full calls to the chain, few enough to answer in a moment. */
const PAGE = 200

type Found = {
  readonly report: NetworkReport
  readonly findings: readonly Finding[]
  readonly unbooked: readonly Unbooked[]
  readonly billing: BillingReport
}

export function addAuditCommand(program: Command, shell: Shell): void {
  program
    .command('audit')
    .description('derive every deposit address again, read the chain, and account for every lamport, token and charge')
    .addOption(networkOption('--network <network>'))
    .action(async ({ network }: { network?: Network }) => {
      const found: Found[] = []
      for (const one of network === undefined ? NETWORKS : [network]) found.push(...(await auditNetwork(shell, one)))
      if (found.length === 0)
        throw new Failure('this deployment does not serve that network', REFUSED, 'network_unavailable')
      const tokens = (await shell.ask(ListTokensDocument, {})).tokens
      const stats = await auditStats(
        shell,
        found.map(({ report }) => report.network),
      )
      const reports = found.map(({ report }) => report)
      const differences = found.flatMap(({ findings }) => findings)
      const unbooked = found.flatMap((one) => one.unbooked)
      const billing = mergeBilling(found.map((one) => one.billing))
      const clean = [differences, stats.differences, billing.findings].every((list) => list.length === 0)
      shell.show({ clean, networks: reports, differences, unbooked, stats, billing }, () =>
        [describe(reports, { differences, unbooked }, tokens), describeBilling(billing), describeStats(stats)].join(
          '\n\n',
        ),
      )
      if (differences.length > 0) throw new Failure(differ(differences), REFUSED, 'differences_found')
      if (billing.findings.length > 0)
        throw new Failure('records of recurring billing differ', REFUSED, 'differences_found')
      if (!clean) throw new Failure('figures differ from a recount', REFUSED, 'differences_found')
    })
}

/** Audits a network. Finds nothing where the deployment does not serve it. */
async function auditNetwork({ ask, progress }: Shell, network: Network): Promise<readonly Found[]> {
  const { auditScope: scope } = await ask(AuditScopeDocument, { network })
  if (scope == null) return []
  const tally = createTally(network, scope)
  const shown = progress(`Auditing the ${network} network`)
  try {
    for (let afterIndex: number | null = 0; afterIndex !== null; ) {
      const { audit }: AuditPageQuery = await ask(AuditPageDocument, { network, afterIndex, limit: PAGE })
      tally.add(audit)
      // More may be handed out while it runs.
      shown.at(tally.done, Math.max(scope.addresses, tally.done))
      afterIndex = audit.nextIndex ?? null
    }
  } finally {
    shown.end()
  }
  const { feePayerSpent, ...billing } = await auditBilling({ ask }, network)
  return [{ report: tally.report(feePayerSpent), findings: tally.findings, unbooked: tally.unbooked, billing }]
}

type Tokens = readonly { network: Network; asset: string; ticker: string; decimals: number }[]

type Listed = { readonly differences: readonly Finding[]; readonly unbooked: readonly Unbooked[] }

function describe(reports: readonly NetworkReport[], { differences, unbooked }: Listed, tokens: Tokens): string {
  const named = (network: Network, asset: string) => {
    const token = tokens.find((one) => one.network === network && one.asset === asset)
    return { name: token?.ticker ?? asset, decimals: asset === 'SOL' ? SOL_DECIMALS : (token?.decimals ?? 0) }
  }
  return [
    table(
      ['network', 'asset', 'addresses', 'ledger', 'chain', 'in flight', 'not booked', 'difference'],
      reports.flatMap(({ network, assets }) =>
        assets.map((total) => {
          const { name, decimals } = named(network, total.asset)
          const amounts = [total.ledger, total.chain, total.inFlight, total.unbooked, total.difference]
          return [network, name, total.addresses, ...amounts.map((amount) => wholeUnits(amount, decimals))]
        }),
      ),
      'No deposit address was handed out yet.',
    ),
    ...reports.map(feePayerLine),
    differences.length === 0
      ? 'Every lamport and every token is accounted for.'
      : `Look at this:\n${differences.map((one) => findingLine(one, named)).join('\n')}`,
    ...(unbooked.length === 0 ? [] : [[NOT_BOOKED, ...unbooked.map((one) => unbookedLine(one, named))].join('\n')]),
  ].join('\n\n')
}

const sol = (lamports: bigint): string => `${wholeUnits(lamports, SOL_DECIMALS)} SOL`

const feePayerLine = ({ network, feePayer, tokenAccountLamports }: NetworkReport): string =>
  `The fee payer of the ${network} network, ${feePayer.address}, holds ${sol(feePayer.lamports)}: it was funded with ` +
  `${sol(feePayer.funded)}, and spent ${sol(feePayer.spent)} on fees and rent. Transfers in SOL repaid ` +
  `${sol(feePayer.repaid)}, and closed token accounts returned ${sol(feePayer.rentReturned)}.` +
  (tokenAccountLamports === 0n ? '' : ` Token accounts of deposit addresses hold ${sol(tokenAccountLamports)} of rent.`)

type Named = (network: Network, asset: string) => { name: string; decimals: number }

function findingLine({ network, intentIndex, address, asset, difference, next }: Finding, named: Named): string {
  const unit = asset === null ? null : named(network, asset)
  const amount = unit === null || difference === null ? '' : `, ${wholeUnits(difference, unit.decimals)} ${unit.name}`
  return `  - ${network} payment ${intentIndex}, ${address}${amount}. ${next}`
}

const NOT_BOOKED =
  'Not in the books, in accounts that are not watched. It is no difference: anyone can make a deposit address the owner of ' +
  'such an account.'

function unbookedLine({ network, intentIndex, account, asset, amount }: Unbooked, named: Named): string {
  const { name, decimals } = named(network, asset)
  return `  - ${network} payment ${intentIndex}, ${account}, ${wholeUnits(amount, decimals)} ${name}`
}

function differ(differences: readonly Finding[]): string {
  const addresses = new Set(differences.map(({ network, intentIndex }) => `${network} ${intentIndex}`)).size
  return `${addresses === 1 ? 'one address differs' : `${addresses} addresses differ`}: the books are not what the chain says`
}
