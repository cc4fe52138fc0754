// Settled payments with their receipts and with the transactions that the chain has of them, for property tests.
import fc from 'fast-check'
import type { Address, Asset } from '#core/chain/types.ts'
import { SOL } from '#core/chain/types.ts'
import { makeUsdCents } from '#core/money/amounts.ts'
import { usdCentsToBaseUnits } from '#core/money/conversion.ts'
import { agreePrice, decimalText, isPriceRefusal } from '#core/money/price.ts'
import type { IntentFacts } from '#core/payments/change.ts'
import { mintOf } from '#core/payments/returns/asset-books.ts'
import { settlementOf } from '#core/payments/settlement/figures.ts'
import type { PaymentTransfer } from '#core/payments/transfers.ts'
import { type ReceiptOf, receiptOfPayment, receiptOfRefund } from '#core/receipts/receipt.ts'
import type { PaymentReceipt, RefundReceipt } from '#core/receipts/shape.ts'
import type { RefundTransaction } from '#core/refunds/refund.ts'
import type { LandedTransaction } from '../../sdk/src/cli/receipt-on-chain.ts'
import { MERCHANT, MINT, pendingIntent } from './example-intent.ts'
import { exampleRefund } from './example-refund.ts'
import {
  accountFor,
  addressNo,
  BUYER,
  deposit,
  FEE_PAYER,
  factsWith,
  intentWith,
  leg,
  MARKETPLACE,
  NOW,
  PLATFORM,
  SOL_TOKEN,
  signatureNo,
  sweepOf,
  USDC,
  units,
} from './payment.ts'

export const GENESIS = 'genesis-of-the-test'
export const ISSUER: ReceiptOf = {
  iss: 'https://pay.example.com',
  business: { id: pendingIntent.callerAccountId, name: 'Corner Market' },
  seller: { id: pendingIntent.accountId, name: 'Corner Shop' },
  genesisHashOf: () => GENESIS,
}

const SECOND_BUYER = addressNo(9_101)

type Settled = {
  readonly asset: Asset
  readonly cents: number
  /** Hundredths of a dollar. */
  readonly prices: readonly number[]
  readonly excess: bigint
  readonly late: bigint
  readonly isReturned: boolean
  readonly cutBps: number
  /** What the mint keeps of each transfer. */
  readonly keptBps: number
}

const anySettled: fc.Arbitrary<Settled> = fc.record({
  asset: fc.constantFrom<Asset>(SOL, MINT),
  cents: fc.integer({ min: 500, max: 10_000_000 }),
  prices: fc
    .tuple(fc.integer({ min: 10_000, max: 50_000 }), fc.array(fc.integer({ min: -50, max: 50 }), { maxLength: 2 }))
    .map(([first, others]) => [first, ...others.map((by) => first + by)]),
  excess: fc.bigInt({ min: 0n, max: 10n ** 9n }),
  late: fc.bigInt({ min: 0n, max: 10n ** 9n }),
  isReturned: fc.boolean(),
  cutBps: fc.integer({ min: 0, max: 2_000 }),
  keptBps: fc.constantFrom(0, 100),
})

export type Receipted = {
  /** From which the receipt was made. */
  readonly facts: IntentFacts
  readonly receipt: PaymentReceipt
  readonly transactions: ReadonlyMap<string, LandedTransaction>
}

/** A payment for a seller by two deposits, with an excess, and with late money that has gone back or is still there. */
export const anyReceipted: fc.Arbitrary<Receipted> = anySettled.map(receipted)

