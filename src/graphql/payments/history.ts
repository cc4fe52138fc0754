// What a business may look into below an intent: money seen arriving, money sent out, and what happened.
import { makeAddress, makeAsset } from '#core/chain/base58.ts'
import { makeBaseUnits } from '#core/money/amounts.ts'
import { TRANSFER_STATUSES } from '#core/transfers/transfer.ts'
import { builder } from '#graphql/builder.ts'
import { LegRoleEnum } from '#graphql/payments/settlement.ts'

export const TransferStatusEnum = builder.enumType('TransferStatus', { values: TRANSFER_STATUSES })
const DepositStateEnum = builder.enumType('DepositState', { values: ['confirmed', 'final', 'dropped'] })
const DepositUseEnum = builder.enumType('DepositUse', {
  values: ['applied', 'wrong_asset', 'late', 'unaccepted'],
  description: 'What became of a deposit.',
})

builder.prismaObject('Deposit', {
  description: 'Money seen arriving, by one transaction, in one asset.',
  // Not `senders`.
  select: {
    asset: true,
    amount: true,
    signature: true,
    slot: true,
    blockTime: true,
    state: true,
    use: true,
    seenAt: true,
  },
  fields: (t) => ({
    asset: t.field({ type: 'Asset', resolve: (row) => makeAsset(row.asset) }),
    amount: t.field({ type: 'BaseUnits', resolve: (row) => makeBaseUnits(row.amount.toFixed(0)) }),
    signature: t.exposeString('signature'),
    slot: t.expose('slot', { type: 'UInt64' }),
    blockTime: t.expose('blockTime', { type: 'DateTimeISO', nullable: true }),
    state: t.expose('state', { type: DepositStateEnum }),
    use: t.expose('use', { type: DepositUseEnum }),
    seenAt: t.expose('seenAt', { type: 'DateTimeISO' }),
  }),
})

builder.prismaObject('Transfer', {
  name: 'IntentTransfer',
  description: 'An obligation to move money out of the deposit address, exactly once.',
  fields: (t) => ({
    id: t.field({ type: 'UUID', resolve: (row) => row.id }),
    kind: t.exposeString('kind'),
    status: t.expose('status', { type: TransferStatusEnum }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why it failed or is held, for people.' }),
    asset: t.field({ type: 'Asset', resolve: (row) => makeAsset(row.asset) }),
    decimals: t.exposeInt('decimals'),
    signature: t.exposeString('signature', { nullable: true }),
    attempts: t.exposeInt('attemptCount'),
    legs: t.relation('legs', { query: { orderBy: { position: 'asc' } } }),
    createdAt: t.expose('createdAt', { type: 'DateTimeISO' }),
    doneAt: t.expose('doneAt', { type: 'DateTimeISO', nullable: true }),
  }),
})

builder.prismaObject('TransferLeg', {
  name: 'IntentTransferLeg',
  fields: (t) => ({
    role: t.expose('role', { type: LegRoleEnum }),
    destination: t.field({ type: 'SolanaAddress', resolve: (row) => makeAddress(row.destination) }),
    amount: t.field({ type: 'BaseUnits', resolve: (row) => makeBaseUnits(row.amount.toFixed(0)) }),
    movedAmount: t.field({
      type: 'BaseUnits',
      nullable: true,
      description: 'What really arrived, once final.',
      resolve: (row) => (row.movedAmount === null ? null : makeBaseUnits(row.movedAmount.toFixed(0))),
    }),
    feeBps: t.exposeInt('feeBps', { nullable: true }),
  }),
})

builder.prismaObject('Event', {
  name: 'IntentEvent',
  description:
    'What happened. Its place in the log of all businesses is not shown: it would tell how much they all do.',
  // Not `data`: a snapshot of the whole intent for each row.
  select: { id: true, type: true, createdAt: true },
  fields: (t) => ({
    id: t.field({ type: 'UUID', description: 'What `webhook-id` carries.', resolve: (row) => row.id }),
    type: t.exposeString('type'),
    createdAt: t.expose('createdAt', { type: 'DateTimeISO' }),
  }),
})
