// The checks of subscriptions after everything has ended: the records of the service agree with the chain.
import type { Database } from '#adapters/prisma/engine/database.ts'
import { BILLING_RECORDS } from '#core/audit/charges.ts'
import { makeAddress } from '#core/chain/base58.ts'
import { createBillingAudit } from '#services/audit/charges.ts'
import type { BillingStage } from '../../billing/billing-stage.ts'
import { delegationIn } from '../../chain/raw.ts'
import { NETWORK } from '../../instance-ports.ts'
import type { Stage } from '../../stage.ts'
import { virtualNow } from '../../virtual-time.ts'
import type { Ground } from '../../world.ts'
import type { Findings } from '../findings.ts'
import type { SubscriptionMonitor } from './subscriptions.ts'

type Db = Pick<Database, 'query'>

/** What is due is charged within this time, when there are no faults. */
const PROMPT_MS = 5 * 60_000

/** Returns descriptions of everything of subscriptions that is still under way. */
export async function openBilling(db: Db): Promise<readonly string[]> {
  const rows = await db.query<{ what: string }>(
    `SELECT 'charge ' || period_index || ' of ' || subscription_id || ' is ' || status AS what FROM charges
     WHERE status IN ('pending', 'submitted', 'failed')
     UNION ALL SELECT 'subscription ' || id || ' is ' || status FROM billing_subscriptions
     WHERE status IN ('incomplete', 'past_due')
     UNION ALL SELECT 'subscription ' || id || ' is due since ' || due_at FROM billing_subscriptions WHERE due_at <= $1
     UNION ALL SELECT 'approve ' || id || ' is ' || state FROM approvals WHERE state IN ('prepared', 'sent')`,
    [new Date(virtualNow())],
  )
  return rows.map(({ what }) => what)
}

type Ending = {
  readonly db: Db
  readonly ground: Ground
  readonly stage: Stage
  readonly billing: BillingStage
  readonly monitor: SubscriptionMonitor
  readonly findings: Findings
}

export async function checkBillingEnd(ending: Ending): Promise<void> {
  await checkCharges(ending)
  await checkSubscriptions(ending)
  await checkDelegations(ending)
  await checkAudit(ending)
}

/** The operator's audit of charges, subscriptions and delegations has nothing to report. */
async function checkAudit({ stage, ground, monitor, findings }: Ending): Promise<void> {
  const audit = createBillingAudit({
    chargeAudit: stage.stores.chargeAudit,
    keys: stage.keys,
    clock: { now: () => new Date(virtualNow()) },
    networks: { live: null, test: null, [NETWORK]: stage },
  })
  const rule = 'the audit of charges finds nothing'
  let pulled = 0n
  for (const record of BILLING_RECORDS) {
    let after: string | null = null
    do {
      const page = await audit.page(NETWORK, { record, after, limit: 50 })
      for (const { id, rule: broken, problem } of page.findings)
        findings.check(rule, false, () => `${record} ${id}, ${broken}: ${problem}`)
      for (const total of page.totals) {
        pulled += total.pulled
        findings.check(rule, total.difference === 0n, () => `${total.difference} of ${total.mint} is missing`)
      }
      after = page.next
    } while (after !== null)
  }
  const really = [...monitor.known.values()].flatMap(({ id }) => monitor.pulls.landed(id))
  const sum = really.reduce((all, { amount }) => all + amount, 0n)
  findings.check(rule, pulled === sum, () => `the audit counts ${pulled}, and ${sum} was pulled`)
  ground.trace.note(`the audit counts ${pulled}`)
}

/** Each pull on the chain is a charge that succeeded, and the other way round. */
async function checkCharges({ db, monitor, findings }: Ending): Promise<void> {
  const rows = await db.query<{
    id: string
    period: number
    amount: string
    net: string
    fee: string
    signature: string
  }>(
    `SELECT subscription_id AS id, period_index AS period, amount::text, net_amount::text AS net, fee_amount::text AS fee,
       signature FROM charges WHERE status = 'succeeded' ORDER BY subscription_id, period_index`,
  )
  for (const { id } of monitor.known.values()) {
    const really = monitor.pulls.landed(id).map((one) => `${one.period} ${one.signature} ${one.amount} ${one.fee}`)
    const shown = rows
      .filter((one) => one.id === id)
      .map((one) => `${one.period} ${one.signature} ${one.amount} ${one.fee}`)
    findings.check(
      'charges agree with the chain',
      really.toSorted().join() === shown.toSorted().join(),
      () => `${id}: shown ${shown.join('; ')}, really ${really.join('; ')}`,
    )
  }
  for (const { id, period, amount, net, fee } of rows)
    findings.check(
      'charges agree with the chain',
      BigInt(net) + BigInt(fee) === BigInt(amount),
      () => `period ${period} of ${id}: ${net} + ${fee} is not ${amount}`,
    )
}

async function checkSubscriptions({ db, monitor, findings }: Ending): Promise<void> {
  const rows = await db.query<{
    id: string
    status: string
    spent: string
    due: Date | null
    unpaid: boolean
    next: Date | null
  }>(
    `SELECT id, status, (spent_amount + earlier_amount)::text AS spent, due_at AS due, next_charge_at AS next,
       next_charge_period <= period_index AS unpaid FROM billing_subscriptions ORDER BY id`,
  )
  for (const { id, status, spent, unpaid, next } of rows) {
    const own = monitor.known.get(id)
    findings.check(
      'a subscription makes documented transitions only',
      own?.status === status,
      () => `${id} is ${status}`,
    )
    const pulled = monitor.pulls.landed(id).reduce((sum, { amount }) => sum + amount, 0n)
    findings.check(
      'charges agree with the chain',
      BigInt(spent) === pulled,
      () => `${id}: ${spent} is shown as spent, and ${pulled} was pulled`,
    )
    const isLate = next === null || next.getTime() < virtualNow() - PROMPT_MS
    const isCharging = status === 'trialing' || status === 'active' || status === 'renewal_required'
    findings.check(
      'what is due is charged',
      !(isCharging && unpaid && isLate),
      () => `${id} is ${status}, and its period is unpaid; next charge ${next?.toISOString()}`,
    )
  }
}

/** A delegation that is shown as active covers what its subscriptions may still take, but for paused ones. */
async function checkDelegations({ db, ground, billing, monitor, findings }: Ending): Promise<void> {
  const rows = await db.query<{ wallet: string; account: string; status: string }>(
    'SELECT wallet, token_account AS account, status FROM delegations ORDER BY wallet',
  )
  for (const { wallet, account, status } of rows) {
    const { delegate, amount } = delegationIn(ground.chain.accountAt(makeAddress(account), ground.chain.finalized))
    const allowance = delegate === billing.delegate ? amount : 0n
    const charging = monitor.charging(makeAddress(wallet))
    findings.check(
      'the allowance covers what is outstanding',
      status !== 'active' || allowance >= charging,
      () => `${wallet}: ${allowance} allowed, ${charging} to be charged, and the delegation is ${status}`,
    )
  }
}
