// One payment on a toy chain with its people, and the invariants that hold after every flow.
import { type Address, type Asset, type MintFacts, type Network, type Signature, SOL } from '#core/chain/types.ts'
import type { IntentChange, IntentFacts, Payee } from '#core/payments/change.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { isReleased } from '#core/payments/transfers.ts'
import type { Token } from '#core/tokens/token.ts'
import type { ReleaseReason } from '#core/transfers/transfer.ts'
import type { HeldStore, Release } from '#ports/held.ts'
import { MERCHANT, MINT, pendingIntent } from '../support/example-intent.ts'
import { createMemoryStores } from '../support/memory-stores.ts'
import {
  addressNo,
  BUYER,
  context,
  FEE_PAYER,
  intentWith,
  later,
  MARKETPLACE,
  NOW,
  PAYEE,
  PLATFORM,
  TOKEN_PROGRAM,
  UNKNOWN_MINT,
  USDC,
} from '../support/payment.ts'
import { createToyChain, TOKEN_RENT, tokenAccountOf } from '../support/toy-chain.ts'
import { createBooks } from './books.ts'

/** A Token-2022 mint that withholds one percent of each transfer in the receiving account. */
export const FEE_MINT = addressNo(9_010)
const TOKEN_2022 = addressNo(9_011)
const FEE_TOKEN: Token = {
  ...USDC,
  asset: FEE_MINT,
  mint: FEE_MINT,
  ticker: 'FEE',
  feedKey: 'FEE',
  tokenProgram: TOKEN_2022,
  extensions: ['transfer-fee-config'],
}
/** The person that money of unknown origin is released to. */
export const OWNER = addressNo(9_012)
/** A program moves its lamports, so the sender is not known. */
export const VAULT = addressNo(9_013)
/** The wallets that a seller and its marketplace name while a payment is under way. */
export const NEW_PAYOUT = addressNo(9_014)
export const NEW_FEE_WALLET = addressNo(9_015)
/** It does not exist on the chain until something is paid into it. */
export const EMPTY_FEE_WALLET = addressNo(9_016)
export const SOURCE = pendingIntent.address
export const PEOPLE = {
  merchant: MERCHANT,
  buyer: BUYER,
  owner: OWNER,
  source: SOURCE,
  marketplace: MARKETPLACE,
  platform: PLATFORM,
  newPayout: NEW_PAYOUT,
  newFeeWallet: NEW_FEE_WALLET,
  emptyFeeWallet: EMPTY_FEE_WALLET,
}
/** Their wallets contain lamports at the beginning. */
const FUNDED: ReadonlySet<Address> = new Set(
  Object.values(PEOPLE).filter((owner) => owner !== SOURCE && owner !== EMPTY_FEE_WALLET),
)
const ASSETS: readonly (readonly [string, Asset])[] = [
  ['SOL', SOL],
  ['USDC', MINT],
  ['FEE', FEE_MINT],
  ['SPAM', UNKNOWN_MINT],
]
export const PLENTY = 10n ** 12n

/**
 * Creates the world. Deposits are found by reading balances, or in final blocks with `readsBlocks`. The service
 * `reconciles` where a test alters the ledger.
 */
