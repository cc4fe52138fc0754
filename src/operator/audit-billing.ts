// The part of an audit that compares charges, subscriptions and allowances.
import type { Network } from './arguments.ts'
import { AuditBillingDocument, type AuditBillingQuery, type BillingRecord } from './documents.generated.ts'
import { table } from './output.ts'
import type { Shell } from './shell.ts'

/** Records in a request: enough to be fast, few enough to answer in a moment. */
const PAGE = 200
const RECORDS: readonly BillingRecord[] = ['charge', 'subscription', 'delegation']

type Page = AuditBillingQuery['auditBilling']

const AMOUNTS = ['pulled', 'paidOut', 'fees', 'difference'] as const
const NOTHING = { charges: 0, pulled: 0n, paidOut: 0n, fees: 0n, difference: 0n }

/** In base units; `pulled = paidOut + fees + difference`. */
type ChargeTotal = typeof NOTHING & { readonly network: Network; readonly mint: string }

export type BillingFinding = Page['findings'][number] & { readonly network: Network }

export type BillingReport = {
  readonly records: Readonly<Record<BillingRecord, number>>
  readonly totals: readonly ChargeTotal[]
  readonly findings: readonly BillingFinding[]
}

/** Compares every record of a network. `feePayerSpent`: what recurring billing took from the fee payer, in lamports. */
export async function auditBilling(
  { ask }: Pick<Shell, 'ask'>,
  network: Network,
): Promise<BillingReport & { readonly feePayerSpent: bigint }> {
  const records = { charge: 0, subscription: 0, delegation: 0 }
  const totals = new Map<string, ChargeTotal>()
  const findings: BillingFinding[] = []
  let feePayerSpent = 0n
  for (const record of RECORDS) {
    for (let after: string | null | undefined; after !== null; ) {
      const { auditBilling: page }: AuditBillingQuery = await ask(AuditBillingDocument, {
        ...{ network, record, limit: PAGE },
        after: after ?? null,
      })
      records[record] += page.records
      for (const { mint, ...more } of page.totals) {
        const total = totals.get(mint) ?? { network, mint, ...NOTHING }
        totals.set(mint, total)
        total.charges += more.charges
        for (const name of AMOUNTS) total[name] += BigInt(more[name])
      }
      findings.push(...page.findings.map((finding) => ({ ...finding, network })))
      feePayerSpent += BigInt(page.feePayerSpent)
      after = page.next ?? null
    }
  }
  return { records, totals: [...totals.values()], findings, feePayerSpent }
}

/** Returns the reports of all networks as one. */
export const mergeBilling = (reports: readonly BillingReport[]): BillingReport => ({
  records: {
    charge: sum(reports, 'charge'),
    subscription: sum(reports, 'subscription'),
    delegation: sum(reports, 'delegation'),
  },
  totals: reports.flatMap(({ totals }) => totals),
  findings: reports.flatMap(({ findings }) => findings),
})

const sum = (reports: readonly BillingReport[], record: BillingRecord): number =>
  reports.reduce((count, { records }) => count + records[record], 0)

export function describeBilling({ records, totals, findings }: BillingReport): string {
  if (records.subscription === 0 && findings.length === 0) return 'There is no subscription.'
  const compared = `charges: ${records.charge}, subscriptions: ${records.subscription}, allowances: ${records.delegation}`
  return [
    table(
      ['network', 'charged in', 'charges', 'pulled', 'paid out', 'fees', 'difference'],
      totals.map((one) => [one.network, one.mint, one.charges, one.pulled, one.paidOut, one.fees, one.difference]),
      'No charge has succeeded yet.',
    ),
    findings.length === 0
      ? `Nothing differs in recurring billing (${compared}).`
      : `These records of recurring billing differ:\n${findings.map(findingLine).join('\n')}`,
  ].join('\n\n')
}

const findingLine = ({ network, record, id, rule, problem }: BillingFinding): string =>
  `  - ${network} ${record} ${id}, ${rule}: ${problem}`
