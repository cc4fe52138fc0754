// A business with many subscribers on Solana's own runtime, and the real service with a real PostgreSQL.
import { join } from 'node:path'
import { type Address, createSolanaRpc, generateKeyPairSigner, type Signature } from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { type Database, openDatabase } from '#adapters/prisma/engine/database.ts'
import { associatedTokenAddress } from '#adapters/solana/keys/associated-token.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { loadMasterSeed, newMnemonic } from '#adapters/solana/keys/seed.ts'
import { startService } from '#compose/service.ts'
import { parseConfig } from '#config/config.ts'
import { makeAddress } from '#core/chain/base58.ts'
import type { ServiceKey } from '#core/chain/keys.ts'
import { sendTransaction } from '#sandbox/chain/send-transaction.ts'
import { createLog } from '#server/log.ts'
import { mintData, tokenAccountData } from '../../test/adapters/solana/chain-data.ts'
import { freePort } from '../../test/support/free-port.ts'
import { type Founded, type SvmNode, startSvmNode } from '../harness/svm-node.ts'
import { until } from '../harness/until.ts'
import type { Workplace } from '../harness/workplace.ts'
import { ALLOWANCE, type Business, openBusiness, PERIOD_DAYS, seedSubscriptions, walletNo } from './seed.ts'

/** Nothing is due before a measurement makes it so. */
const NEVER_DUE = new Date('2100-01-01T00:00:00.000Z')
const TOKEN_ACCOUNT_LAMPORTS = 2_039_280n
const GIFT_LAMPORTS = 1_000_000_000n

export type Place = {
  readonly db: Database
  readonly chain: SvmNode
  readonly feePayer: Address
  /** The accounts of the business and its subscribers before the first charge. */
  readonly accounts: Founded
  /** The token account of the business. */
  readonly payoutAta: Address
  /** Starts the service, on the chain behind this address. */
  start(rpcUrl: string): Promise<{ close(): Promise<void> }>
}

/** Everything that is opened ends with `cleanup`. */
export async function openPlace(
  workplace: Workplace,
  subscribers: number,
  cleanup: AsyncDisposableStack,
): Promise<Place> {
  const mnemonic = newMnemonic()
  const keys = createDepositKeys(loadMasterSeed(mnemonic))
  const serviceKey = (branch: ServiceKey): Address => keys.addressOf({ network: 'live', branch })
  const [feePayer, delegate] = [serviceKey('fee_payer'), serviceKey('delegate')]
  const url = await workplace.postgres.createDatabase('charging')
  const db = await openDatabase({ kind: 'postgresql', url, poolSize: 2 })
  cleanup.defer(() => db.close())
  const business = await openBusiness(url, db)
  const accounts = accountsOf(business, subscribers, delegate)
  await seedSubscriptions(db, business.tier, { count: subscribers, dueFrom: NEVER_DUE, apartMs: 0, delegate })
  await nameTokenAccounts(db, business, subscribers)
  const donor = await generateKeyPairSigner()
  const chain = await startSvmNode([feePayer, makeAddress(donor.address)], accounts)
  cleanup.defer(() => chain.stop())
  // A transaction of the fee payer that every provider must know: without one, no attempt begins.
  const gift = getTransferSolInstruction({ source: donor, destination: feePayer, amount: GIFT_LAMPORTS })
  await untilFinal(chain.rpcUrl, await sendTransaction(chain.rpcUrl, donor, [gift]))
  return {
    db,
    chain,
    feePayer,
    accounts,
    payoutAta: business.tier.payoutAta,
    async start(rpcUrl) {
      const config = parseConfig({
        DATA_DIR: join(workplace.directory, 'charging'),
        DATABASE_URL: url,
        PORT: String(await freePort()),
        SOLANA_RPC_URL: rpcUrl,
        SOLANA_WS_URL: chain.wsUrl,
        MASTER_SEED: mnemonic,
        OPERATOR_TOKEN: 'op_bench_00000000000000000000000000000000',
        PRICE_FEEDS: 'fixed:SOL=150,USDC=1',
        SUBSCRIPTIONS: '1',
        SUBSCRIPTION_MINT: business.mint,
      })
      return await startService(config, { version: 'bench', log: createLog('error'), progress: () => {} })
    },
  }
}

