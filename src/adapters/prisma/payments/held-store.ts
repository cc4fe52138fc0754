import type { Database } from '#adapters/prisma/engine/engine.ts'
import { TRANSFERS_DUE } from '#adapters/prisma/engine/notices.ts'
import { isUniqueViolation } from '#adapters/prisma/engine/unavailable.ts'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { writeTransfers } from '#adapters/prisma/transfers/records.ts'
import { transferFromRow } from '#adapters/prisma/transfers/transfer-rows.ts'
import { type Address, type Asset, SOL } from '#core/chain/types.ts'
import { listOf } from '#core/codec.ts'
import { TOKEN_RELEASE } from '#core/payments/deposits/unaccepted.ts'
import { heldMoneyCodec } from '#core/payments/intent-values.ts'
import type { Obstacle } from '#core/payments/obstacle.ts'
import { isReleased } from '#core/payments/transfers.ts'
import type { DustLimits, HeldPayment, HeldStore, Release } from '#ports/held.ts'

const IS_ASKED_FOR = `held <> '[]'
  AND ($1::network_name IS NULL OR network = $1::network_name)
  AND ($2::uuid IS NULL OR account_id = $2::uuid)`

// The column has only the newest entries of a longer list. A payment with a longer list counts as one with more than dust.
const IS_DUST = `(list_totals ->> 'held' IS NULL AND NOT EXISTS (
  SELECT FROM jsonb_array_elements(held) AS entry
  WHERE ((entry ->> 'amount')::numeric <= ($3::jsonb -> network::text ->> COALESCE(entry ->> 'mint', '${SOL}'))::numeric)
    IS NOT TRUE
))`

const LIST = `
SELECT id AS "intentId", derivation_index AS "intentIndex", account_id AS "accountId", network, address, status, held,
  updated_at AS "updatedAt",
  CASE refund_address #>> '{proposal,status}' WHEN 'proposed' THEN refund_address #>> '{proposal,address}' END AS "proposedAddress"
FROM payment_intents
WHERE ${IS_ASKED_FOR} AND ($4::int IS NULL OR derivation_index < $4::int) AND ($3::jsonb IS NULL OR NOT ${IS_DUST})
ORDER BY derivation_index DESC LIMIT $5::int`

const COUNT_DUST = `
SELECT count(*)::int AS count
FROM (SELECT FROM payment_intents WHERE ${IS_ASKED_FOR} AND ${IS_DUST} LIMIT $4::int) AS dust`

const SENDERS = `
SELECT asset, wallet, amount::text FROM (
  SELECT asset, sender ->> 'address' AS wallet, sum((sender ->> 'amount')::numeric) AS amount,
    row_number() OVER (PARTITION BY asset ORDER BY sum((sender ->> 'amount')::numeric) DESC, sender ->> 'address') AS place
  FROM deposits, jsonb_array_elements(senders) AS sender
  WHERE intent_id = $1::uuid AND sender ->> 'obstacle' IS DISTINCT FROM '${'ambiguous' satisfies Obstacle}'
  GROUP BY asset, sender ->> 'address'
) AS sums
WHERE place <= $2::int ORDER BY asset, place`

const RELEASE = { transfer: { include: { legs: true } } } satisfies Prisma.ReleaseInclude

const heldList = listOf(heldMoneyCodec)

type PaymentRow = Omit<HeldPayment, 'held'> & { readonly held: unknown }

const jsonOf = (limits: DustLimits): string =>
  JSON.stringify(
    Object.fromEntries(
      [...limits].map(([network, ofAssets]) => [
        network,
        Object.fromEntries([...ofAssets].map(([asset, limit]) => [asset, limit.toString()])),
      ]),
    ),
  )

function releaseFromRow(
  row: Prisma.ReleaseGetPayload<{ include: typeof RELEASE }>,
  indexes: ReadonlyMap<string, number>,
): Release {
  const transfer = transferFromRow(row.transfer)
  const leg = transfer.legs.find(isReleased)
  const intentIndex = indexes.get(transfer.subject.id)
  if (leg === undefined || intentIndex === undefined) {
    throw new Error(`${transfer.key} is not the release of a payment's money`)
  }
  return {
    transferId: transfer.id,
    intentId: transfer.subject.id,
    intentIndex,
    network: transfer.network,
    asset: transfer.asset,
    sourceAccount: transfer.sourceAccount,
    round: transfer.round,
    amount: leg.amount,
    to: leg.destination,
    reason: row.reason,
    releasedBy: leg.role === 'buyer' ? 'business' : 'operator',
    releasedAt: row.createdAt,
    status: transfer.status,
    problem: transfer.reason,
    signature: transfer.signature,
  }
}

export function createHeldStore({ prisma, query }: Pick<Database, 'prisma' | 'query'>): HeldStore {
  return {
    async planTokenReleases(transfers, reason, at) {
      try {
        await prisma.$transaction(async (tx) => {
          await writeTransfers(
            tx,
            transfers.map((transfer) => ({ transfer, at, version: 1, reason })),
          )
          await tx.$executeRaw`SELECT pg_notify(${TRANSFERS_DUE}, '1')`
        })
      } catch (error) {
        if (!isUniqueViolation(error)) throw error
      }
    },

    async payments({ network, accountId, afterIndex, dust, limit }) {
      const limits = dust === null ? null : jsonOf(dust)
      const rows = await query<PaymentRow>(LIST, [network, accountId, limits, afterIndex, limit])
      return rows.map(({ held, ...row }) => ({ ...row, held: heldList.read(held, 'held') }))
    },

    async countDust({ network, accountId, dust, most }) {
      const [row] = await query<{ count: number }>(COUNT_DUST, [network, accountId, jsonOf(dust), most])
      return row?.count ?? 0
    },

    async senders(intentId, most) {
      const rows = await query<{ asset: Asset; wallet: Address; amount: string }>(SENDERS, [intentId, most])
      return rows.map(({ amount, ...sender }) => ({ ...sender, amount: BigInt(amount) }))
    },

    async find(by) {
      const where = 'id' in by ? { id: by.id } : { derivationIndex: by.index }
      return await prisma.paymentIntent.findUnique({ where, select: { id: true, network: true } })
    },

    async isTokenReleaseOpen(network, asset) {
      const status = { in: ['planned', 'in_progress'] } satisfies Prisma.TransferWhereInput['status']
      return (await prisma.transfer.findFirst({ where: { network, asset, kind: TOKEN_RELEASE, status } })) !== null
    },

    async releases({ limit, ...transfer }) {
      const rows = await prisma.release.findMany({
        where: { transfer },
        orderBy: [{ createdAt: 'desc' }, { transferId: 'desc' }],
        take: limit,
        include: RELEASE,
      })
      const payments = await prisma.paymentIntent.findMany({
        where: { id: { in: rows.map((row) => row.transfer.subjectId) } },
        select: { id: true, derivationIndex: true },
      })
      const indexes = new Map(payments.map(({ id, derivationIndex }) => [id, derivationIndex]))
      return rows.map((row) => releaseFromRow(row, indexes))
    },
  }
}
