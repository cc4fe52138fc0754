// The part of an audit that recounts the figures of marketplaces.
import type { Network } from './arguments.ts'
import { AuditStatsDocument, type AuditStatsQuery } from './documents.generated.ts'
import type { Shell } from './shell.ts'

type Difference = AuditStatsQuery['auditStats']['differences'][number]

export type StatsReport = {
  /** Marketplaces and sellers whose figures were recounted. */
  readonly accounts: number
  readonly differences: readonly Difference[]
}

/** Recounts every page of the networks. */
export async function auditStats({ ask }: Pick<Shell, 'ask'>, networks: readonly Network[]): Promise<StatsReport> {
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

export function describeStats({ accounts, differences }: StatsReport): string {
  if (accounts === 0) return 'There is no marketplace.'
  if (differences.length === 0) return `The figures of ${accounts} marketplaces and sellers equal a recount.`
  return [
    'These figures of marketplaces differ from a recount of payments and transfers:',
    ...differences.map(differenceLine),
    'Run `SELECT rebuild_stats()` on the database, and audit again.',
  ].join('\n')
}

const differenceLine = ({ accountId, day, span, asset, figures }: Difference): string =>
  `  - ${accountId}, ${day.slice(0, 10)}, spans of ${span} s, ${asset === '' ? 'not settled' : asset}: ` +
  figures.map(({ figure, difference }) => `${figure} ${difference}`).join(', ')
