// The reads of an audit: addresses page by page, and the books of a page in one statement, which is one snapshot.
import type { Database } from '#adapters/prisma/engine/engine.ts'
import { LIVE_ATTEMPTS } from '#adapters/prisma/transfers/transfer-rows.ts'
import { makeAddress, makeAsset } from '#core/chain/base58.ts'
import type { Network } from '#core/chain/types.ts'
import type { AuditStore, IssuedAddress, RecordedBooks } from '#ports/audit.ts'

const ISSUED = `
SELECT intent.id, intent.derivation_index, owner.derivation_index AS account_index, intent.address,
  intent.accepted_assets, touched.accounts, touched.assets
FROM payment_intents intent
JOIN accounts owner ON owner.id = intent.account_id
CROSS JOIN LATERAL (
  SELECT coalesce(array_agg(place.account), '{}') AS accounts, coalesce(array_agg(place.asset), '{}') AS assets
  FROM (
    SELECT account, asset FROM deposits WHERE intent_id = intent.id
    UNION
    SELECT account, asset FROM ledger_entries WHERE network = intent.network AND address = intent.address
  ) place
) touched
WHERE intent.network = $1::network_name AND intent.derivation_index > $2::int
ORDER BY intent.derivation_index
LIMIT $3::int`

type IssuedRow = {
  id: string
  derivation_index: number
  account_index: number
  address: string
  accepted_assets: string[]
  accounts: string[]
  assets: string[]
}

// One row for each sum, distinguished by `record`. The legs of a transfer are the amounts that left its source,
// including withheld transfer fees.
const BOOKS = `
WITH asked AS (
  SELECT intent.id, intent.network, intent.address, given.slot
  FROM unnest($1::uuid[], $2::bigint[]) AS given (id, slot)
  JOIN payment_intents intent ON intent.id = given.id
), moving AS (
  SELECT asked.id, transfer.id AS transfer_id, transfer.asset, transfer.token_program,
    CASE WHEN transfer.status <> 'done' THEN 'leaving' WHEN leg.role IN ('refund', 'release', 'buyer') THEN 'returned' ELSE 'settled' END
      AS record,
    transfer.source_account AS account, leg.amount
  FROM asked
  JOIN transfers transfer ON transfer.intent_id = asked.id
  JOIN transfer_legs leg ON leg.transfer_id = transfer.id
  WHERE transfer.status = 'done' OR EXISTS (
    SELECT FROM transfer_attempts attempt
    WHERE attempt.transfer_id = transfer.id AND attempt.state IN ${LIVE_ATTEMPTS})
)
SELECT asked.id, 'entry' AS record, entry.account, entry.asset, NULL AS token_program, sum(entry.delta) AS amount,
  coalesce(sum(entry.delta) FILTER (WHERE entry.slot <= asked.slot), 0) AS up_to_slot
FROM asked
JOIN ledger_entries entry ON entry.network = asked.network AND entry.address = asked.address
GROUP BY asked.id, entry.account, entry.asset
UNION ALL
SELECT asked.id, 'received', NULL, deposit.asset, NULL, sum(deposit.amount), 0
FROM asked JOIN deposits deposit ON deposit.intent_id = asked.id
GROUP BY asked.id, deposit.asset
UNION ALL
SELECT id, record, account, asset, token_program, sum(amount), 0
FROM moving GROUP BY id, record, account, asset, token_program, CASE WHEN record = 'leaving' THEN transfer_id END
UNION ALL
SELECT asked.id, CASE WHEN entry.kind = 'rent' THEN 'rent' ELSE 'moved' END, NULL, entry.asset, NULL, sum(entry.delta), 0
FROM asked
JOIN ledger_entries entry ON entry.subject_id = asked.id AND entry.address = $3 AND entry.asset = 'SOL'
GROUP BY asked.id, entry.asset, entry.kind = 'rent'
UNION ALL
SELECT asked.id, 'repaid', NULL, transfer.asset, NULL, sum(leg.moved_amount), 0
FROM asked
JOIN transfers transfer ON transfer.intent_id = asked.id AND transfer.status = 'done'
JOIN transfer_legs leg ON leg.transfer_id = transfer.id AND leg.role = 'network_fee' AND leg.destination = $3
GROUP BY asked.id, transfer.asset`

type BooksRow = {
  id: string
  record: 'entry' | 'received' | 'leaving' | 'settled' | 'returned' | 'rent' | 'moved' | 'repaid'
  account: string | null
  asset: string
  token_program: string | null
  amount: string
  up_to_slot: string
}

export function createAuditStore(db: Pick<Database, 'prisma' | 'query'>): AuditStore {
  return {
    countIssued: (network: Network) => db.prisma.paymentIntent.count({ where: { network } }),

    async issued(network, { afterIndex, limit }) {
      return (await db.query<IssuedRow>(ISSUED, [network, afterIndex, limit])).map(issuedFromRow)
    },

    async books(asked, feePayer) {
      const ids = asked.map(({ intentId }) => intentId)
      const slots = asked.map(({ slot }) => slot)
      const rows = Map.groupBy(await db.query<BooksRow>(BOOKS, [ids, slots, feePayer]), ({ id }) => id)
      return new Map(ids.map((id) => [id, booksFromRows(rows.get(id) ?? [])]))
    },
  }
}

const issuedFromRow = (row: IssuedRow): IssuedAddress => ({
  intentId: row.id,
  intentIndex: row.derivation_index,
  accountIndex: row.account_index,
  address: row.address,
  acceptedAssets: row.accepted_assets.map(makeAsset),
  places: row.accounts.map((account, at) => ({ account, asset: makeAsset(row.assets[at] ?? '') })),
})

function booksFromRows(rows: readonly BooksRow[]): RecordedBooks {
  const of = (record: BooksRow['record']) =>
    rows
      .filter((row) => row.record === record)
      .map((row) => ({ ...row, account: row.account ?? '', asset: makeAsset(row.asset), amount: BigInt(row.amount) }))
  const sums = (record: BooksRow['record']) => of(record).map(({ asset, amount }) => ({ asset, amount }))
  const lamports = (record: BooksRow['record']) => of(record).reduce((total, { amount }) => total + amount, 0n)
  return {
    entries: of('entry').map(({ account, asset, amount, up_to_slot }) => ({
      account,
      asset,
      upToSlot: BigInt(up_to_slot),
      total: amount,
    })),
    received: sums('received'),
    settled: sums('settled'),
    returned: sums('returned'),
    leaving: of('leaving').map(({ account, asset, token_program, amount }) => ({
      sourceAccount: account === '' ? null : makeAddress(account),
      asset,
      tokenProgram: token_program === null ? null : makeAddress(token_program),
      amount,
    })),
    // One transaction takes its cost from the fee payer, and repays a part: the ledger has the difference.
    feePayer: { spent: lamports('repaid') - lamports('moved'), repaid: lamports('repaid'), rent: lamports('rent') },
  }
}
