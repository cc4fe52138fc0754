// A business with many subscriptions, written by statements over whole tables. Each wallet has one subscription, which has paid
// one period; the next charge is for the second.
import { randomUUID } from 'node:crypto'
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { createBillingStore } from '#adapters/prisma/billing/billing-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { associatedTokenAddress } from '#adapters/solana/keys/associated-token.ts'
import { tenantOf } from '#core/accounts/account.ts'
import type { Tier } from '#core/billing/tier.ts'
import { makeAddress } from '#core/chain/base58.ts'
import type { Address } from '#core/chain/types.ts'
import { makeBaseUnits } from '#core/money/amounts.ts'
import { addTier } from '../../test/support/billing-rows.ts'
import { openShop } from '../harness/shop.ts'

/** The charge of a period, in base units. A period is 30 days, and 12 are authorized. */
export const UNIT = 1_000_000n
const PERIODS = 12
export const PERIOD_DAYS = 30
/** The rest of the allowance of each wallet, in base units. */
export const ALLOWANCE = UNIT * BigInt(PERIODS - 1)
const AT_ONCE = 50_000

export type Business = { readonly tier: Tier; readonly mint: Address }

/** Migrates the database, and opens one business in it with one tier. */
export async function openBusiness(databaseUrl: string, db: Database): Promise<Business> {
  const shop = await openShop(databaseUrl)
  const mint = makeAddress(shop.mint)
  const payoutOwner = walletNo(0)
  const tier = await addTier(db, tenantOf({ network: 'live', id: shop.accountId }), {
    mint,
    tokenProgram: TOKEN_PROGRAM_ADDRESS,
    interval: 'day',
    intervalCount: PERIOD_DAYS,
    authorizationPeriods: PERIODS,
    unitBaseUnits: makeBaseUnits(UNIT),
    payoutOwner,
    payoutAta: associatedTokenAddress(payoutOwner, mint, TOKEN_PROGRAM_ADDRESS),
  })
  return { tier, mint }
}

/** The address of a wallet by its number: 43 digits of base 58, as of a real one. */
export const walletNo = (number: number): Address =>
  makeAddress(`Bench${String(number).padStart(38, '0').replaceAll('0', 'x')}`)

/** The wallet of a token account that the seed has named. */
export const ownerOf = (tokenAccount: Address): Address => makeAddress(`Bench${tokenAccount.slice(5)}`)

const WALLET = `'Bench' || replace(lpad(number::text, 38, '0'), '0', 'x')`
const TOKEN_ACCOUNT = `'Token' || replace(lpad(number::text, 38, '0'), '0', 'x')`

