// Subscriptions with their charges, as workers and services decide on them.
import { type Commit, commit } from '#adapters/prisma/commit.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { SUBSCRIPTION_CHANGED } from '#adapters/prisma/engine/notices.ts'
import { type Tx, VersionConflict } from '#adapters/prisma/transfers/records.ts'
import type { Delegation } from '#core/billing/delegation.ts'
import type { BillingChange } from '#core/billing/machine/change.ts'
import { makeAddress } from '#core/chain/base58.ts'
import { makeBaseUnits } from '#core/money/amounts.ts'
import type { BillingStore, GivenConsent } from '#ports/billing.ts'
import { useChallenge } from './challenge-store.ts'
import { stagedBillingEvent } from './events.ts'
import { createFactsReader } from './facts.ts'
import { CHARGES, DELEGATIONS, SUBSCRIPTION_INTENTS, SUBSCRIPTIONS, TIERS } from './tables.ts'
import { writeApprovalEnd } from './write-approval-end.ts'

export function createBillingStore(db: Database): BillingStore {
  return {
    ...createFactsReader(db),

    apply: (change, delegation, consent = null) =>
      commit(db, (tx) => writeState(tx, change, delegation, consent), commitOf(change)),

    async tier(id) {
      const [row] = await db.query(TIER, [id])
      return row === undefined ? null : TIERS.fromRow(row)
    },

    async due(network, now, limit) {
      const rows = await db.query<{ id: string }>(DUE, [network, now, limit])
      return rows.map(({ id }) => id)
    },

    async pastDue(network, { after, limit }) {
      const rows = await db.query<PastDueRow>(PAST_DUE, [network, after, limit])
      return rows.map(({ id, wallet, mint, tokenAccount, unitAmount }) => ({
        subscriptionId: id,
        wallet: makeAddress(wallet),
        mint: makeAddress(mint),
        tokenAccount: makeAddress(tokenAccount),
        unitAmount: makeBaseUnits(unitAmount),
      }))
    },

    async paidForPayoutAccount(accountId, since) {
      const [row] = await db.query<{ paid: boolean }>(PAID_FOR_ACCOUNT, [accountId, since])
      return row?.paid === true
    },
  }
}

const TIER = `SELECT ${TIERS.columns} FROM subscription_tiers WHERE id = $1::uuid`

const DUE = `
SELECT id FROM billing_subscriptions WHERE network = $1::network_name AND due_at <= $2 ORDER BY due_at LIMIT $3::int`

type PastDueRow = {
  readonly id: string
  readonly wallet: string
  readonly mint: string
  readonly tokenAccount: string
  readonly unitAmount: string
}

const PAST_DUE = `
SELECT subscription.id, delegation.wallet, delegation.mint, delegation.token_account AS "tokenAccount",
  subscription.unit_amount AS "unitAmount"
FROM billing_subscriptions subscription JOIN delegations delegation ON delegation.id = subscription.delegation_id
WHERE subscription.network = $1::network_name AND subscription.status = 'past_due'
  AND ($2::uuid IS NULL OR subscription.id > $2)
ORDER BY subscription.id LIMIT $3::int`

/** More than the fee of a charge can be: the rent of a token account. Lamports. The index of these entries has the figure, too. */
const RENT_PAID = 1_200_000
const PAID_FOR_ACCOUNT = `
SELECT EXISTS (
  SELECT FROM ledger_entries entry JOIN charges charge ON charge.id = entry.subject_id
  WHERE entry.kind = 'charge' AND entry.asset = 'SOL' AND entry.delta < -${RENT_PAID} AND entry.created_at > $2
    AND charge.account_id = $1::uuid) AS paid`

/** The row of the delegation comes first: every change of one of its slices queues there. */
async function writeState(
  tx: Tx,
  { before, after, charges, delegation, checkout }: BillingChange,
  read: Pick<Delegation, 'id' | 'version'>,
  consent: GivenConsent | null,
): Promise<void> {
  await lockDelegation(tx, read)
  if (consent !== null) await writeConsent(tx, consent)
  if (delegation !== null)
    await DELEGATIONS.update(tx, { ...delegation.after, version: read.version + 1 }, read.version + 1)
  if (checkout !== null) await SUBSCRIPTION_INTENTS.update(tx, checkout.after, checkout.before.version)
  if (before === null) await SUBSCRIPTIONS.insert(tx, after)
  else await SUBSCRIPTIONS.update(tx, after, before.version)
  for (const charge of charges) {
    if (charge.version === 1) await CHARGES.insert(tx, charge)
    else await CHARGES.update(tx, charge, charge.version - 1)
  }
}

/** Throws VersionConflict when the approve has ended, or the signed text cannot be used any more. */
async function writeConsent(tx: Tx, consent: GivenConsent): Promise<void> {
  if (consent.by === 'approve') await writeApprovalEnd(tx, consent.end)
  else if (!(await useChallenge(tx, consent.proof))) throw new VersionConflict()
}

/** Locks the row and raises its version. Throws VersionConflict when it has changed since it was read. */
async function lockDelegation(tx: Tx, { id, version }: Pick<Delegation, 'id' | 'version'>): Promise<void> {
  const { count } = await tx.delegation.updateMany({ where: { id, version }, data: { version: { increment: 1 } } })
  if (count !== 1) throw new VersionConflict()
}

const commitOf = ({ after, events, ...change }: BillingChange): Commit => ({
  ...change,
  at: after.updatedAt,
  version: after.version,
  reasons: new Map(),
  events: events.map((event) => stagedBillingEvent(event, after)),
  notice: { channel: SUBSCRIPTION_CHANGED, payload: after.id },
})
