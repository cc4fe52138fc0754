// The store of transfers under leases, put together from the queue, the attempts, the budget and the outcomes.
import type { Database } from '#adapters/prisma/engine/database.ts'
import { makeAddress, makeSignature } from '#core/chain/base58.ts'
import type { Address, Signature } from '#core/chain/types.ts'
import type { BookedBalance, KnownTransaction, TransferStore } from '#ports/transfers.ts'
import { createAttemptStore } from './attempts.ts'
import { finish } from './outcomes.ts'
import { claimPayoutCreation } from './payout-creations.ts'
import { claimDue, giveBack, hold, postpone } from './queue.ts'
import { readCostlySubjects, readSpend } from './spend.ts'

export const createTransferStore = (db: Database): TransferStore => ({
  ...createAttemptStore(db),
  claim: (...args) => claimDue(db, ...args),
  giveBack: (...args) => giveBack(db, ...args),
  postpone: (...args) => postpone(db, ...args),
  hold: (...args) => hold(db, ...args),
  finish: (...args) => finish(db, ...args),
  claimPayoutCreation: (...args) => claimPayoutCreation(db, ...args),
  spendOf: (spender) => readSpend(db.prisma, spender),
  costlySubjects: (...args) => readCostlySubjects(db.prisma, ...args),
  haltsOn: (sources) => readHalts(db, sources),
  booked: (accounts) => readBooked(db, accounts),
  bookedOf: (...args) => readBookedOf(db, ...args),
  knownTransactions: (transferIds) => readKnownTransactions(db, transferIds),
})

async function readHalts(db: Database, sources: readonly Address[]): Promise<ReadonlyMap<Address, string>> {
  const halts = await db.prisma.halt.findMany({
    where: { address: { in: [...sources] }, clearedAt: null },
    select: { address: true, reason: true },
  })
  return new Map(halts.map(({ address, reason }) => [makeAddress(address), reason]))
}

const BOOKED = `SELECT transfer.id, sum(entry.delta)::text AS amount, min(entry.slot) AS since
     FROM unnest($1::uuid[], $2::text[]) AS given(id, account)
     JOIN transfers transfer ON transfer.id = given.id
     JOIN ledger_entries entry ON entry.address = transfer.source AND entry.asset = transfer.asset
       AND entry.account = given.account AND entry.network = transfer.network
     WHERE NOT EXISTS (SELECT FROM halts WHERE address = transfer.source AND cleared_by = 'operator')
     GROUP BY transfer.id`

async function readBooked(
  db: Database,
  accounts: ReadonlyMap<string, Address>,
): Promise<ReadonlyMap<string, BookedBalance>> {
  type Row = { id: string; amount: string; since: bigint }
  const rows = await db.query<Row>(BOOKED, [[...accounts.keys()], [...accounts.values()]])
  return new Map(rows.map(({ id, amount, since }) => [id, { amount: BigInt(amount), since }]))
}

async function readBookedOf(
  db: Database,
  account: Address,
  signatures: readonly Signature[],
): Promise<ReadonlySet<Signature>> {
  if (signatures.length === 0) return new Set()
  const entries = await db.prisma.ledgerEntry.findMany({
    where: { account, signature: { in: [...signatures] } },
    select: { signature: true },
  })
  return new Set(entries.map(({ signature }) => makeSignature(signature)))
}

const KNOWN_TRANSACTIONS = `SELECT transfer.id, known.signature, known.slot, known.created_at AS at
     FROM transfers transfer CROSS JOIN LATERAL (
       SELECT signature, slot, created_at FROM ledger_entries WHERE network = transfer.network ORDER BY slot DESC LIMIT 1
     ) known
     WHERE transfer.id = ANY ($1::uuid[])`

async function readKnownTransactions(
  db: Database,
  transferIds: readonly string[],
): Promise<ReadonlyMap<string, KnownTransaction>> {
  type Row = { id: string; signature: string; slot: bigint; at: Date }
  const rows = await db.query<Row>(KNOWN_TRANSACTIONS, [transferIds])
  return new Map(rows.map(({ id, signature, ...known }) => [id, { ...known, signature: makeSignature(signature) }]))
}
