import { DELIVERIES_DUE } from '#adapters/prisma/engine/notices.ts'
import { endpointFromRow } from '#adapters/prisma/events/endpoint-store.ts'
import { GIVEN_EVENTS, STAGE_EVENTS, type StagedEvent } from '#adapters/prisma/events/outbox.ts'
import type { Prisma, PrismaClient } from '#adapters/prisma/generated/client.ts'
import { accountFromRow, actorFromJson, addressOrNull, MARKETPLACES } from '#adapters/prisma/rows.ts'
import { lockAccount, type Tx } from '#adapters/prisma/transaction.ts'
import type { Account } from '#core/accounts/account.ts'
import { type Authorship, businessEntries } from '#core/accounts/audit.ts'
import {
  PAYOUT_CHANGE_CANCELED,
  PAYOUT_CHANGE_REQUESTED,
  PAYOUT_CHANGED,
  PAYOUT_EVENTS,
  type PayoutChange,
  type PayoutSnapshot,
  payoutCanceled,
  payoutRequested,
} from '#core/accounts/payout-change.ts'
import type { Address } from '#core/chain/types.ts'
import { endpointEntries } from '#core/events/endpoint.ts'
import { API_VERSION } from '#core/events/subjects.ts'
import type { AccountColumns, AccountStore, EndpointPatch, PayoutStore } from '#ports/accounts.ts'
import { writeAudit } from './audit-writes.ts'
import { insertKey } from './key-store.ts'

export function createAccountStore(prisma: PrismaClient): AccountStore {
  const endpointOf = (id: string) => prisma.webhookEndpoint.findUnique({ where: { id, disabledAt: null } })
  return {
    open: (account, key, url, by) =>
      prisma.$transaction(async (tx) => {
        const row = await tx.account.create({ data: account })
        if (url !== null) await changeEndpoint(tx, account.id, { url }, by)
        await insertKey(tx, { ...key, accountId: account.id }, by)
        return accountFromRow(row)
      }),

    update: (id, patch, by, endpoint) =>
      prisma.$transaction(async (tx) => {
        const after = await updateAccount(tx, id, patch, by)
        if (after !== null && endpoint !== undefined) await changeEndpoint(tx, id, endpoint, by)
        return after
      }),

    webhookUrl: async (id) => (await endpointOf(id))?.url ?? null,
    webhookEvents: async (id) => (await endpointOf(id))?.eventTypes ?? [],

    async find(id) {
      const row = await prisma.account.findUnique({ where: { id } })
      return row === null ? null : accountFromRow(row)
    },

    async list() {
      const rows = await prisma.account.findMany({ orderBy: { derivationIndex: 'asc' } })
      return rows.map(accountFromRow)
    },

    async disabled() {
      const rows = await prisma.account.findMany({ where: { disabledAt: { not: null } }, select: { id: true } })
      return new Set(rows.map(({ id }) => id))
    },

    async findMarketplace(accountId) {
      const row = await prisma.marketplace.findUnique({ where: { accountId } })
      return row === null ? null : MARKETPLACES.fromRow(row)
    },

    async findSeller(tenant, sellerId) {
      const row = await prisma.account.findFirst({
        where: { id: sellerId, marketplaceAccountId: tenant.accountId, network: tenant.network },
      })
      return row === null ? null : accountFromRow(row)
    },
  }
}

/** Changes an account within a transaction, with the entries of its audit log, and the event of another payout wallet. */
async function updateAccount(
  tx: Tx,
  id: string,
  { acceptedAssets, ...patch }: AccountColumns,
  by: Authorship,
): Promise<Account | null> {
  // Locked, so that each entry of the audit log says what the change before it left.
  await lockAccount(tx, id)
  const row = await tx.account.findUnique({ where: { id } })
  if (row === null) return null
  const before = accountFromRow(row)
  const data = { ...patch, ...(acceptedAssets !== undefined && { acceptedAssets: [...acceptedAssets] }) }
  // A change that waits would undo this one. It ends first, so that its event names the wallet before this change.
  if (patch.sweepDestination !== undefined) await cancelPayoutChange(tx, id, by)
  const after = accountFromRow(await tx.account.update({ where: { id }, data }))
  // What concerns a seller is in the audit trail of its marketplace.
  await writeAudit(tx, after.marketplaceAccountId ?? id, by, businessEntries(before, after))
  const move = { before: before.sweepDestination, after: after.sweepDestination, effectiveAt: null }
  if (move.before !== move.after) await stagePayoutEvent(tx, id, PAYOUT_CHANGED, move, by)
  return after
}

/** Cancels the change of the payout wallet that waits: any, or only one that the member has asked for. Returns null for none. */
export async function cancelPayoutChange(
  tx: Tx,
  accountId: string,
  by: Authorship,
  memberId?: string,
): Promise<PayoutChange | null> {
  const row = await tx.payoutChange.findUnique({ where: { accountId } })
  const change = row && payoutChangeFromRow(row)
  if (change === null || (memberId !== undefined && change.requestedBy.memberId !== memberId)) return null
  const { account } = await tx.payoutChange.delete({ where: { accountId }, include: { account: true } })
  await writeAudit(tx, accountId, by, [payoutCanceled(change)])
  const { destination: after, effectiveAt } = change
  const move = { before: addressOrNull(account.sweepDestination), after, effectiveAt }
  await stagePayoutEvent(tx, accountId, PAYOUT_CHANGE_CANCELED, move, by)
  return change
}