export function createWorld(
  patch: Partial<PaymentIntent>,
  {
    readsBlocks = false,
    reconciles = false,
    payee = PAYEE,
  }: { readonly readsBlocks?: boolean; readonly reconciles?: boolean; readonly payee?: Payee } = {},
) {
  const toy = createToyChain(NOW)
  toy.mints.set(FEE_MINT, { program: TOKEN_2022, feeBps: 100n })
  const stores = createMemoryStores()
  stores.put(intentWith({ acceptedAssets: [SOL, MINT, FEE_MINT], expiresAt: later(86_400), ...patch }), [], payee)
  for (const wallet of [FEE_PAYER, VAULT, ...FUNDED]) toy.fund(wallet, PLENTY)
  for (const mint of [MINT, FEE_MINT, UNKNOWN_MINT]) {
    for (const wallet of [MERCHANT, BUYER, OWNER]) toy.fund(tokenAccountOf(wallet, mint), TOKEN_RENT)
    toy.fund(tokenAccountOf(BUYER, mint), PLENTY, mint, BUYER)
    for (const wallet of [MERCHANT, OWNER]) toy.fund(tokenAccountOf(wallet, mint), 0n, mint, wallet)
  }
  const tokens = new Map<Asset, Token>([...context().tokens, [FEE_MINT, FEE_TOKEN]])
  const releases: Release[] = []
  const facts = async (): Promise<IntentFacts> => {
    const known = await stores.intents.facts(pendingIntent.id)
    if (known === null) throw new Error('the payment does not exist')
    return known
  }
  const payments: Signature[] = []
  const spam: MintFacts = {
    mint: UNKNOWN_MINT,
    tokenProgram: TOKEN_PROGRAM,
    decimals: 6,
    extensions: [],
    active: [],
  }
  const world = {
    toy,
    spam,
    readsBlocks,
    reconciles,
    /** Transactions of people to the deposit address. */
    payments,
    pay(asset: Asset, amount: bigint, from: Address = BUYER) {
      payments.push(toy.pay(from, SOURCE, asset, amount, from === BUYER))
    },
    tokens,
    facts,
    /** Returns the payments that the service has neither stored as deposits nor recorded as unaccepted tokens. */
    async unknownPayments(): Promise<readonly Signature[]> {
      const known = new Set([...(await facts()).deposits, ...stores.unaccepted].map(({ signature }) => signature))
      return payments.filter((signature) => !known.has(signature))
    },
    records: stores,
    books: createBooks(stores),
    stores: {
      transfers: stores.transfers,
      intents: {
        ...stores.intents,
        async apply(change: IntentChange) {
          const applied = await stores.intents.apply(change)
          if (applied)
            for (const { key, reason } of change.releases) releases.push(await releaseOf(key, textOf(reason)))
          return applied
        },
      },
      held: {
        find: async () => ({ id: pendingIntent.id, network: 'live' as Network }),
        releases: async ({ asset }) => releases.filter((one) => one.asset === asset),
        senders: async () => [],
        planTokenReleases: () => Promise.reject(new Error('every token here has books')),
      } satisfies Pick<HeldStore, 'find' | 'senders' | 'releases' | 'planTokenReleases'>,
    },
    now: toy.now,
    /** The answers of the service to people, in order. */
    answers: [] as string[],
  }
  const textOf = (reason: ReleaseReason): string =>
    typeof reason === 'string' ? reason : (releases.find((one) => one.transferId === reason.sameAs)?.reason ?? '')
  const releaseOf = async (key: string, reason: string): Promise<Release> => {
    const transfer = (await facts()).transfers.find((one) => one.key === key)
    const leg = transfer?.legs.find(isReleased)
    if (transfer === undefined || leg === undefined) throw new Error('the release has no transfer')
    return {
      transferId: transfer.id,
      intentId: pendingIntent.id,
      intentIndex: pendingIntent.derivationIndex,
      network: transfer.network,
      asset: transfer.asset,
      sourceAccount: transfer.sourceAccount,
      round: transfer.round,
      amount: leg.amount,
      to: leg.destination,
      reason,
      releasedBy: 'operator',
      releasedAt: toy.now(),
      status: transfer.status,
      problem: transfer.reason,
      signature: transfer.signature,
    }
  }
  return world
}
export type World = ReturnType<typeof createWorld>

/** How a flow ended, as texts that can be compared. */
export type Ending = {
  readonly status: string
  /** The status events, in order. */
  readonly events: readonly string[]
  /** The other events, in no order. */
  readonly unordered?: readonly string[]
  /** `<kind> <status>`, sorted. */
  readonly transfers: readonly string[]
  /**
   * The change of each balance since the beginning, `<name> <asset>` to base units. Unchanged balances are left out.
   */
  readonly money: Readonly<Record<string, bigint>>
}

