// An audit, page by page: every address derived again and compared with the chain, then recurring billing, then the figures.
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core'
import { client } from '#dashboard/browser/client.ts'
import { type Fault, faultOf, NO_ANSWER } from '#dashboard/browser/fault.ts'
import {
  OperatorAuditBillingDocument,
  OperatorAuditPageDocument,
  type OperatorAuditPageQuery,
  OperatorAuditScopeDocument,
  OperatorAuditStatsDocument,
  type TokenUnitsFragment,
} from '#dashboard/operator/documents.generated.ts'
import { type Network, SERVED } from '#dashboard/operator/parts.tsx'

export const STEPS = ['addresses', 'billing', 'figures'] as const
export type Step = (typeof STEPS)[number]

const AMOUNTS = ['ledger', 'chain', 'inFlight', 'unbooked', 'difference'] as const
const NOTHING = { addresses: 0, ledger: 0n, chain: 0n, inFlight: 0n, unbooked: 0n, difference: 0n }

/** In base units: `ledger + inFlight + unbooked + difference = chain`. */
export type Total = Readonly<typeof NOTHING> & { readonly network: Network; readonly asset: string }

export type Finding = {
  readonly network: Network
  readonly subject: string
  readonly text: string
  readonly kind: Kind
}
type Kind = 'address' | 'balance' | 'flow' | 'billing' | 'figure'

export type Run = {
  /** What is under way, or was when it stopped; null when all of it is done. */
  readonly step: Step | null
  readonly done: number
  /** Addresses in all. */
  readonly of: number
  readonly records: number
  readonly accounts: number
  readonly totals: readonly Total[]
  readonly findings: readonly Finding[]
  readonly tokens: readonly TokenUnitsFragment[]
  readonly fault: Fault | null
}

const BEGIN: Run = {
  step: 'addresses',
  done: 0,
  of: 0,
  records: 0,
  accounts: 0,
  totals: [],
  findings: [],
  tokens: [],
  fault: null,
}

class Refused extends Error {
  readonly fault: Fault

  constructor(fault: Fault) {
    super(fault.code)
    this.fault = fault
  }
}

async function ask<Result, Given extends Record<string, unknown>>(
  document: DocumentTypeDecoration<Result, Given>,
  variables: Given,
): Promise<Result> {
  const { data, error } = await client.query<Result>(String(document), variables, { requestPolicy: 'network-only' })
  if (error !== undefined) throw new Refused(faultOf(error))
  if (data === undefined) throw new Refused(NO_ANSWER)
  return data
}

/** Runs an audit of the networks that are served, and shows each state of it, until it is ended. */
export async function audit(show: (run: Run) => void, signal: AbortSignal): Promise<void> {
  let run = BEGIN
  const go = (next: Partial<Run>): void => {
    run = { ...run, ...next }
    signal.throwIfAborted()
    show(run)
  }
  try {
    go({})
    for (const network of SERVED) {
      const { auditScope, tokens } = await ask(OperatorAuditScopeDocument, { network })
      go({ of: run.of + (auditScope?.addresses ?? 0), tokens })
    }
    for (const network of SERVED) {
      for (let afterIndex: number | null = 0; afterIndex !== null; ) {
        const { audit: page }: OperatorAuditPageQuery = await ask(OperatorAuditPageDocument, { network, afterIndex })
        const done = run.done + page.addresses.length
        go({
          done,
          of: Math.max(run.of, done),
          totals: page.addresses.reduce((totals, one) => withAddress(totals, network, one), run.totals),
          findings: [...run.findings, ...page.addresses.flatMap((one) => findingsOf(network, one))],
        })
        afterIndex = page.nextIndex ?? null
      }
    }
    go({ step: 'billing' })
    for (const network of SERVED)
      for (const record of ['charge', 'subscription', 'delegation'] as const)
        await eachPage(async (after) => {
          const { auditBilling: page } = await ask(OperatorAuditBillingDocument, { network, record, after })
          const found = page.findings.map(
            ({ id, problem }): Finding => ({ network, kind: 'billing', subject: id, text: problem }),
          )
          go({ records: run.records + page.records, findings: [...run.findings, ...found] })
          return page.next ?? null
        })
    go({ step: 'figures' })
    for (const network of SERVED)
      await eachPage(async (after) => {
        const { auditStats: page } = await ask(OperatorAuditStatsDocument, { network, after })
        const found = page.differences.map(({ accountId, scope, day, figures }): Finding => {
          const differences = figures.map(({ figure, difference }) => `${figure} ${difference}`).join(', ')
          return { network, kind: 'figure', subject: accountId, text: `${day.slice(0, 10)} ${scope}: ${differences}` }
        })
        go({ accounts: run.accounts + page.accounts, findings: [...run.findings, ...found] })
        return page.next ?? null
      })
    go({ step: null })
  } catch (error) {
    if (error instanceof Refused) show({ ...run, fault: error.fault })
    else if (!signal.aborted) throw error
  }
}

async function eachPage(read: (after: string | null) => Promise<string | null>): Promise<void> {
  for (let after: string | null | undefined; after !== null; ) after = await read(after ?? null)
}

type Audited = OperatorAuditPageQuery['audit']['addresses'][number]

function withAddress(totals: readonly Total[], network: Network, { balances }: Audited): readonly Total[] {
  let next = totals
  for (const { asset, ...balance } of balances) {
    const before = next.find((one) => one.network === network && one.asset === asset)
    const total = { network, asset, ...NOTHING, ...before }
    total.addresses += 1
    for (const name of AMOUNTS) total[name] += BigInt(balance[name])
    next = [...next.filter((one) => one !== before), total]
  }
  return next
}

function findingsOf(network: Network, { intentIndex, address, derivedAddress, balances, flows }: Audited): Finding[] {
  const subject = `#${intentIndex} ${address}`
  const differs = ({ difference }: { readonly difference: string }): boolean => BigInt(difference) !== 0n
  const textOf = ({ asset, difference }: { asset: string; difference: string }): string => `${difference} ${asset}`
  return [
    ...(address === derivedAddress ? [] : [{ network, kind: 'address' as const, subject, text: derivedAddress }]),
    ...balances.filter(differs).map((one) => ({ network, kind: 'balance' as const, subject, text: textOf(one) })),
    ...flows.filter(differs).map((one) => ({ network, kind: 'flow' as const, subject, text: textOf(one) })),
  ]
}
