// Subscriptions with their charges, as workers and services decide on them.

import { type Commit, commit } from '#adapters/prisma/commit.ts'
import { type Database, isDatabaseUnavailable } from '#adapters/prisma/engine/database.ts'
import { SUBSCRIPTION_CHANGED } from '#adapters/prisma/engine/notices.ts'
import { isUniqueViolation } from '#adapters/prisma/engine/unavailable.ts'
import type { StagedEvent } from '#adapters/prisma/events/outbox.ts'
import type { Replacement } from '#adapters/prisma/table.ts'
import { type Tx, VersionConflict } from '#adapters/prisma/transaction.ts'
import { transferFromRow } from '#adapters/prisma/transfers/transfer-rows.ts'
import { CHARGE_FIELDS } from '#core/billing/charge.ts'
import { asChargeTransfer, CHARGE } from '#core/billing/charge-transfer.ts'
import type { Delegation } from '#core/billing/delegation.ts'
import type { BillingChange, BillingEvent } from '#core/billing/machine/change.ts'
import { CHANGE_EVENTS } from '#core/billing/payload.ts'
import { type BillingSubscription, SUBSCRIPTION_FIELDS, SUBSCRIPTION_SUBJECT } from '#core/billing/subscription.ts'
import { makeAddress } from '#core/chain/base58.ts'
import { record } from '#core/codec.ts'
import { makeBaseUnits } from '#core/money/amounts.ts'
import { createBatcher } from '#lib/batcher.ts'
import type { BillingStore, GivenConsent } from '#ports/billing.ts'
import { writeApprovalEnd } from './approval-row.ts'
import { createBusinessCosts } from './business-costs.ts'
import { useChallenge } from './challenge-store.ts'
import { requireUnused } from './coupon-store.ts'
import { createFactsReader } from './facts.ts'
import { CHARGES, DELEGATIONS, SUBSCRIPTION_INTENTS, SUBSCRIPTIONS, TIERS } from './tables.ts'
import { lockMerchants } from './writes.ts'

// The events of subscriptions and charges, as the outbox takes them.

const subscriptionCodec = record(SUBSCRIPTION_FIELDS)
const chargeCodec = record(CHARGE_FIELDS)

/** An event goes to the business, or to the marketplace of a seller, as the subscription says. */
const stagedBillingEvent = (
  event: BillingEvent,
  { receiverAccountId }: Pick<BillingSubscription, 'receiverAccountId'>,
): StagedEvent => {
  const [kind, subject, data] =
    'charge' in event
      ? [CHARGE, event.charge, chargeCodec.write(event.charge)]
      : [SUBSCRIPTION_SUBJECT, event.subscription, subscriptionCodec.write(event.subscription)]
  return {
    network: subject.network,
    accountId: subject.accountId,
    receiverAccountId,
    type: event.type,
    subject: { kind, id: subject.id },
    version: subject.version,
    data,
    at: subject.updatedAt,
  }
}

/** Changes that are decided at one moment share one transaction. Two smaller ones would take longer, each with its statements. */
const MAX_TOGETHER = 64
const CONCURRENT_TRANSACTIONS = 1

export function createBillingStore(db: Database): BillingStore {
  const applyTogether = createBatcher((decided: readonly Decided[]) => applyAll(db, decided), {
    maxSize: MAX_TOGETHER,
    concurrency: CONCURRENT_TRANSACTIONS,
    isSharedFailure: isDatabaseUnavailable,
  })
  return {
    ...createFactsReader(db),
    ...createBusinessCosts(db),

    apply: (change, read, consent = null) => applyTogether({ change, read, consent }),

    async changeTimes(subscriptionId, most) {
      const rows = await db.prisma.event.findMany({
        where: { subjectKind: SUBSCRIPTION_SUBJECT, subjectId: subscriptionId, type: { in: [...CHANGE_EVENTS] } },
        orderBy: { version: 'desc' },
        take: most,
        select: { createdAt: true },
      })
      return rows.map(({ createdAt }) => createdAt)
    },

    async chargeTransfer(subjectId) {
      const row = await db.prisma.transfer.findFirst({
        where: { subjectKind: CHARGE, subjectId },
        include: { legs: true },
      })
      return row === null ? null : asChargeTransfer(transferFromRow(row))
    },

    async tier(id) {
      const [row] = await db.query(TIER, [id])
      return row === undefined ? null : TIERS.fromRow(row)
    },

    async due(network, now, limit) {
      const rows = await db.query<{ id: string }>(dueWithin(limit), [network, now])
      return rows.map(({ id }) => id)
    },

    async pastDue(network, { after, limit }) {
      const rows = await db.query<PastDueRow>(PAST_DUE, [network, after, limit])
      return rows.map(({ id, wallet, mint, tokenAccount, amount }) => ({
        subscriptionId: id,
        wallet: makeAddress(wallet),
        mint: makeAddress(mint),
        tokenAccount: makeAddress(tokenAccount),
        amount: makeBaseUnits(amount),
      }))
    },
  }
}

const TIER = `SELECT ${TIERS.columns} FROM subscription_tiers WHERE id = $1::uuid`

/** The limit is part of the text. With a parameter, PostgreSQL expects a tenth of a large table, and plans each call again. */
const dueWithin = (limit: number): string => `
SELECT id FROM billing_subscriptions WHERE network = $1::network_name AND due_at <= $2 ORDER BY due_at LIMIT ${limit}`

type PastDueRow = {
  readonly id: string
  readonly wallet: string
  readonly mint: string
  readonly tokenAccount: string
  readonly amount: string
}