function receipted({ asset, cents, prices, excess, late, isReturned, cutBps, keptBps }: Settled): Receipted {
  const token = asset === SOL ? SOL_TOKEN : USDC
  const observed = prices.map((price, at) => ({
    mantissa: BigInt(price),
    exponent: -2,
    source: `source-${at}`,
    publishedAt: NOW,
  }))
  const price = agreePrice(observed, { now: NOW, configured: prices.length })
  if (isPriceRefusal(price)) throw new Error(price.refused)
  const expected = usdCentsToBaseUnits(makeUsdCents(cents), price, token.decimals)
  if (typeof expected !== 'bigint') throw new Error(expected.refused)
  const first = expected / 3n
  const cut = (expected * BigInt(cutBps)) / 10_000n
  const platform = expected / 100n
  const networkFee = asset === SOL ? 5_000n : 0n
  const deposits = [
    deposit(1, first, { asset }),
    deposit(2, expected - first + excess, { asset, senders: [{ address: SECOND_BUYER, amount: units(1n) }] }),
    ...(late === 0n ? [] : [deposit(3, late, { asset, use: 'late' })]),
  ].filter(({ amount }) => amount > 0n)
  const transfer = (number: number, patch: Partial<PaymentTransfer>): PaymentTransfer => {
    const legs = (patch.legs ?? []).filter(({ amount }) => amount > 0n)
    const moved = legs.map(({ amount }) => units(amount - (asset === SOL ? 0n : (amount * BigInt(keptBps)) / 10_000n)))
    const { decimals } = token
    return sweepOf({ ...patch, asset, decimals, legs, moved, status: 'done', signature: signatureNo(number) })
  }
  const sweep = transfer(10, {
    legs: [
      leg('seller', MERCHANT, expected - cut - platform - networkFee),
      leg('marketplace', MARKETPLACE, cut, cutBps),
      leg('platform', PLATFORM, platform, 100),
      leg('network_fee', FEE_PAYER, networkFee),
      leg('refund', SECOND_BUYER, excess),
    ],
  })
  const refund = transfer(11, { kind: 'refund', legs: [leg('refund', BUYER, late)] })
  const transfers = [sweep, ...(isReturned && late > 0n ? [refund] : [])]
  const intent = intentWith({
    priceUsdCents: makeUsdCents(cents),
    status: 'swept',
    selection: {
      asset,
      decimals: token.decimals,
      expected,
      rate: {
        usd: decimalText(price),
        sources: observed.map((one) => ({ name: one.source, usd: decimalText(one), at: one.publishedAt })),
      },
    },
    settlement: settlementOf(
      sweep,
      sweep.legs.map(({ amount }, at) => sweep.moved[at] ?? amount),
      signatureNo(10),
      token,
    ),
  })
  const facts = factsWith(intent, { deposits, transfers })
  const receipt = receiptOfPayment(facts, ISSUER)
  if (receipt === null) throw new Error('it has settled')
  const mint = mintOf(asset)
  const arrivals = deposits.map(({ signature, slot, amount, account, senders }) => {
    const sender = senders[0]?.address ?? BUYER
    return landed({
      signature,
      slot,
      feePayer: sender,
      changes: [
        { account: mint === null ? sender : addressNo(9_200), owner: sender, mint, by: -amount },
        { account, owner: pendingIntent.address, mint, by: amount },
      ],
    })
  })
  const departures = transfers.map(({ signature, legs, moved }) =>
    landed({
      signature: signature ?? '',
      slot: 2_000n,
      feePayer: FEE_PAYER,
      changes: [
        {
          account: accountFor(asset),
          owner: pendingIntent.address,
          mint,
          by: -legs.reduce((sum, one) => sum + one.amount, 0n),
        },
        ...legs.map(({ destination, amount }, number) => ({
          account: mint === null ? destination : addressNo(9_300 + number),
          owner: destination,
          mint,
          by: moved[number] ?? amount,
        })),
      ],
    }),
  )
  return { facts, receipt, transactions: new Map([...arrivals, ...departures]) }
}

export type Refunded = {
  readonly receipt: RefundReceipt
  readonly transactions: ReadonlyMap<string, LandedTransaction>
}

