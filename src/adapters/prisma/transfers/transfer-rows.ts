// The columns of transfers and of their legs, and how both are read together.
import { columnsOf, readTable, sqlList } from '#adapters/prisma/sql.ts'
import { addressCodec, assetCodec, networkCodec, signatureCodec, unitsCodec } from '#core/chain/codecs.ts'
import { keyPathFromText } from '#core/chain/keys.ts'
import { digits, integer, nullable, plain, text, time, uuid } from '#core/codec.ts'
import { oneOf } from '#core/json.ts'
import {
  type Lease,
  LIVE_ATTEMPT_STATES,
  TRANSFER_PORTIONS,
  TRANSFER_STATUSES,
  type Transfer,
} from '#core/transfers/transfer.ts'

const PLANNED_FIELDS = {
  key: text,
  network: networkCodec,
  subjectKind: text,
  subjectId: uuid,
  kind: text,
  accountId: nullable(uuid),
  source: addressCodec,
  sourceAccount: nullable(addressCodec),
  authority: addressCodec,
  authorityKey: text,
  asset: assetCodec,
  decimals: integer,
  tokenProgram: nullable(addressCodec),
  round: integer,
  portion: plain('text', oneOf(TRANSFER_PORTIONS)),
  createdAt: time,
  plannedVersion: integer,
} as const

const PLANNED_LEG_FIELDS = {
  position: integer,
  role: text,
  destination: addressCodec,
  amount: unitsCodec,
  feeBps: nullable(integer),
} as const

/** What the plan of a transfer writes. */
export const PLANNED_COLUMNS = columnsOf(PLANNED_FIELDS, { portion: 'transfer_portion' })
export const PLANNED_LEG_COLUMNS = columnsOf(PLANNED_LEG_FIELDS)

const TRANSFERS = readTable('transfers', {
  ...PLANNED_FIELDS,
  id: uuid,
  status: plain('text', oneOf(TRANSFER_STATUSES)),
  reason: nullable(text),
  attemptCount: integer,
  fence: digits('bigint', (value): value is bigint => typeof value === 'bigint'),
  signature: nullable(signatureCodec),
  doneAt: nullable(time),
})

const LEGS = readTable('transfer_legs', { ...PLANNED_LEG_FIELDS, movedAmount: nullable(unitsCodec) })

/** A row of transfers with its legs, as Prisma or `transfersWhere` gives it. */
export type TransferRow = { readonly legs: readonly unknown[] }

export function transferFromRow(row: TransferRow): Transfer {
  const { subjectKind, subjectId, authority, authorityKey, ...transfer } = TRANSFERS.fromRow(row)
  const legs = row.legs.map(LEGS.fromRow).sort((a, b) => a.position - b.position)
  return {
    ...transfer,
    subject: { kind: subjectKind, id: subjectId },
    authority: { address: authority, key: keyPathFromText(transfer.network, authorityKey) },
    legs: legs.map(({ role, destination, amount, feeBps }) => ({ role, destination, amount, feeBps })),
    moved: legs.map(({ movedAmount }) => movedAmount),
  }
}

/**
 * Returns an expression for the transfers that fulfil a condition on `transfer`, as JSON in the order in which they were
 * planned. Versions give the order of one subject's transfers: instances may have clocks that differ.
 */
export const transfersWhere = (condition: string): string => `
  (SELECT coalesce(jsonb_agg(to_jsonb(own) ORDER BY "plannedVersion", "createdAt", key), '[]')
    FROM (SELECT ${TRANSFERS.columns},
        (SELECT coalesce(jsonb_agg(to_jsonb(leg)), '[]')
          FROM (SELECT ${LEGS.columns} FROM transfer_legs WHERE transfer_id = transfer.id) leg) AS legs
      FROM transfers transfer WHERE ${condition}) own)`

// The lease of a worker on a transfer, as a condition of every write.

/** Matches the transfer until it ends, while the lease is the last that was given on it. */
export const leasedBy = ({ transferId, fence }: Lease) => ({ id: transferId, fence, status: 'in_progress' }) as const

// The states of an attempt that may still land.

/** For a query of Prisma. */
export const LIVE = [...LIVE_ATTEMPT_STATES]

/** The list for IN. */
export const LIVE_ATTEMPTS = sqlList(LIVE_ATTEMPT_STATES)