const payoutChangeFromRow = ({
  destination,
  requestedBy,
  ...row
}: Prisma.PayoutChangeGetPayload<object>): PayoutChange => ({
  ...row,
  destination: addressOrNull(destination),
  requestedBy: actorFromJson(requestedBy),
})

/** Stages an event about the payout wallet. */
async function stagePayoutEvent(
  tx: Tx,
  id: string,
  type: string,
  { before, after, effectiveAt }: PayoutMove,
  { actor, at }: Authorship,
): Promise<void> {
  const counted = { payoutVersion: { increment: 1 } }
  const { network, marketplaceAccountId, payoutVersion } = await tx.account.update({ where: { id }, data: counted })
  const { kind, credential, ip } = actor
  const data: PayoutSnapshot = {
    before,
    after,
    effectiveAt: effectiveAt?.toISOString() ?? null,
    actor: { kind, credential, ip },
  }
  const event: StagedEvent = {
    network,
    accountId: id,
    receiverAccountId: marketplaceAccountId ?? id,
    type,
    subject: { kind: PAYOUT_EVENTS.kind, id },
    version: payoutVersion,
    data,
    at,
  }
  await tx.$queryRawUnsafe(STAGE_PAYOUT_EVENT, JSON.stringify([event]))
}

type PayoutMove = {
  readonly before: Address | null
  readonly after: Address | null
  /** null for a change that has taken effect. */
  readonly effectiveAt: Date | null
}

const STAGE_PAYOUT_EVENT = `
WITH ${GIVEN_EVENTS}, ${STAGE_EVENTS}
SELECT CASE WHEN EXISTS (SELECT FROM queued) THEN pg_notify('${DELIVERIES_DUE}', '') END::text`

async function changeEndpoint(tx: Tx, id: string, { url, eventTypes }: EndpointPatch, by: Authorship): Promise<void> {
  const { at } = by
  const set = { ...(eventTypes !== undefined && { eventTypes: [...eventTypes] }), updatedAt: at }
  const row = await tx.webhookEndpoint.findUnique({ where: { id, deletedAt: null } })
  const before = row && endpointFromRow(row)
  if (typeof url === 'string') {
    // The endpoint keeps its id under a new URL, so that waiting and repeated deliveries go there.
    const update = { ...set, url, disabledAt: null, disabledReason: null, deletedAt: null }
    const create = { ...set, id, accountId: id, url, apiVersion: API_VERSION, createdAt: at }
    const after = await tx.webhookEndpoint.upsert({ where: { id }, create, update })
    await writeAudit(tx, id, by, endpointEntries(before, endpointFromRow(after)))
  } else if (before !== null) {
    const removed = url === null && { disabledAt: at, deletedAt: at }
    const after = await tx.webhookEndpoint.update({ where: { id }, data: { ...set, ...removed } })
    await writeAudit(tx, id, by, endpointEntries(before, endpointFromRow(after)))
  }
}

export const createPayoutStore = (prisma: PrismaClient): PayoutStore => ({
  async pending(accountId) {
    const row = await prisma.payoutChange.findUnique({ where: { accountId } })
    return row === null ? null : payoutChangeFromRow(row)
  },

  request: ({ accountId }, change, by) =>
    prisma.$transaction(async (tx) => {
      await lockAccount(tx, accountId)
      const { sweepDestination } = await tx.account.findUniqueOrThrow({ where: { id: accountId } })
      const before = addressOrNull(sweepDestination)
      const { destination: after, effectiveAt } = change
      await cancelPayoutChange(tx, accountId, by)
      if (before === after) return
      const requested = { ...change, accountId, requestedBy: { ...by.actor }, requestedAt: by.at }
      await tx.payoutChange.create({ data: requested })
      await writeAudit(tx, accountId, by, [payoutRequested(before, change)])
      await stagePayoutEvent(tx, accountId, PAYOUT_CHANGE_REQUESTED, { before, after, effectiveAt }, by)
    }),

  cancel: (accountId, by) =>
    prisma.$transaction(async (tx) => {
      await lockAccount(tx, accountId)
      return await cancelPayoutChange(tx, accountId, by)
    }),

  async applyNext(now) {
    const due = { effectiveAt: { lte: now }, account: { disabledAt: null } }
    const next = await prisma.payoutChange.findFirst({ where: due, orderBy: { effectiveAt: 'asc' } })
    if (next === null) return null
    const { accountId } = next
    return await prisma.$transaction(async (tx) => {
      await lockAccount(tx, accountId)
      // It may have been canceled or replaced until here.
      const row = await tx.payoutChange.findFirst({ where: { accountId, ...due } })
      if (row === null) return null
      const { destination, requestedBy } = payoutChangeFromRow(row)
      await tx.payoutChange.delete({ where: { accountId } })
      return await updateAccount(tx, accountId, { sweepDestination: destination }, { actor: requestedBy, at: now })
    })
  },
})
