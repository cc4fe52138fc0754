// Compares the refunds by businesses with the chain, by an account of its own. docs/contract.md, "Refunds by the business".
import { makeAddress } from '#core/chain/base58.ts'
import type { Address } from '#core/chain/types.ts'
import type { Landed } from '../chain/landed.ts'
import type { Ending } from './ending.ts'
import { sum } from './figures.ts'
import type { Findings } from './findings.ts'

type Row = {
  readonly id: string
  readonly subject: string
  readonly address: string
  readonly asset: string
  readonly amount: string
  readonly paid: string
  readonly recipient: string
  readonly key: string
  readonly status: string
  readonly ended: boolean
  readonly settlement: { readonly legs: readonly { readonly role: string; readonly amount: string }[] } | null
  /** What its transactions paid, by signature. */
  readonly transactions: Readonly<Record<string, string>>
}

const REFUNDS = `
SELECT refund.id::text AS id, intent.id::text AS subject, intent.address, refund.asset, refund.amount::text AS amount,
  refund.paid_amount::text AS paid, refund.recipient, refund.reference_key AS key, refund.status,
  refund.ended_at IS NOT NULL AS ended, intent.settlement,
  (SELECT coalesce(jsonb_object_agg(signature, amount::text), '{}') FROM refund_transactions
    WHERE refund_id = refund.id) AS transactions
FROM refunds refund JOIN payment_intents intent ON intent.id = refund.intent_id
ORDER BY refund.created_at, refund.id`

export async function checkBusinessRefunds(ending: Ending): Promise<void> {
  const { db, ground, findings } = ending
  const rows = await db.query<Row>(REFUNDS)
  checkLimits(findings, rows)
  const landed = ground.chain.all().filter(({ slot }) => slot <= ground.chain.finalized)
  for (const row of rows) {
    checkPaid(ending, row, rows, landed)
    checkRecipient(ending, row, landed)
  }
}

/** Checks the refunds of every payment together, at any time. */
export const checkRefundLimits = async (db: Ending['db'], findings: Findings): Promise<void> =>
  checkLimits(findings, await db.query<Row>(REFUNDS))

function checkLimits(findings: Findings, rows: readonly Row[]): void {
  for (const [subject, own] of Map.groupBy(rows, (row) => row.subject)) {
    const legs = own[0]?.settlement?.legs ?? []
    const settled = sum(legs.filter(({ role }) => role !== 'refund').map(({ amount }) => BigInt(amount)))
    const taken = sum(own.map(takenBy))
    const rule = 'refunds by a business are at most what settled'
    findings.check(rule, taken <= settled, () => `${taken} of ${settled} of ${subject}`)
  }
}

const takenBy = ({ status, ended, amount, paid }: Row): bigint =>
  BigInt(!ended || status === 'succeeded' ? amount : paid)

function checkPaid({ findings, ground }: Ending, row: Row, rows: readonly Row[], landed: readonly Landed[]): void {
  const rule = 'a refund by a business is what the chain paid for it'
  const counted = Object.entries(row.transactions)
  const paid = BigInt(row.paid)
  const say = (what: string) => () => `${row.id} is ${row.status}: ${what}`
  findings.check(rule, sum(counted.map(([, amount]) => BigInt(amount))) === paid, say(`paid ${row.paid}`))
  const isWhole = row.status === 'succeeded' ? paid >= BigInt(row.amount) : paid < BigInt(row.amount)
  findings.check(rule, isWhole, say(`${paid} of ${row.amount}`))
  for (const [signature, amount] of counted) {
    const one = landed.find((transaction) => transaction.signature === signature)
    const most = one === undefined ? 0n : shareIn(one, row, rows)
    findings.check(rule, BigInt(amount) === most, say(`${signature} gave ${most}, not ${amount}`))
  }
  // A clock that is a day ahead, or behind at the creation, ends a refund before it is paid.
  if (ground.faults.counts['clock off by a day'] > 0 || row.status === 'canceled') return
  const all = sum(landed.map((one) => shareIn(one, row, rows)))
  findings.check(rule, all === paid, say(`the chain paid ${all}, not ${paid}`))
}

/** Returns the part of a transaction that is for a refund: each that it names has what it asks for, the oldest first. */
function shareIn({ keys, effects, error }: Landed, row: Row, rows: readonly Row[]): bigint {
  if (error !== null || !keys.includes(makeAddress(row.key))) return 0n
  const moved = sum(
    effects.filter(({ owner, asset }) => owner === row.recipient && asset === row.asset).map(({ delta }) => delta),
  )
  const sharing = rows.filter(
    (one) => one.recipient === row.recipient && one.asset === row.asset && keys.includes(makeAddress(one.key)),
  )
  const before = sum(sharing.slice(0, sharing.indexOf(row)).map(({ amount }) => BigInt(amount)))
  const left = moved > before ? moved - before : 0n
  const isLast = sharing.at(-1) === row
  return isLast || left < BigInt(row.amount) ? left : BigInt(row.amount)
}

function checkRecipient({ findings, monitor, stage }: Ending, row: Row, landed: readonly Landed[]): void {
  const address: Address = makeAddress(row.recipient)
  const isNamed = monitor.namedRecipients.get(row.subject)?.has(address) === true
  const hasPaid = landed.some(
    ({ effects, keys, signers }) =>
      keys.slice(0, signers).includes(address) && effects.some((one) => one.owner === row.address && one.delta > 0n),
  )
  findings.check(
    'a refund by a business goes to a wallet that paid, or that the business named',
    isNamed || (hasPaid && !stage.custodians.has(address)),
    () => `${row.id} goes to ${row.recipient}`,
  )
}