const PAST_DUE = `
SELECT subscription.id, delegation.wallet, delegation.mint, delegation.token_account AS "tokenAccount",
  charge.amount
FROM billing_subscriptions subscription JOIN delegations delegation ON delegation.id = subscription.delegation_id
JOIN charges charge ON charge.subscription_id = subscription.id AND charge.status = 'failed'
  AND charge.failure_code = 'insufficient_funds'
WHERE subscription.network = $1::network_name AND subscription.status IN ('incomplete', 'past_due')
  AND ($2::uuid IS NULL OR subscription.id > $2)
ORDER BY subscription.id LIMIT $3::int`

/** A change, with the delegation that it was decided by. */
type Decided = {
  readonly change: BillingChange
  readonly read: Pick<Delegation, 'id' | 'version'>
  readonly consent: GivenConsent | null
}

/**
 * Applies changes in one transaction, and returns for each whether it was applied. Throws VersionConflict when one of
 * several cannot be applied: each is then tried alone. Only the first change by a delegation is applied: it changes what
 * the others were decided by.
 */
async function applyAll(db: Database, decided: readonly Decided[]): Promise<readonly boolean[]> {
  const byDelegation = Map.groupBy(decided, ({ read }) => read.id)
  const first = [...byDelegation.values()].flatMap(([one]) => one ?? [])
  const changes = first.map(({ change }) => commitOf(change))
  const isApplied = await commit(db, (tx) => writeStates(tx, first), changes)
  if (!isApplied && decided.length > 1) throw new VersionConflict()
  return decided.map((one) => isApplied && first.includes(one))
}

/** The rows of the delegations come first: every change of one of their slices queues there. */
async function writeStates(tx: Tx, decided: readonly Decided[]): Promise<void> {
  await lockDelegations(tx, decided)
  for (const { consent } of decided) if (consent !== null) await writeConsent(tx, consent)
  const changes = decided.map(({ change }) => change)
  const subscriptions = changes.map(({ before, after }) => ({ value: after, version: before?.version ?? null }))
  const charges = changes.flatMap((change) => change.charges)
  await DELEGATIONS.update(tx, decided.flatMap(changedDelegation))
  const completed = changes.flatMap(completedCheckout)
  await lockMerchants(
    tx,
    completed.map(({ value }) => value.accountId),
  )
  await SUBSCRIPTION_INTENTS.update(tx, completed)
  await SUBSCRIPTIONS.update(tx, subscriptions.filter(isReplacement))
  await insertSubscriptions(
    tx,
    subscriptions.filter((one) => !isReplacement(one)).map(({ value }) => value),
  )
  await requireUnused(tx, decided.flatMap(addedUse))
  // A charge that ends makes room for the next one of its subscription.
  await CHARGES.update(
    tx,
    charges.filter(({ version }) => version > 1).map((value) => ({ value, version: value.version - 1 })),
  )
  await CHARGES.insert(
    tx,
    charges.filter(({ version }) => version === 1),
  )
}

/** Throws VersionConflict when the wallet has got another trial of the product since the facts were read. */
async function insertSubscriptions(tx: Tx, subscriptions: readonly BillingSubscription[]): Promise<void> {
  try {
    await SUBSCRIPTIONS.insert(tx, subscriptions)
  } catch (error) {
    if (isUniqueViolation(error)) throw new VersionConflict()
    throw error
  }
}

const isReplacement = <V>(one: { value: V; version: number | null }): one is Replacement<V> => one.version !== null

const changedDelegation = ({ change: { delegation }, read: { version } }: Decided): Replacement<Delegation>[] =>
  delegation === null ? [] : [{ value: { ...delegation.after, version: version + 1 }, version: version + 1 }]

/** An approve has taken the place of its checkout among the uses when it was prepared. */
const addedUse = ({ change: { before, after }, consent }: Decided) =>
  before === null && after.couponId !== null && consent?.by === 'proof'
    ? [{ couponId: after.couponId, wallet: after.subscriberWallet, intentId: after.intentId }]
    : []

const completedCheckout = ({ checkout }: BillingChange) =>
  checkout === null ? [] : [{ value: checkout.after, version: checkout.before.version }]

/** Throws VersionConflict when the approve has ended, or the signed text cannot be used any more. */
async function writeConsent(tx: Tx, consent: GivenConsent): Promise<void> {
  if (consent.by === 'approve') await writeApprovalEnd(tx, consent.end)
  else if (!(await useChallenge(tx, consent.proof))) throw new VersionConflict()
}

/** In the order of their ids, so that two transactions never wait for each other. */
const LOCK_DELEGATIONS = `
WITH locked AS (
  SELECT delegation.id FROM delegations delegation
  JOIN unnest($1::uuid[], $2::int[]) AS read(id, version) ON delegation.id = read.id
  WHERE delegation.version = read.version
  ORDER BY delegation.id FOR UPDATE OF delegation
)
UPDATE delegations SET version = version + 1 FROM locked WHERE delegations.id = locked.id`

/** Locks the rows and raises their versions. Throws VersionConflict when one has changed since it was read. */
async function lockDelegations(tx: Tx, decided: readonly Decided[]): Promise<void> {
  const [ids, versions] = [decided.map(({ read }) => read.id), decided.map(({ read }) => read.version)]
  if ((await tx.$executeRawUnsafe(LOCK_DELEGATIONS, ids, versions)) !== decided.length) throw new VersionConflict()
}

const commitOf = ({ after, events, ...change }: BillingChange): Commit => ({
  ...change,
  at: after.updatedAt,
  version: after.version,
  reasons: new Map(),
  events: events.map((event) => stagedBillingEvent(event, after)),
  notice: { channel: SUBSCRIPTION_CHANGED, payload: after.id },
})
