// The records of the service at the end, read in one snapshot.
import type { Database } from '#adapters/prisma/engine/database.ts'
import { makeAddress, makeAsset, makeSignature } from '#core/chain/base58.ts'
import type { Address, Asset, Signature } from '#core/chain/types.ts'

export type IntentBook = {
  readonly id: string
  readonly index: number
  readonly callerAccountId: string
  readonly address: Address
  readonly status: string
  readonly reason: string | null
  readonly isSettled: boolean
  readonly asset: Asset | null
  readonly expected: bigint
  /** `mint` is null for SOL. */
  readonly latePayments: readonly ReturnBook[]
  readonly tokenRefunds: readonly ReturnBook[]
}
export type ReturnBook = {
  readonly mint: string | null
  readonly status: string
  /** Whether the entry names an amount that goes back, or went back. */
  readonly isRefunded: boolean
}
export type DepositBook = {
  readonly intentId: string
  readonly account: Address
  readonly asset: Asset
  readonly amount: bigint
  readonly signature: Signature
  readonly use: string
}
export type TransferBook = {
  readonly id: string
  readonly key: string
  readonly portion: string
  readonly round: number
  readonly kind: string
  readonly intentId: string | null
  readonly source: Address
  readonly asset: Asset
  readonly status: string
  readonly reason: string | null
  readonly attempts: number
  /** The signature of the transaction that fulfilled it. */
  readonly signature: Signature | null
  readonly legs: readonly {
    readonly role: string
    readonly destination: Address
    readonly amount: bigint
    readonly moved: bigint | null
  }[]
}
export type EntryBook = {
  readonly address: Address
  readonly account: Address
  readonly asset: Asset
  readonly delta: bigint
  readonly signature: Signature
}

export type Books = {
  readonly intents: readonly IntentBook[]
  readonly deposits: readonly DepositBook[]
  readonly transfers: readonly TransferBook[]
  readonly ledger: readonly EntryBook[]
}

type Row = Readonly<Record<string, unknown>>
const text = (value: unknown): string => String(value)
const orNull = (value: unknown): string | null => (value === null || value === undefined ? null : String(value))
const list = (value: unknown): readonly Row[] => (Array.isArray(value) ? value : [])

const returnOf = ({ mint, status, refund }: Row): ReturnBook => ({
  mint: orNull(mint),
  status: text(status),
  isRefunded: orNull(refund) !== null,
})

export async function readBooks(db: Pick<Database, 'query'>): Promise<Books> {
  const intents = await db.query<Row>('SELECT * FROM payment_intents ORDER BY derivation_index')
  const deposits = await db.query<Row>('SELECT * FROM deposits ORDER BY slot, signature')
  const transfers = await db.query<Row>(`
    SELECT t.*, (SELECT json_agg(json_build_object('role', l.role, 'destination', l.destination,
        'amount', l.amount::text, 'moved', l.moved_amount::text) ORDER BY l.position)
      FROM transfer_legs l WHERE l.transfer_id = t.id) AS legs
    FROM transfers t ORDER BY t.created_at, t.key`)
  const ledger = await db.query<Row>('SELECT * FROM ledger_entries ORDER BY id')
  return {
    intents: intents.map((row) => ({
      id: text(row.id),
      index: Number(row.derivation_index),
      callerAccountId: text(row.caller_account_id),
      address: makeAddress(text(row.address)),
      status: text(row.status),
      reason: orNull(row.status_reason),
      isSettled: row.settlement !== null,
      asset: row.asset === null ? null : makeAsset(text(row.asset)),
      expected: BigInt(text(row.expected_amount ?? 0)),
      latePayments: list(row.late_payments).map(returnOf),
      tokenRefunds: list(row.token_refunds).map(returnOf),
    })),
    deposits: deposits.map((row) => ({
      intentId: text(row.intent_id),
      account: makeAddress(text(row.account)),
      asset: makeAsset(text(row.asset)),
      amount: BigInt(text(row.amount)),
      signature: makeSignature(text(row.signature)),
      use: text(row.use),
    })),
    transfers: transfers.map((row) => ({
      id: text(row.id),
      key: text(row.key),
      kind: text(row.kind),
      portion: text(row.portion),
      round: Number(row.round),
      intentId: orNull(row.intent_id),
      source: makeAddress(text(row.source)),
      asset: makeAsset(text(row.asset)),
      status: text(row.status),
      reason: orNull(row.reason),
      signature: row.signature === null ? null : makeSignature(text(row.signature)),
      attempts: Number(row.attempt_count),
      legs: list(row.legs).map((leg) => ({
        role: text(leg.role),
        destination: makeAddress(text(leg.destination)),
        amount: BigInt(text(leg.amount)),
        moved: leg.moved === null ? null : BigInt(text(leg.moved)),
      })),
    })),
    ledger: ledger.map((row) => ({
      address: makeAddress(text(row.address)),
      account: makeAddress(text(row.account)),
      asset: makeAsset(text(row.asset)),
      delta: BigInt(text(row.delta)),
      signature: makeSignature(text(row.signature)),
    })),
  }
}
