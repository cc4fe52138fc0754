// The operator's queries of subscriptions and charges, across all businesses.
import type { Database } from '#adapters/prisma/engine/engine.ts'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { DAY_MS } from '#core/billing/calendar.ts'
import { CHARGE } from '#core/billing/charge-transfer.ts'
import { later } from '#core/billing/dunning.ts'
import { makeAddress } from '#core/chain/base58.ts'
import type { Address, Network } from '#core/chain/types.ts'
import type { BillingOverview, ListedCharge, OperatorBillingStore } from '#ports/operator-billing.ts'
import { readCostliest } from './business-costs.ts'
import { CHARGES, isEnabled, SUBSCRIPTIONS } from './tables.ts'

// The state of recurring billing on a network, for the operator: counted in one statement, so all of one moment.

const MAX_DIFFERING = 100

const countsOf = (table: string): string => `
  (SELECT coalesce(json_agg(json_build_object('status', status, 'count', count) ORDER BY status), '[]')
   FROM (SELECT status, count(*)::int AS count FROM ${table} WHERE network = $1::network_name GROUP BY status) counted)`

// Open charges have an index. A try that is due has a time in the past; a subscription without an open charge has none yet. What
// waits because its account is disabled is not late, unless it is in flight.
const OVERVIEW = `
WITH open AS (
  SELECT charge.subscription_id, charge.status, charge.failure_code, charge.next_attempt_at AS since,
    transfer.id AS transfer_id, transfer.reason, transfer.authority
  FROM charges charge
  JOIN transfers transfer ON transfer.subject_kind = '${CHARGE}' AND transfer.subject_id = charge.id
  WHERE charge.network = $1::network_name AND charge.status IN ('pending', 'submitted', 'failed')
), late AS (
  SELECT subscription_id, open.status, since, reason
  FROM open JOIN billing_subscriptions subscription ON subscription.id = open.subscription_id
  WHERE since <= $2 AND (open.status = 'submitted' OR ${isEnabled('subscription')})
  UNION ALL
  SELECT id, 'unplanned', next_charge_at, NULL FROM billing_subscriptions subscription
  WHERE network = $1::network_name AND due_at <= $2 AND next_charge_at <= $2
    AND NOT EXISTS (SELECT FROM open WHERE open.subscription_id = subscription.id) AND ${isEnabled('subscription')}
), differing AS (
  SELECT subject_id, done_at FROM transfers
  WHERE kind = '${CHARGE}' AND status = 'done' AND reason IS NOT NULL AND network = $1::network_name AND done_at > $4
  ORDER BY done_at DESC LIMIT ${MAX_DIFFERING}
)
SELECT ${countsOf('billing_subscriptions')} AS subscriptions, ${countsOf('delegations')} AS delegations,
  (SELECT count(*) FROM late WHERE status <> 'submitted')::int AS due,
  (SELECT count(*) FROM open WHERE status = 'submitted')::int AS "inFlight",
  (SELECT json_build_object('subscriptionId', subscription_id, 'since', since, 'reason', reason)
   FROM late ORDER BY since, subscription_id LIMIT 1) AS oldest,
  (SELECT count(*) FROM open WHERE status = 'failed' AND failure_code = 'destination_unavailable')::int AS unpayable,
  (SELECT count(*) FROM open WHERE status = 'failed' AND failure_code = 'platform_error')::int AS broken,
  json_build_object(
    'count', (SELECT count(*) FROM differing),
    'newest', (SELECT subject_id FROM differing ORDER BY done_at DESC, subject_id LIMIT 1)
  ) AS differing,
  json_build_object(
    'unsigned', (SELECT count(*) FROM open WHERE status = 'failed' AND failure_code = 'platform_error' AND (
       SELECT attempt.signature IS NULL FROM transfer_attempts attempt
       WHERE attempt.transfer_id = open.transfer_id ORDER BY attempt.number DESC LIMIT 1)),
    'otherKeys', (SELECT count(*) FROM open WHERE authority <> $3),
    'ownDelegations', (SELECT count(*) FROM delegations WHERE network = $1::network_name AND chain_delegate = $3),
    'otherDelegations', (SELECT count(*) FROM delegations WHERE network = $1::network_name AND chain_delegate <> $3)
  ) AS key`

