// The world before the first payment: the service's keys and fee payer, tokens, businesses, their receivers, prices.
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { createReceiptSigner } from '#adapters/solana/keys/receipt-signer.ts'
import { createSigner } from '#adapters/solana/transactions/signer.ts'
import { createStores, type Stores } from '#compose/stores.ts'
import { tenantOf } from '#core/accounts/account.ts'
import { SERVICE_ACTOR } from '#core/accounts/audit.ts'
import { makeAddress } from '#core/chain/base58.ts'
import { type Address, type Asset, SOL, WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import { makeBasisPoints, makeLamports } from '#core/money/amounts.ts'
import type { FeeTerms } from '#core/payments/decision-context.ts'
import { highestSolFee } from '#core/payments/settlement/settlement-plan.ts'
import type { Token } from '#core/tokens/token.ts'
import type { SpendBudget } from '#core/transfers/budget.ts'
import type { DepositKeys } from '#ports/chain.ts'
import type { WebhookSender } from '#ports/events.ts'
import { type BillingStage, setBillingStage } from './billing/billing-stage.ts'
import {
  clawbackMintData,
  holdingData,
  mintData,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from './chain/raw.ts'
import { createWallet, holdingPlace, type Wallet, type WorldMint } from './chain/wallets.ts'
import type { SimulatedDatabase } from './database.ts'
import { type Dice, seededRandom } from './dice.ts'
import { COMPUTE_UNIT_PRICE, NETWORK } from './instance-ports.ts'
import { addMarketplace, addSeller, type Payee } from './payees.ts'
import type { WorldPorts } from './ports.ts'
import { createFeeds } from './prices.ts'
import type { Ground } from './world.ts'

// The businesses' webhook receivers: they record the events, and do not always confirm them.

type Receivers = {
  readonly sender: WebhookSender
  /** Event ids, in the order in which they were first received, by endpoint. */
  readonly received: ReadonlyMap<string, readonly string[]>
}

const OK = { kind: 'answered', statusCode: 200, headers: {}, body: '' } as const

function createReceivers({ faults }: Ground): Receivers {
  const received = new Map<string, string[]>()
  return {
    received,
    sender: {
      async send({ url, headers }) {
        if (faults.strikes('webhook refused')) return { kind: 'answered', statusCode: 500, headers: {}, body: '' }
        const id = headers['webhook-id'] ?? ''
        const known = received.get(url) ?? []
        if (!known.includes(id)) received.set(url, [...known, id])
        return faults.strikes('webhook answer lost') ? { kind: 'unanswered', reason: 'timeout' } : OK
      },
    },
  }
}

const SOL_UNIT = 1_000_000_000n
/** The default of the setting. */
export const NETWORK_FEE = highestSolFee(COMPUTE_UNIT_PRICE)
const PLATFORM_FEE_BPS = 150
const MARKETPLACE_FEE_BPS = 500
/** The defaults of the settings. */
const REFUND_BUDGET: SpendBudget = {
  perSubject: makeLamports(20_000_000n),
  perHour: makeLamports(200_000_000n),
  perDay: makeLamports(1_000_000_000n),
}
/** Enough for the signatures of one token refund, but not of two. */
const TIGHT_FOR_A_PAYMENT = makeLamports(15_000n)
/** Enough for the signatures of two token refunds, but not of three. */
const TIGHT_FOR_AN_HOUR = makeLamports(25_000n)
/** Enough for the signatures of four token refunds, but not of five. */
const TIGHT_FOR_A_DAY = makeLamports(45_000n)

/** Whether refunds reach the budget of an hour or a day. All clocks agree then, so that the monitor knows the hour. */
export const isTightInTime = ({ perHour, perDay }: SpendBudget): boolean =>
  perHour < REFUND_BUDGET.perHour || perDay < REFUND_BUDGET.perDay

/** Whether refunds may reach a budget. */
export const isTight = (budget: SpendBudget): boolean =>
  isTightInTime(budget) || budget.perSubject < REFUND_BUDGET.perSubject

/** Tightens each limit in some seeds. */
function drawRefundBudget(dice: Dice): SpendBudget {
  return {
    perSubject: dice.stream('refund budget').chance(0.3) ? TIGHT_FOR_A_PAYMENT : REFUND_BUDGET.perSubject,
    perHour: dice.stream('refund budget of an hour').chance(0.3) ? TIGHT_FOR_AN_HOUR : REFUND_BUDGET.perHour,
    perDay: dice.stream('refund budget of a day').chance(0.2) ? TIGHT_FOR_A_DAY : REFUND_BUDGET.perDay,
  }
}

/** Strangers with a token of their own that is not on the allowlist. */
type Strangers = {
  /** Has every asset. */
  readonly rich: Wallet
  readonly others: readonly Wallet[]
  /** The richest stranger issues it, and may take it back. */
  readonly spam: WorldMint
}

export type Stage = {
  readonly stores: Stores
  readonly ports: WorldPorts
  readonly keys: DepositKeys
  readonly terms: FeeTerms
  readonly refundBudget: SpendBudget
  readonly feePayer: Address
  /** The lamports of the fee payer at the beginning. */
  readonly feePayerFunds: bigint
  /** Two marketplaces, and a seller of each. */
  readonly payees: readonly Payee[]
  /** Wallets that a payee may name next. */
  readonly spareWallets: Wallet[]
  /** The wallet to which the operator releases held money. */
  readonly vault: Wallet
  readonly buyers: readonly Wallet[]
  /** An exchange that pays for many buyers from one wallet. */
  readonly exchange: Wallet
  /** Wallets on the operator's list, to which nothing is returned automatically. */
  readonly custodians: ReadonlySet<Address>
  /** A relayer that pays the fees and rents of other payments. */
  readonly relayer: Wallet
  readonly strangers: Strangers
  /** The issuer, which freezes accounts. */
  readonly issuer: Wallet
  /** Accepted by businesses: SOL, a classic token, and two tokens of Token-2022, one with transfer fees. */
  readonly accepted: readonly Asset[]
  /** On the allowlist, but accepted by no business. */
  readonly allowedOnly: Asset
  readonly mints: ReadonlyMap<Asset, WorldMint>
  readonly receivers: Receivers
  /** null in a seed without subscriptions. */
  readonly billing: BillingStage | null
}

const TOKENS: readonly Omit<WorldMint, 'mint'>[] = [
  { ticker: 'USDC', program: TOKEN_PROGRAM, decimals: 6, transferFeeBps: null },
  { ticker: 'PYUSD', program: TOKEN_2022_PROGRAM, decimals: 9, transferFeeBps: null },
  { ticker: 'FEE', program: TOKEN_2022_PROGRAM, decimals: 4, transferFeeBps: 100 },
  { ticker: 'OTHER', program: TOKEN_PROGRAM, decimals: 6, transferFeeBps: null },
]
/** In whole tokens, that each buyer has of each token. */
const PURSE = 1_000_000n

/** `withSubscriptions`: also in a seed that draws no season. */
export async function setStage(
  ground: Ground,
  database: SimulatedDatabase,
  withSubscriptions: boolean,
): Promise<Stage> {
  const { chain } = ground
  const dice = ground.dice.stream('stage')
  const seed = dice.bytes(64)
  const keys = createDepositKeys(seed)
  const stores = createStores(database.db)
  const feePayer = keys.addressOf({ network: NETWORK, branch: 'fee_payer' })
  const feePayerFunds = ground.faults.strikes('fee payer empty') ? SOL_UNIT / 500n : 10n * SOL_UNIT
  const wallet = (lamports: bigint): Wallet => {
    const made = createWallet(dice)
    chain.found(made.address, { lamports, owner: SYSTEM_PROGRAM, data: new Uint8Array() })
    return made
  }
  chain.found(feePayer, { lamports: feePayerFunds, owner: SYSTEM_PROGRAM, data: new Uint8Array() })
  const issuer = wallet(100n * SOL_UNIT)
  const buyers = Array.from({ length: 6 }, () => wallet(1_000n * SOL_UNIT))
  const exchange = wallet(1_000n * SOL_UNIT)
  const custodians = dice.chance(0.6) ? [exchange.address] : []
  await stores.custodians.save(custodians.map((address) => ({ network: NETWORK, address, label: 'Exchange' })))
  const strangers = makeStrangers(ground, wallet, dice)
  const holders = [...buyers, exchange, strangers.rich]
  const mints = makeMints(ground, issuer, holders, dice.stream('mints'))
  const [usdc, pyusd, fee, other] = [...mints.keys()]
  if (usdc === undefined || pyusd === undefined || fee === undefined || other === undefined)
    throw new Error('no tokens')
  for (const token of tokensOf(mints)) await stores.tokens.save(token)
  const receivers = createReceivers(ground)
  // Some wallets are empty at first: a small payment must not leave them below the rent minimum.
  const receiving = (): Wallet => (dice.chance(0.5) ? createWallet(dice) : wallet(SOL_UNIT))
  const platformWallet = dice.chance(0.7) ? receiving().address : null
  const tolerances = dice.stream('tolerances')
  const shop = await openShop(stores, wallet(SOL_UNIT), dice, tolerances)
  const secondShop = await openShop(stores, receiving(), dice, tolerances)
  const seller = await openSeller(database.db, shop, receiving(), dice.chance(0.5) ? receiving().address : null, dice)
  // An empty wallet cannot take a small cut.
  const feeWallet = createWallet(dice.stream('fee wallet')).address
  const otherSeller = await openSeller(database.db, secondShop, receiving(), feeWallet, dice.stream('other seller'))
  const delegate = keys.addressOf({ network: NETWORK, branch: 'delegate' })
  const billing = await setBillingStage(ground, stores, { issuer, platformWallet, delegate }, withSubscriptions)
  return {
    stores,
    billing,
    keys,
    feePayer,
    feePayerFunds,
    payees: [shop, secondShop, seller, otherSeller],
    spareWallets: Array.from({ length: 4 }, receiving),
    vault: wallet(SOL_UNIT),
    buyers,
    exchange,
    custodians: new Set(custodians),
    relayer: wallet(1_000n * SOL_UNIT),
    strangers,
    issuer,
    accepted: [SOL, usdc, pyusd, fee],
    allowedOnly: other,
    mints,
    receivers,
    terms: {
      platformFeeBps: makeBasisPoints(PLATFORM_FEE_BPS),
      platformWallet,
      networkFee: NETWORK_FEE,
      computeUnitPrice: COMPUTE_UNIT_PRICE,
      feePayer,
    },
    refundBudget: drawRefundBudget(dice),
    ports: {
      ...stores,
      signer: createSigner(seed),
      receiptSigner: createReceiptSigner(seed, 2),
      sender: receivers.sender,
      feeds: createFeeds(ground),
    },
  }
}

const OPENING = { actor: SERVICE_ACTOR, at: new Date(0) }

async function openShop(stores: Stores, wallet: Wallet, dice: Dice, tolerances: Dice): Promise<Payee> {
  const { uuid } = seededRandom(dice)
  const account = await stores.accounts.open(
    { id: uuid(), network: NETWORK, name: 'Corner Shop', label: null, sweepDestination: wallet.address },
    { id: uuid(), hash: dice.bytes(32), hint: '0000', name: 'First key', scopes: ['payments'] },
    `https://shop.example/${uuid()}/${uuid()}`,
    OPENING,
  )
  const toleranceBps = tolerances.pick([0, 0, 100, 500])
  await stores.accounts.update(account.id, { underpaymentToleranceBps: makeBasisPoints(toleranceBps) }, OPENING)
  return { accountId: account.id, caller: tenantOf(account), toleranceBps, terms: null, wallets: [wallet] }
}

async function openSeller(
  db: SimulatedDatabase['db'],
  marketplace: Payee,
  wallet: Wallet,
  feeWallet: Address | null,
  dice: Dice,
): Promise<Payee> {
  const id = seededRandom(dice).uuid()
  const feeBps = dice.pick([null, 0, 10, 250, 3_333])
  await addMarketplace(db, marketplace.accountId, { feeBps: MARKETPLACE_FEE_BPS, feeWallet })
  await addSeller(db, { id, marketplaceId: marketplace.accountId, destination: wallet.address, feeBps })
  const terms = { feeBps: feeBps ?? MARKETPLACE_FEE_BPS, feeWallet }
  const { caller, toleranceBps } = marketplace
  return { accountId: id, caller, toleranceBps, terms, wallets: [wallet] }
}

function makeStrangers({ chain }: Ground, wallet: (lamports: bigint) => Wallet, dice: Dice): Strangers {
  const rich = wallet(1_000n * SOL_UNIT)
  const { address: mint } = createWallet(dice)
  const spam: WorldMint = { ticker: 'SPAM', mint, program: TOKEN_2022_PROGRAM, decimals: 0, transferFeeBps: null }
  const data = clawbackMintData(rich.address, spam.decimals)
  chain.found(mint, { lamports: chain.rentOf(BigInt(data.length)), owner: spam.program, data })
  return { rich, others: Array.from({ length: 5 }, () => wallet(SOL_UNIT)), spam }
}

function makeMints(
  { chain }: Ground,
  issuer: Wallet,
  holders: readonly Wallet[],
  dice: Ground['dice'],
): ReadonlyMap<Asset, WorldMint> {
  const mints = new Map<Asset, WorldMint>()
  for (const token of TOKENS) {
    const { address: mint } = createWallet(dice)
    const one: WorldMint = { ...token, mint }
    const { program, decimals, transferFeeBps } = one
    const data = mintData(issuer.address, decimals, transferFeeBps)
    chain.found(mint, { lamports: chain.rentOf(BigInt(data.length)), owner: program, data })
    for (const { address: owner } of holders) {
      const held = holdingData({ mint, owner, amount: PURSE * 10n ** BigInt(decimals) }, transferFeeBps !== null)
      chain.found(holdingPlace(owner, one), { lamports: chain.rentOf(BigInt(held.length)), owner: program, data: held })
    }
    mints.set(mint, one)
  }
  return mints
}

function tokensOf(mints: ReadonlyMap<Asset, WorldMint>): readonly Token[] {
  const common = { network: NETWORK, imageName: null, enabled: true } as const
  const tokens = [...mints.values()].map(
    ({ ticker, mint, program, decimals, transferFeeBps }): Token => ({
      ...common,
      asset: mint,
      mint,
      isNative: false,
      name: ticker,
      ticker,
      decimals,
      tokenProgram: program,
      extensions: transferFeeBps === null ? [] : ['transfer-fee-config'],
      feedKey: ticker,
    }),
  )
  const native = {
    asset: SOL,
    mint: makeAddress(WRAPPED_SOL_MINT),
    isNative: true,
    name: 'Solana',
    ticker: 'SOL',
  } as const
  return [{ ...common, ...native, decimals: 9, tokenProgram: null, extensions: [], feedKey: 'SOL' }, ...tokens]
}
