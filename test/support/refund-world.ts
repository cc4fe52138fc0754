// A business with settled payments on a real database, the REST interface over the real services of refunds, and a chain on which a
// test makes wallets do anything.
import { randomBytes, randomUUID } from 'node:crypto'
import { generateKeyPairSigner } from '@solana/kit'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createIntentWorkStore } from '#adapters/prisma/payments/change-store.ts'
import { createDepositAddressStore } from '#adapters/prisma/payments/lookup.ts'
import { createRefundStore, createRefundWorkStore } from '#adapters/prisma/refunds/refund-store.ts'
import { createTenantReads } from '#adapters/prisma/tenant-reads.ts'
import { walletTransactions } from '#adapters/solana/transactions/wallet-transactions.ts'
import { tenantOf } from '#core/accounts/account.ts'
import { makeAddress, makeBlockhash } from '#core/chain/base58.ts'
import {
  type AccountState,
  type Address,
  type Asset,
  type ObservedTransaction,
  type Signature,
  SOL,
} from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { makeLamports, makeUsdCents } from '#core/money/amounts.ts'
import type { Sender } from '#core/payments/payment-intent.ts'
import type { LegRole } from '#core/payments/transfers.ts'
import { CLOSING_SLOTS } from '#core/refunds/refund.ts'
import type { HistoryPage } from '#ports/chain.ts'
import { createJudgeSweepDestination } from '#services/accounts/sweep-destination.ts'
import { createLookDue } from '#services/refunds/look.ts'
import { createRefundServices, type RefundDeps } from '#services/refunds/refunds.ts'
import { pendingIntent } from './example-intent.ts'
import type { Life } from './mortal.ts'
import { addressNo, choice, deposit, landed, NOW, signatureNo, TOKEN_PROGRAM, USDC, units } from './payment.ts'
import { API_KEY, startTestService, withKey } from './services.ts'
import { addIntent, nextNumber, patchIntent, storesOf } from './stores.ts'

export const wallet = async (): Promise<Address> => makeAddress((await generateKeyPairSigner()).address)

const PAGE = 100
/** In lamports. An account has 128 bytes besides its data. */
export const RENT_OF_BYTE = 5_080
const SLOT_MS = 200n
export const CLOSING_MS = Number(CLOSING_SLOTS * SLOT_MS)

type Move = { readonly from: Address; readonly to: Address; readonly amount: bigint; readonly asset?: Asset }

export type RefundWorld = Awaited<ReturnType<typeof createRefundWorld>>