const untilFinal = (rpcUrl: string, signature: Signature): Promise<void> =>
  until(async () => {
    const { value } = await createSolanaRpc(rpcUrl).getSignatureStatuses([signature]).send()
    return value[0]?.confirmationStatus === 'finalized'
  })

/** The mint, and the token accounts of subscribers, of the business and of the platform. */
function accountsOf({ tier, mint }: Business, subscribers: number, delegate: Address): Founded {
  const holding = (owner: Address, amount: bigint) => {
    const delegation = amount > 0n ? { delegation: { delegate, allowance: amount } } : {}
    const data = tokenAccountData({ mint, owner, amount, ...delegation })
    const account = { lamports: TOKEN_ACCOUNT_LAMPORTS, owner: TOKEN_PROGRAM_ADDRESS, data }
    return [associatedTokenAddress(owner, mint, TOKEN_PROGRAM_ADDRESS), account] as const
  }
  const receivers = [tier.payoutOwner, tier.platformWallet ?? tier.payoutOwner]
  return new Map([
    [mint, { lamports: TOKEN_ACCOUNT_LAMPORTS, owner: TOKEN_PROGRAM_ADDRESS, data: mintData(tier.decimals) }],
    ...receivers.map((owner) => holding(owner, 0n)),
    ...Array.from({ length: subscribers }, (_, at) => holding(walletNo(at + 1), ALLOWANCE)),
  ])
}

const NAME_TOKEN_ACCOUNTS = `
UPDATE delegations SET token_account = given.token_account
FROM unnest($1::text[], $2::text[]) given (wallet, token_account) WHERE delegations.wallet = given.wallet`

/** The service reads the allowances when it starts, at the addresses that the chain has. */
async function nameTokenAccounts(db: Database, { mint }: Business, subscribers: number): Promise<void> {
  const wallets = walletsOf({ first: 1, count: subscribers })
  const accounts = wallets.map((wallet) => associatedTokenAddress(wallet, mint, TOKEN_PROGRAM_ADDRESS))
  await db.query(NAME_TOKEN_ACCOUNTS, [wallets, accounts])
}

/** Some subscribers, by the number of the first. */
export type Wave = { readonly first: number; readonly count: number }

const walletsOf = ({ first, count }: Wave): readonly Address[] =>
  Array.from({ length: count }, (_, at) => walletNo(first + at))

const MAKE_DUE = `
UPDATE billing_subscriptions SET due_at = $2, next_charge_at = $2, current_period_end = $2,
  current_period_start = $2::timestamptz - interval '${PERIOD_DAYS} days', anchor = $2::timestamptz - interval '${PERIOD_DAYS} days'
WHERE subscriber_wallet = ANY ($1::text[])`

/** Moves the beginning of the second period of each subscriber to a moment. */
export const makeDue = ({ db }: Place, wave: Wave, at: Date): Promise<unknown> =>
  db.query(MAKE_DUE, [walletsOf(wave), at])

const BOOKED = `
SELECT count(*)::int AS booked
FROM charges JOIN billing_subscriptions subscription ON subscription.id = charges.subscription_id
WHERE subscriber_wallet = ANY ($1::text[]) AND charges.period_index = 1 AND charges.status = 'succeeded'`

/** Returns how many charges of the wave are final and booked. */
export async function countBooked({ db }: Place, wave: Wave): Promise<number> {
  const [row] = await db.query<{ booked: number }>(BOOKED, [walletsOf(wave)])
  return row?.booked ?? 0
}

/** A transaction as it was sent. */
export type SignedCharge = { readonly wire: Uint8Array }

const SIGNED = `
SELECT attempt.wire FROM transfer_attempts attempt JOIN transfers transfer ON transfer.id = attempt.transfer_id
WHERE transfer.source = ANY ($1::text[]) AND attempt.state = 'final_ok'`

/** Returns the transactions of the wave that landed. */
export const signedCharges = ({ db }: Place, wave: Wave): Promise<readonly SignedCharge[]> =>
  db.query<SignedCharge>(SIGNED, [walletsOf(wave)])
