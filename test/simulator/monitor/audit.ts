// Checks the audit trail of each marketplace at the end: it names each payment for a seller once, and each cut that a
// settlement left to the seller. The cuts that were taken come from the landed transactions.
import { SOL } from '#core/chain/types.ts'
import { RENT_MINIMUMS } from '../prices.ts'
import type { Stage } from '../stage.ts'
import type { Ending } from './ending.ts'
import { shareOf, sum } from './figures.ts'
import type { Reported, ReportedLeg } from './reported.ts'
import type { Sale } from './stats.ts'

const RULE = 'the audit of a marketplace agrees with the chain'
const ALL_BPS = 10_000

type Entry = {
  readonly marketplace: string
  readonly seller: string | null
  readonly action: string
  readonly changes: Readonly<Record<string, readonly [unknown, unknown]>>
}

export async function checkAudit({ db, findings, stage }: Ending, sales: readonly Sale[]): Promise<void> {
  const entries = await db.query<Entry>(`
    SELECT account_id::text AS marketplace, seller_account_id::text AS seller, action, changes
    FROM audit_log WHERE action IN ('payment.created', 'settlement.leg_waived')`)
  const byPayment = Map.groupBy(entries, ({ changes }) => String(changes.payment_id?.[1]))
  for (const { accountId, reported } of sales) {
    const check = (holds: boolean, what: () => string): void =>
      findings.check(RULE, holds, () => `intent ${reported.index} (${reported.status}): ${what()}`)
    const own = byPayment.get(reported.id) ?? []
    byPayment.delete(reported.id)
    const payee = stage.payees.find((one) => one.accountId === accountId)
    if (payee === undefined || payee.terms === null) {
      check(own.length === 0, () => `${own.length} entries of a payment that is for no seller`)
      continue
    }
    const owner = payee.caller.accountId
    check(
      own.every(({ marketplace, seller }) => marketplace === owner && seller === accountId),
      () => `entries of ${own.map(({ marketplace, seller }) => `${seller} of ${marketplace}`)}`,
    )
    const created = own.filter(({ action }) => action === 'payment.created')
    const agreed = created.map(
      ({ changes }) => `${changes.price_usd_cents?.[1]} at ${changes.marketplace_fee_bps?.[1]}`,
    )
    const shown = `${reported.priceUsdCents} at ${reported.feeBps}`
    check(agreed.length === 1 && agreed[0] === shown, () => `created ${agreed.join(', ')}, and not ${shown}`)
    const waivers = own.filter(({ action }) => action === 'settlement.leg_waived')
    for (const [role, bps] of Object.entries(ratesOf(stage.terms, reported))) {
      checkCut(reported, waivers, { role, bps }, check)
    }
  }
  findings.check(RULE, byPayment.size === 0, () => `entries of unknown payments: ${[...byPayment.keys()].join(', ')}`)
}

/** The platform takes nothing without a wallet, and where the marketplace leaves it no room. */
function ratesOf({ platformFeeBps, platformWallet }: Stage['terms'], { feeBps }: Reported) {
  const marketplace = feeBps ?? 0
  const hasRoom = platformWallet !== null && marketplace + platformFeeBps < ALL_BPS
  return { marketplace, platform: hasRoom ? platformFeeBps : 0 }
}

/**
 * What a wallet got and what was waived is its share of what each transaction settles. The first also has the share of the rent
 * reserve that it left, if the settlement has one.
 */
function checkCut(
  { asset, settlement }: Reported,
  waivers: readonly Entry[],
  { role, bps }: { readonly role: string; readonly bps: number },
  check: (holds: boolean, what: () => string) => void,
): void {
  const waived = sum(waivers.map(({ changes }) => BigInt(String(changes[`${role}_amount`]?.[0] ?? 0))))
  const legs = settlement?.legs ?? []
  const taken = sum(legs.filter((leg) => leg.role === role).map(({ amount }) => amount))
  const transactions = [...Map.groupBy(legs, ({ signature }) => signature).values()]
  const main = transactions.filter((own) => !isRest(own))
  const [first = 0n, ...others] = main.map((own) =>
    sum(own.filter((leg) => leg.role !== 'refund').map(({ amount }) => amount)),
  )
  const hasReserve = main.length < transactions.length || (settlement?.pendingAmount ?? 0n) > 0n
  const due = (hasReserve ? RENT_MINIMUMS : [0n]).map((left) =>
    asset === SOL ? sum([first + left, ...others].map((settles) => shareOf(settles, bps))) : 0n,
  )
  check(
    due.includes(taken + waived),
    () => `the wallet of the ${role} got ${taken}, the audit says ${waived} waived, and the cut is ${due.join(' or ')}`,
  )
}

/** Returns whether the transaction moved the rent reserve, which pays no network fee. */
const isRest = (own: readonly ReportedLeg[]): boolean => own.every(({ role }) => role === 'seller')
