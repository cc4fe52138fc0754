// The records below a payment: money that arrived, money that was sent out, and events.
import { isAddress, makeAddress, makeAsset } from '#core/chain/base58.ts'
import { makeBaseUnits } from '#core/money/amounts.ts'
import { makeLegRole, makeTransferKind, type PaymentTransferKind } from '#core/payments/transfers.ts'
import { builder } from '#graphql/builder.ts'
import { TRANSFER_STATUS_VALUES } from '#graphql/enum-values.ts'
import { LegRoleEnum } from '#graphql/payments/settlement.ts'

export const TransferStatusEnum = builder.enumType('TransferStatus', {
  description: 'How far a transfer is.',
  values: TRANSFER_STATUS_VALUES,
})

const TransferKindEnum = builder.enumType('TransferKind', {
  description: 'What a transfer is for.',
  values: {
    sweep: { description: 'The settlement to the business.' },
    refund: { description: 'A refund to the payer.' },
    release: { description: 'Held money that the operator released.' },
    rent: { description: 'The return of rent to the fee payer.' },
  } satisfies Record<PaymentTransferKind, { description: string }>,
})

const DepositUseEnum = builder.enumType('DepositUse', {
  description: 'What a deposit counts as.',
  values: {
    applied: { description: 'It counts towards the price.' },
    wrong_asset: { description: 'Its asset is not the selected one. It is refunded.' },
    late: { description: 'It arrived after the payment was closed. It is refunded.' },
    unaccepted: {
      description:
        'It is in a token account that transfers do not use, or of a token that was not allowed. It does not count, and stays at the address until the operator releases it.',
    },
  },
})

/** Not `senders`. */
export const DEPOSIT_COLUMNS = {
  id: true,
  asset: true,
  amount: true,
  signature: true,
  slot: true,
  blockTime: true,
  use: true,
  seenAt: true,
} as const

export const Deposit = builder.prismaObject('Deposit', {
  description: 'Money that arrived at the deposit address, in one asset by one final transaction.',
  select: DEPOSIT_COLUMNS,
  fields: (t) => ({
    asset: t.field({ type: 'Asset', description: 'The asset that arrived.', resolve: (row) => makeAsset(row.asset) }),
    amount: t.field({
      type: 'BaseUnits',
      description: 'The amount that arrived, in base units of its asset.',
      resolve: (row) => makeBaseUnits(row.amount.toFixed(0)),
    }),
    signature: t.expose('signature', { type: 'Signature', description: 'The transaction that brought it.' }),
    slot: t.expose('slot', { type: 'UInt64', description: 'The slot of the transaction.' }),
    blockTime: t.expose('blockTime', {
      type: 'DateTimeISO',
      nullable: true,
      description: 'The time of the block. Null while it is not known.',
    }),
    use: t.expose('use', { type: DepositUseEnum, description: 'What the deposit counts as.' }),
    seenAt: t.expose('seenAt', { type: 'DateTimeISO', description: 'The time at which the service saw it first.' }),
  }),
})

builder.prismaObject('TransferLeg', {
  name: 'IntentTransferLeg',
  description: 'One recipient of a transfer.',
  fields: (t) => ({
    role: t.field({
      type: LegRoleEnum,
      description: 'What the recipient gets the money for.',
      resolve: ({ role }) => makeLegRole(role),
    }),
    destination: t.field({
      type: 'SolanaAddress',
      description: 'The wallet that receives it.',
      resolve: (row) => makeAddress(row.destination),
    }),
    amount: t.field({
      type: 'BaseUnits',
      description: 'The planned amount, in base units.',
      resolve: (row) => makeBaseUnits(row.amount.toFixed(0)),
    }),
    movedAmount: t.field({
      type: 'BaseUnits',
      nullable: true,
      description: 'The amount that arrived, in base units. Null until the transaction is final.',
      resolve: (row) => (row.movedAmount === null ? null : makeBaseUnits(row.movedAmount.toFixed(0))),
    }),
    feeBps: t.exposeInt('feeBps', {
      nullable: true,
      description: 'The fee rate in basis points. Null unless the leg is a fee.',
    }),
  }),
})

export const TRANSFER_COLUMNS = {
  id: true,
  kind: true,
  status: true,
  reason: true,
  asset: true,
  decimals: true,
  signature: true,
  attemptCount: true,
  createdAt: true,
  doneAt: true,
} as const

export const IntentTransfer = builder.prismaObject('Transfer', {
  name: 'IntentTransfer',
  select: TRANSFER_COLUMNS,
  description: 'An order to move money out of the deposit address. It takes effect once at most.',
  fields: (t) => ({
    id: t.field({ type: 'UUID', description: 'The id of the transfer.', resolve: (row) => row.id }),
    kind: t.field({
      type: TransferKindEnum,
      description: 'What the transfer is for.',
      resolve: ({ kind }) => makeTransferKind(kind),
    }),
    status: t.expose('status', { type: TransferStatusEnum, description: 'How far the transfer is.' }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why it failed or is held, for people. Null otherwise.',
    }),
    asset: t.field({ type: 'Asset', description: 'The asset that it moves.', resolve: (row) => makeAsset(row.asset) }),
    decimals: t.exposeInt('decimals', { description: 'The number of decimals of the asset.' }),
    signature: t.expose('signature', {
      type: 'Signature',
      nullable: true,
      description: 'The transaction that carries it. Null until there is one.',
    }),
    attempts: t.exposeInt('attemptCount', { description: 'The number of transactions that were prepared for it.' }),
    legs: t.relation('legs', { description: 'Its recipients.', query: { orderBy: { position: 'asc' } } }),
    createdAt: t.expose('createdAt', { type: 'DateTimeISO', description: 'The time of creation.' }),
    doneAt: t.expose('doneAt', {
      type: 'DateTimeISO',
      nullable: true,
      description: 'The time at which its transaction became final. Null until then.',
    }),
  }),
})

builder.prismaObject('UnacceptedToken', {
  description:
    'A token that the operator has not allowed, as it was seen at the deposit address. It is no money of the payment: it ' +
    'counts nowhere, and is not returned automatically. The operator can send it to a wallet.',
  fields: (t) => ({
    mint: t.field({
      type: 'Mint',
      nullable: true,
      description: 'The mint. Null in the entry that stands for all mints beyond the twenty that are recorded.',
      resolve: ({ mint }) => (isAddress(mint) ? mint : null),
    }),
    arrivals: t.expose('arrivals', {
      type: 'UInt64',
      description: 'The transactions that brought it, as far as seen.',
    }),
    lastSignature: t.exposeString('lastSignature', { description: 'The newest of them.' }),
    lastSeenAt: t.expose('lastSeenAt', { type: 'DateTimeISO', description: 'The time at which it was seen last.' }),
  }),
})

/** Not `data`, a snapshot of the whole payment. `sequence` orders events and is never shown: it counts all businesses. */
export const EVENT_COLUMNS = { id: true, type: true, createdAt: true, sequence: true } as const

export const IntentEvent = builder.prismaObject('Event', {
  name: 'IntentEvent',
  description: 'An event of a payment, as webhooks deliver it.',
  select: EVENT_COLUMNS,
  fields: (t) => ({
    id: t.field({
      type: 'UUID',
      description: 'The id of the event. The header `webhook-id` carries it.',
      resolve: (row) => row.id,
    }),
    type: t.exposeString('type', { description: 'The type of the event, such as `intent.swept`.' }),
    createdAt: t.expose('createdAt', { type: 'DateTimeISO', description: 'The time of the event.' }),
  }),
})