/** Events whose order relative to the status events depends on timing. */
const UNORDERED = new Set([
  'token_selected',
  'token_refund_updated',
  'late_payment',
  'held_released',
  'refund_address_proposed',
  'refund_address_approved',
  'settlement_updated',
])

export async function endingOf(world: World): Promise<Ending> {
  const { intent, transfers } = await world.facts()
  const money: Record<string, bigint> = {}
  for (const [name, owner] of Object.entries(PEOPLE))
    for (const [ticker, asset] of ASSETS) {
      const account = asset === SOL ? owner : tokenAccountOf(owner, asset)
      const hasAtFirst = asset === SOL ? FUNDED.has(owner) : name === 'buyer'
      const had = hasAtFirst ? PLENTY : 0n
      const delta = world.toy.balance(account, asset) - had
      if (delta !== 0n) money[`${name} ${ticker}`] = delta
    }
  const events = world.records.events.map(({ type }) => type.replace('intent.', ''))
  const unordered = events.filter((type) => UNORDERED.has(type)).sort()
  return {
    status: intent.status,
    events: events.filter((type) => !UNORDERED.has(type)),
    ...(unordered.length > 0 && { unordered }),
    transfers: transfers.map(({ kind, status }) => `${kind} ${status}`).sort(),
    money,
  }
}

/** Checks the invariants that hold however often instances died. Returns one sentence for each that is broken. */
export async function brokenPromises({
  toy,
  records: stores,
  facts,
  answers,
  books,
}: World): Promise<readonly string[]> {
  const { transfers, deposits } = await facts()
  const broken: string[] = []
  const must = (holds: boolean, sentence: string) => {
    if (!holds) broken.push(sentence)
  }
  const states = (transferId: string | null, state: string) =>
    stores.attempts.filter((one) => (transferId ?? one.transferId) === one.transferId && one.state === state).length
  for (const { id, status, key } of transfers)
    must(states(id, 'final_ok') === (status === 'done' && !wasGone(id) ? 1 : 0), `${key}: one final success`)
  function wasGone(id: string): boolean {
    return stores.attempts.every(({ transferId }) => transferId !== id)
  }
  const landed = toy.landed()
  must(
    landed.filter(({ error }) => error === null).length === states(null, 'final_ok'),
    'everything that landed was booked',
  )
  must(
    landed.length === states(null, 'final_ok') + states(null, 'final_err'),
    'everything that failed on chain was booked',
  )
  must(
    stores.attempts.every(({ state }) => ['final_ok', 'final_err', 'dead'].includes(state)),
    'no attempt is left open',
  )
  must(new Set(transfers.map(({ key }) => key)).size === transfers.length, 'one transfer for each key')
  must(
    deposits.every(({ signature }) => stores.ledger.some((one) => one.signature === signature)),
    'every deposit was booked',
  )
  must((await books.halts.open('live')).length === 0, 'nothing is halted any more')
  for (const about of ['sweep: ', 'release: '])
    must(new Set(answers.filter((answer) => answer.startsWith(about))).size <= 1, `every ${about}answers alike`)
  for (const [ticker, asset] of ASSETS) {
    const account = asset === SOL ? SOURCE : tokenAccountOf(SOURCE, asset)
    const booked = sum(stores.ledger.filter((one) => one.account === account && one.asset === asset))
    // A token that is not allowed never enters the ledger.
    const expected = asset === UNKNOWN_MINT ? 0n : toy.balance(account, asset)
    must(booked === expected, `ledger and chain agree about ${ticker}`)
  }
  const fees = sum(stores.ledger.filter(({ account, asset }) => account === FEE_PAYER && asset === SOL))
  must(fees === toy.balance(FEE_PAYER) - PLENTY, 'the ledger contains the costs of the fee payer')
  return broken
}

const sum = (entries: readonly { readonly delta: bigint }[]): bigint =>
  entries.reduce((total, { delta }) => total + delta, 0n)