const SUBSCRIBE = `
WITH given AS MATERIALIZED (
  SELECT number, ${WALLET} AS wallet, ${TOKEN_ACCOUNT} AS token_account, gen_random_uuid() AS delegation,
    gen_random_uuid() AS intent, gen_random_uuid() AS subscription, gen_random_uuid() AS charge,
    gen_random_uuid() AS transfer, due, due - interval '${PERIOD_DAYS} days' AS began,
    account_id, tier.id AS tier, mint, token_program, decimals, payout_owner, payout_ata, platform_wallet, platform_fee_bps,
    unit_base_units AS unit, floor(unit_base_units * platform_fee_bps / 10000) AS fee
  FROM generate_series($1::int, $2::int) number
  CROSS JOIN LATERAL (SELECT date_trunc('milliseconds',
    $3::timestamptz + $4::bigint * (number::bigint * 7919 % $5::bigint) * interval '1 millisecond') AS due) time
  JOIN subscription_tiers tier ON tier.id = $6::uuid
), delegation AS (
  INSERT INTO delegations (id, network, wallet, mint, token_program, decimals, token_account, status, epoch,
    authorized_total, chain_delegate, chain_allowance, chain_slot, accounted_slot, accounted_allowance, chain_checked_at,
    created_at, updated_at)
  SELECT delegation, 'live', wallet, mint, token_program, decimals, token_account, 'active', 1, unit * ${PERIODS}, $7,
    unit * ${PERIODS - 1}, 1, 1, unit * ${PERIODS - 1}, began, began, began FROM given
), intent AS (
  INSERT INTO subscription_intents (id, account_id, tier_id, status, token_hash, wallet_pinned, subscription_id, expires_at,
    created_at, updated_at, completed_at)
  SELECT intent, account_id, tier, 'completed', sha256(uuid_send(intent)), false, subscription, began + interval '1 day',
    began, began, began FROM given
), subscription AS (
  INSERT INTO billing_subscriptions (id, network, account_id, receiver_account_id, tier_id, intent_id, delegation_id, status,
    subscriber_wallet, mint, unit_amount, discounted_amount, discounted_periods, periods, authorized_amount, spent_amount, delegation_epoch, interval,
    interval_count, anchor, current_period_start, current_period_end, next_charge_period, next_charge_at, due_at,
    created_at, updated_at, activated_at)
  SELECT subscription, 'live', account_id, account_id, tier, intent, delegation, 'active', wallet, mint, unit, unit, 0, ${PERIODS},
    unit * ${PERIODS}, unit, 1, 'day', ${PERIOD_DAYS}, began, began, due, 1, due, due, began, began, began FROM given
), charge AS (
  INSERT INTO charges (id, network, account_id, subscription_id, period_index, period_start, period_end, delegation_epoch,
    mint, amount, fee_amount, net_amount, destination_ata, fee_destination, status, signature, attempts, created_at,
    updated_at, settled_at)
  SELECT charge, 'live', account_id, subscription, 0, began, due, 1, mint, unit, fee, unit - fee, payout_ata,
    platform_wallet, 'succeeded', repeat('5', 87), 1, began, began, began FROM given
), transfer AS (
  INSERT INTO transfers (id, key, network, subject_kind, subject_id, kind, account_id, source, authority, authority_key,
    asset, decimals, token_program, status, attempt_count, next_attempt_at, signature, created_at, planned_version,
    updated_at, done_at)
  SELECT transfer, 'charge:' || subscription || ':0', 'live', 'charge', charge, 'charge', account_id, wallet, $7, 'delegate',
    mint, decimals, token_program, 'done', 1, began, repeat('5', 87), began, 1, began, began FROM given
)
INSERT INTO transfer_legs (transfer_id, position, role, destination, amount, fee_bps, moved_amount)
SELECT transfer, position, role, destination, amount, rate, amount FROM given CROSS JOIN LATERAL (VALUES
  (0, 'payout', payout_owner, unit - fee, null), (1, 'platform', platform_wallet, fee, platform_fee_bps)
) leg (position, role, destination, amount, rate)`

export type Subscriptions = {
  readonly count: number
  /** The first moment at which one is due. */
  readonly dueFrom: Date
  /** They are due so many milliseconds apart, in another order than that of the rows. 0: all at once. */
  readonly apartMs: number
  readonly delegate: Address
}

/**
 * Writes subscriptions of the tier, of the wallets from number 1. Triggers and foreign keys are off: row by row they would take
 * minutes.
 */
export async function seedSubscriptions(
  db: Database,
  { id }: Pick<Tier, 'id'>,
  { count, dueFrom, apartMs, delegate }: Subscriptions,
): Promise<void> {
  await db.session(async ({ query, script }) => {
    await script('SET session_replication_role = replica')
    for (let from = 1; from <= count; from += AT_ONCE) {
      const to = Math.min(from + AT_ONCE - 1, count)
      await query(SUBSCRIBE, [from, to, dueFrom, apartMs, count, id, delegate])
    }
    await script('VACUUM ANALYZE')
  })
  await requireReadable(db)
}

/** Throws when the rows are not those that the service writes. */
async function requireReadable(db: Database): Promise<void> {
  const [row] = await db.query<{ id: string }>('SELECT id FROM billing_subscriptions LIMIT 1')
  const facts = await createBillingStore(db).facts(row?.id ?? randomUUID())
  if (facts?.charge?.transfer.legs.length !== 2) throw new Error('a subscription is not readable')
}