export async function createRefundWorld(db: Database) {
  const business = { id: pendingIntent.accountId, network: 'live' } as const
  const tenant = tenantOf(business)
  const stores = storesOf(db)
  const [payout, feeWallet] = [await wallet(), await wallet()]
  await db.query(
    `INSERT INTO accounts (id, network, name, sweep_destination, updated_at) VALUES ($1, 'live', 'Corner Shop', $2, now())`,
    [business.id, payout],
  )
  let now = NOW.getTime()
  let away = false
  let chainLag = 0
  let providerLag = 0
  let halted = 0
  let firstSlot = 0n
  const custodians = new Map<Address, string>()
  const states = new Map<Address, AccountState>()
  const history: { readonly transaction: ObservedTransaction; readonly names: readonly Address[] }[] = []
  let calls = 0
  const chainNow = () => now - chainLag
  const slotOf = (time: number) => 1_000_000n + BigInt(time - halted - NOW.getTime()) / SLOT_MS
  const slotNow = () => slotOf(chainNow())
  const require = () => {
    calls += 1
    if (away) throw new ServiceError('chain_unavailable')
  }
  const chain: ReturnType<RefundDeps['chainOf']> = {
    async signatures(account, { before = null, until = null, covers }): Promise<HistoryPage> {
      require()
      const newest = slotOf(chainNow() - providerLag)
      if (covers !== undefined && (covers.upTo > newest || (covers.from ?? 0n) < firstSlot))
        throw new ServiceError('chain_unavailable')
      const all = history
        .filter(({ names, transaction }) => names.includes(account) && transaction.slot <= newest)
        .toReversed()
      const entries = all.map(({ transaction: { signature, slot, error } }) => ({
        signature,
        slot,
        failed: error !== null,
      }))
      const start = before === null ? 0 : entries.findIndex(({ signature }) => signature === before) + 1
      const end = until === null ? entries.length : entries.findIndex(({ signature }) => signature === until)
      const page = entries.slice(start, end < 0 ? entries.length : end)
      return { entries: page.slice(0, PAGE), next: page.length > PAGE ? (page[PAGE - 1]?.signature ?? null) : null }
    },
    async transaction(signature) {
      require()
      return history.find(({ transaction }) => transaction.signature === signature)?.transaction ?? null
    },
    async blockTime() {
      require()
      return { slot: slotNow(), time: new Date(chainNow()) }
    },
    async readAccounts(accounts) {
      require()
      return { slot: slotNow(), states: accounts.map((account) => states.get(account) ?? null) }
    },
    async minimumBalance(bytes) {
      require()
      return makeLamports((128 + bytes) * RENT_OF_BYTE)
    },
    async lifetime() {
      require()
      return { blockhash: makeBlockhash(addressNo(9_009)), lastValidBlockHeight: 1_150n }
    },
    slotMs: () => 200,
  }
  const { slotMs: _, ...asynchronous } = chain
  const clock = { now: () => new Date(now) }
  const refundWork = createRefundWorkStore(db)
  const deps: RefundDeps = {
    refunds: createRefundStore(db),
    refundWork,
    work: createIntentWorkStore(db),
    directory: {
      tokens: async () => new Map<Asset, typeof USDC>([[USDC.asset, USDC]]),
      custodians: async () => custodians,
    },
    keys: { tokenAccountOf: async (owner) => tokenAccountOf(owner) },
    walletTransactions,
    judgeRecipient: createJudgeSweepDestination(
      { live: { chain, feePayer: addressNo(9_008) }, test: null },
      createDepositAddressStore(db),
      'to',
      'recipient',
    ),
    random: { uuid: randomUUID, bytes: (length) => randomBytes(length) },
    chainOf: () => chain,
    clock,
  }
  const errors: unknown[] = []
  const lookDue = createLookDue({ ...deps, onError: (error) => void errors.push(error) })
  const service = await startTestService({
    services: { refunds: createRefundServices(deps) },
    reads: createTenantReads(db.prisma),
  })

  type Settling = {
    readonly asset?: Asset
    readonly amount?: bigint
    readonly senders?: readonly Sender[]
    readonly sellerId?: string
    /** The roles of the legs, with their amounts: all to the business when left out. */
    readonly legs?: readonly (readonly [LegRole, bigint])[]
  }
  return {
    db,
    service,
    tenant,
    payout,
    feeWallet,
    custodians,
    states,
    errors,
    refunds: deps.refunds,
    refundWork,
    get calls() {
      return calls
    },
    setAway(is: boolean): void {
      away = is
    },
    /** Sets how long the newest final block is behind the time of the service. */
    setChainLag(ms: number): void {
      chainLag = ms
    },
    /** Sets how long the provider that lists transactions is behind the chain. */
    setProviderLag(ms: number): void {
      providerLag = ms
    },
    pass(ms: number): void {
      now += ms
    },
    /** Lets time pass, and then as many slots as a refund whose time is over waits for. */
    async passEnd(ms: number) {
      now += ms
      await this.lookDue()
      now += CLOSING_MS
    },
    /** Lets time pass in which the chain stands still. Its clock is right at once when it goes on. */
    halt(ms: number): void {
      now += ms
      halted += ms
    },
    /** From now on the provider has no older block than the newest one. */
    forgetBlocks(): void {
      firstSlot = slotNow()
    },
    close: () => service.close(),
    /** Returns an instance of the service whose every call of a port is one of this life. */
    instance(life: Life) {
      const own: RefundDeps = {
        ...deps,
        refunds: life.wrap(deps.refunds),
        refundWork: life.wrap(deps.refundWork),
        work: life.wrap(deps.work),
        chainOf: () => ({ ...life.wrap(asynchronous), slotMs: chain.slotMs }),
      }
      return { refunds: createRefundServices(own), look: createLookDue({ ...own, onError: () => {} }) }
    },
    /** Runs rounds of the worker until nothing is due. */
    async lookDue() {
      while ((await refundWork.due('live', clock.now(), 1)).length > 0) await lookDue('live')
    },

    /** Makes the business a marketplace, and returns the id of a seller and its wallet. */
    async addSeller() {
      const id = randomUUID()
      const sellerWallet = await wallet()
      await db.query(
        `INSERT INTO marketplaces (account_id, fee_wallet, updated_at) VALUES ($1, $2, now()) ON CONFLICT DO NOTHING`,
        [business.id, feeWallet],
      )
      await db.query(
        `INSERT INTO accounts (id, network, name, marketplace_account_id, sweep_destination, updated_at)
         VALUES ($1, 'live', 'Seller', $2, $3, now())`,
        [id, business.id, sellerWallet],
      )
      return { id, wallet: sellerWallet }
    },

    /** Stores a swept payment of 25 dollars. */
    async settled({ asset = SOL, amount = 1_000_000_000n, senders, sellerId, legs }: Settling = {}) {
      const buyer = await wallet()
      const intent = await addIntent(stores, tenant, sellerId === undefined ? {} : { accountId: sellerId })
      const signature = signatureNo(50_000 + nextNumber())
      const to = sellerId === undefined ? 'merchant' : 'seller'
      const parts = legs ?? [[to, amount] as const]
      const change = await patchIntent(stores.work, intent, {
        status: 'swept',
        selection: choice(asset, amount),
        received: units(amount),
        settlement: {
          asset: 'SOL',
          decimals: 9,
          destinationAmount: units(0n),
          platformFeeAmount: units(0n),
          pendingAmount: units(0n),
          signatures: [signature],
          legs: parts.map(([role, part]) => ({
            role,
            destination: payout,
            mint: asset === SOL ? null : asset,
            asset: 'SOL',
            decimals: 9,
            amount: units(part),
            feeBps: null,
            signature,
          })),
        },
      })
      const paid = deposit(nextNumber(), amount, {
        intentId: intent.id,
        asset,
        account: intent.address,
        signature,
        senders: senders ?? [{ address: buyer, amount: units(amount) }],
      })
      await stores.work.apply({
        before: change,
        after: { ...change, version: change.version + 1 },
        events: [],
        deposits: [paid],
        ledger: [],
        transfers: [],
        releases: [],
        outcome: null,
        statusOverride: null,
      })
      return { id: intent.id, buyer, amount }
    },

    create: (body: object, headers: Record<string, string> = {}) =>
      service.post('/refunds', body, { ...withKey(API_KEY), ...headers }),
    get: (path: string) => service.get(path, withKey(API_KEY)),
    cancel: (id: string) => service.post(`/refunds/${id}/cancel`, {}, withKey(API_KEY)),

    /** Lands a transaction that names these keys, and moves this. */
    land(names: readonly string[], moves: readonly Move[], error: string | null = null): Signature {
      const signature = signatureNo(70_000 + nextNumber())
      const transaction = landed({
        signature,
        slot: slotNow(),
        error,
        // The moves leave it out.
        fee: makeLamports(0),
        accounts: names.map(makeAddress),
        feePayer: moves[0]?.from ?? payout,
        moves:
          error === null
            ? moves.flatMap(({ from, to, amount, asset = SOL }) => [
                { account: from, owner: from, asset, delta: -amount },
                { account: asset === SOL ? to : tokenAccountOf(to), owner: to, asset, delta: amount },
              ])
            : [],
      })
      history.push({ transaction, names: names.map(makeAddress) })
      return signature
    },
  }
}

/** Any address that belongs to a wallet. */
export const tokenAccountOf = (owner: Address): Address => {
  const number = [...owner].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_000, 7)
  return addressNo(200_000 + number)
}

export const PRICE_CENTS = makeUsdCents(2_500)
export { TOKEN_PROGRAM, USDC }