type OverviewRow = Omit<BillingOverview, 'oldest'> & {
  readonly oldest: { readonly subscriptionId: string; readonly since: string; readonly reason: string | null } | null
}

/** Returns the figures of recurring billing. `delegate`: the delegate key of the network. */
async function readOverview(
  db: Pick<Database, 'query'>,
  network: Network,
  { now, delegate }: { readonly now: Date; readonly delegate: Address },
): Promise<BillingOverview> {
  const [row] = await db.query<OverviewRow>(OVERVIEW, [network, now, delegate, later(now, -7 * DAY_MS)])
  if (row === undefined) throw new Error('a count has a row')
  return { ...row, oldest: row.oldest === null ? null : { ...row.oldest, since: new Date(row.oldest.since) } }
}

const NEWEST_FIRST = [{ createdAt: 'desc' }, { id: 'desc' }] satisfies Prisma.ChargeOrderByWithRelationInput[]
const WITH_WALLET = { subscription: { select: { subscriberWallet: true } } } satisfies Prisma.ChargeInclude
type ChargeRow = Prisma.ChargeGetPayload<{ include: typeof WITH_WALLET }>

export function createOperatorBillingStore(db: Pick<Database, 'prisma' | 'query'>): OperatorBillingStore {
  const { prisma } = db
  const withReasons = async (rows: readonly ChargeRow[]): Promise<readonly ListedCharge[]> => {
    const subjectId = { in: rows.map(({ id }) => id) }
    const transfers = await prisma.transfer.findMany({
      where: { subjectKind: CHARGE, subjectId },
      select: { subjectId: true, reason: true, budgetWaitCost: true, nextAttemptAt: true },
    })
    const own = new Map(transfers.map((transfer) => [transfer.subjectId, transfer]))
    return rows.map(({ subscription, ...row }) => {
      const { reason = null, budgetWaitCost = null, nextAttemptAt = null } = own.get(row.id) ?? {}
      const isWaiting = row.status === 'pending' && budgetWaitCost !== null
      return {
        ...CHARGES.fromRow(isWaiting ? { ...row, nextAttemptAt } : row),
        wallet: makeAddress(subscription.subscriberWallet),
        reason,
      }
    })
  }
  return {
    async subscriptions({ status, accountId, wallet, limit }) {
      const rows = await prisma.billingSubscription.findMany({
        where: {
          ...(status !== null && { status }),
          ...(accountId !== null && { accountId }),
          ...(wallet !== null && { subscriberWallet: wallet }),
        },
        orderBy: NEWEST_FIRST,
        take: limit,
      })
      return rows.map(SUBSCRIPTIONS.fromRow)
    },

    async subscription(id) {
      const row = await prisma.billingSubscription.findUnique({ where: { id } })
      return row === null ? null : SUBSCRIPTIONS.fromRow(row)
    },

    async charges({ status, subscriptionId, accountId, wallet, limit }) {
      const rows = await prisma.charge.findMany({
        where: {
          ...(status !== null && { status }),
          ...(subscriptionId !== null && { subscriptionId }),
          ...(accountId !== null && { accountId }),
          ...(wallet !== null && { subscription: { subscriberWallet: wallet } }),
        },
        orderBy: NEWEST_FIRST,
        take: limit,
        include: WITH_WALLET,
      })
      return await withReasons(rows)
    },

    async charge(id) {
      const row = await prisma.charge.findUnique({ where: { id }, include: WITH_WALLET })
      const [charge] = row === null ? [] : await withReasons([row])
      return charge ?? null
    },

    overview: (network, at) => readOverview(db, network, at),
    costliest: (network, since) => readCostliest(db, network, since),
  }
}