/** A refund that one to three transactions have paid, the last of them also another refund to the same buyer. */
export const anyRefunded: fc.Arbitrary<Refunded> = fc
  .record({
    asset: fc.constantFrom<Asset>(SOL, MINT),
    parts: fc.array(fc.bigInt({ min: 1n, max: 10n ** 12n }), { minLength: 1, maxLength: 3 }),
    excess: fc.bigInt({ min: 0n, max: 1_000n }),
    other: fc.bigInt({ min: 0n, max: 1_000n }),
  })
  .map(({ asset, parts, excess, other }) => {
    const paid = parts.map(
      (part, at): RefundTransaction => ({
        refundId: exampleRefund.id,
        signature: signatureNo(500 + at),
        slot: 3_000n + BigInt(at),
        amount: units(at === 0 ? part + excess : part),
        paidBy: MERCHANT,
      }),
    )
    const amount = units(parts.reduce((sum, one) => sum + one))
    const paidAmount = units(amount + excess)
    const refund = { ...exampleRefund, asset, amount, paidAmount, recipient: BUYER, status: 'succeeded' as const }
    const receipt = receiptOfRefund(refund, paid, ISSUER)
    if (receipt === null) throw new Error('it has succeeded')
    const mint = mintOf(asset)
    const transactions = paid.map(({ signature, slot, amount: part }, at) => {
      const by = at === parts.length - 1 ? part + other : part
      return landed({
        signature,
        slot,
        feePayer: FEE_PAYER,
        names: [refund.referenceKey],
        changes: [
          { account: mint === null ? MERCHANT : addressNo(9_400), owner: MERCHANT, mint, by: -by },
          { account: mint === null ? BUYER : addressNo(9_401), owner: BUYER, mint, by },
        ],
      })
    })
    return { receipt, transactions: new Map(transactions) }
  })

type Moves = {
  readonly names?: readonly Address[]
  readonly signature: string
  readonly slot: bigint
  readonly feePayer: Address
  readonly changes: readonly {
    readonly account: string
    readonly owner: string
    readonly mint: string | null
    readonly by: bigint
  }[]
}

const FEE = 5_000n
const PLENTY = 10n ** 18n

/** Returns a transaction as a provider shows it. */
export function landed({ signature, slot, feePayer, changes, names = [] }: Moves): [string, LandedTransaction] {
  const accounts = [...new Set([feePayer, ...changes.map(({ account }) => account), ...names])]
  const lamportsOf = (account: string): bigint =>
    changes.reduce((sum, one) => (one.mint === null && one.account === account ? sum + one.by : sum), 0n)
  const tokens = changes.flatMap(({ account, owner, mint, by }) =>
    mint === null ? [] : [{ accountIndex: accounts.indexOf(account), owner, mint, by }],
  )
  const balances = (isAfter: boolean) =>
    tokens.map(({ by, ...one }) => ({ ...one, uiTokenAmount: { amount: String(PLENTY + (isAfter ? by : 0n)) } }))
  return [
    signature,
    {
      slot: Number(slot),
      blockTime: NOW.getTime() / 1_000,
      transaction: { message: { accountKeys: accounts, header: { numRequiredSignatures: 1 } } },
      meta: {
        err: null,
        preBalances: accounts.map(() => String(PLENTY)),
        postBalances: accounts.map((account) =>
          String(PLENTY + lamportsOf(account) - (account === feePayer ? FEE : 0n)),
        ),
        preTokenBalances: balances(false),
        postTokenBalances: balances(true),
      },
    },
  ]
}

/** A leaf of a receipt: where it is, and what it says. */
export type Leaf = { readonly path: string; readonly value: string | number | null }

export function leavesOf(value: unknown, path = ''): readonly Leaf[] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, one]) => leavesOf(one, path === '' ? name : `${path}.${name}`))
  if (typeof value === 'string' || typeof value === 'number' || value === null) return [{ path, value }]
  throw new Error(`no leaf: ${String(value)}`)
}

/** Returns a copy with another value at a path. */
export function changed<T>(receipt: T, path: string, value: unknown): T {
  const copy = structuredClone(receipt)
  const names = path.split('.')
  const last = names.pop() ?? ''
  let holder: Record<string, unknown> = Object(copy)
  for (const name of names) holder = Object(holder[name])
  holder[last] = value
  return copy
}
