// Arbitrary payment intents that the type allows, for property tests.

import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import { makeAddress, makeSignature } from '#core/chain/base58.ts'
import { type Asset, NETWORKS, SOL } from '#core/chain/types.ts'
import { MAX_U64, makeBaseUnits, makeBasisPoints, makeUsdCents } from '#core/money/amounts.ts'
import {
  LATE_PAYMENT_STATUSES,
  PROPOSAL_STATUSES,
  type Settlement,
  TOKEN_REFUND_STATUSES,
} from '#core/payments/intent-values.ts'
import { INTENT_STATUSES, type PaymentIntent } from '#core/payments/payment-intent.ts'
import { LEG_ROLES } from '#core/payments/transfers.ts'

const BASE58 = [...'123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz']
const base58 = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...BASE58), minLength, maxLength })

const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
/** No lone surrogates and no NUL: PostgreSQL cannot store them, so input validation refuses both. */
const text = fc
  .string({ unit: 'binary', maxLength: 40 })
  .filter((value) => value.isWellFormed() && !value.includes('\0'))

const anyAddress = base58(32, 44).map(makeAddress)
const anySignature = base58(64, 88).map(makeSignature)
const anyAsset: fc.Arbitrary<Asset> = fc.oneof(fc.constant<typeof SOL>(SOL), anyAddress)
const anyBaseUnits = fc
  .oneof(fc.bigInt({ min: 0n, max: MAX_U64 }), fc.constantFrom(0n, 1n, 2n ** 53n + 1n, MAX_U64))
  .map(makeBaseUnits)
const anyDate = fc.date({ noInvalidDate: true })
const anyDecimals = fc.integer({ min: 0, max: 255 })
const anyRate = orNull(
  fc.record({ usd: text, sources: fc.array(fc.record({ name: text, usd: text, at: anyDate }), { maxLength: 3 }) }),
)

const anySettlement: fc.Arbitrary<Settlement> = fc.record({
  asset: text,
  decimals: anyDecimals,
  destinationAmount: anyBaseUnits,
  platformFeeAmount: anyBaseUnits,
  pendingAmount: anyBaseUnits,
  signatures: fc.array(anySignature, { maxLength: 3 }),
  legs: fc.array(
    fc.record({
      role: fc.constantFrom(...LEG_ROLES),
      destination: anyAddress,
      mint: orNull(anyAddress),
      asset: text,
      decimals: anyDecimals,
      amount: anyBaseUnits,
      feeBps: orNull(fc.integer({ min: 0, max: 10_000 })),
      signature: anySignature,
    }),
    { maxLength: 4 },
  ),
})

const anyCustomer = fc.record(
  {
    first_name: text,
    last_name: text,
    email: text,
    address: fc.record(
      { line1: text, line2: text, city: text, state: text, postal_code: text, country: text },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
)

const anySignatures = fc.array(anySignature, { maxLength: 3 })
const anyRefund = orNull(fc.record({ amount: anyBaseUnits, signatures: anySignatures }))
const anyCount = fc.integer({ min: 1 })
const anyListTotal = orNull(
  fc.record({
    count: anyCount,
    totals: fc.array(fc.record({ mint: orNull(anyAddress), amount: anyBaseUnits, count: anyCount }), { maxLength: 3 }),
  }),
)

const anyFields: fc.Arbitrary<PaymentIntent> = fc.record({
  id: fc.uuid(),
  network: fc.constantFrom(...NETWORKS),
  accountId: fc.uuid(),
  callerAccountId: fc.uuid(),
  derivationIndex: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  address: anyAddress,
  priceUsdCents: fc.bigInt({ min: 1n, max: BigInt(Number.MAX_SAFE_INTEGER) }).map(makeUsdCents),
  acceptedAssets: fc.array(anyAsset, { minLength: 1, maxLength: 4 }),
  selection: orNull(fc.record({ asset: anyAsset, decimals: anyDecimals, expected: anyBaseUnits, rate: anyRate })),
  received: anyBaseUnits,
  status: fc.constantFrom(...INTENT_STATUSES),
  statusReason: orNull(text),
  reference: orNull(text),
  expiresAt: anyDate,
  refundSender: orNull(anyAddress),
  marketplaceFeeBps: orNull(fc.integer({ min: 0, max: 10_000 }).map(makeBasisPoints)),
  underpaymentToleranceBps: orNull(fc.integer({ min: 1, max: 500 }).map(makeBasisPoints)),
  payeeLabel: text,
  customerDetails: orNull(anyCustomer),
  metadata: orNull(fc.dictionary(text, fc.oneof(text, fc.boolean(), fc.integer()), { maxKeys: 3 })),
  orderDetails: orNull(
    fc.record({
      description: orNull(text),
      lineItems: fc.array(fc.record({ name: text, quantity: fc.nat(), amountUsdCents: fc.nat() }), { maxLength: 3 }),
      successUrl: orNull(text),
      cancelUrl: orNull(text),
    }),
  ),
  settlement: orNull(anySettlement),
  refunds: fc.array(fc.record({ mint: orNull(anyAddress), amount: anyBaseUnits, signatures: anySignatures })),
  tokenRefunds: fc.array(
    fc.record({
      mint: anyAddress,
      status: fc.constantFrom(...TOKEN_REFUND_STATUSES),
      amount: anyBaseUnits,
      refund: anyRefund,
    }),
  ),
  latePayments: fc.array(
    fc.record({
      mint: orNull(anyAddress),
      amount: anyBaseUnits,
      status: fc.constantFrom(...LATE_PAYMENT_STATUSES),
      signature: anySignature,
      count: anyCount,
      refund: anyRefund,
    }),
  ),
  held: fc.array(fc.record({ mint: orNull(anyAddress), amount: anyBaseUnits, reason: text })),
  listTotals: fc.record({ tokenRefunds: anyListTotal, latePayments: anyListTotal, held: anyListTotal }),
  refundAddress: orNull(
    fc.record({
      isWanted: fc.boolean(),
      proposal: orNull(
        fc.record({
          address: anyAddress,
          status: fc.constantFrom(...PROPOSAL_STATUSES),
          reason: orNull(text),
          number: fc.integer({ min: 1 }),
          proposedAt: anyDate,
          decidedAt: orNull(anyDate),
        }),
      ),
    }),
  ),
  version: fc.integer({ min: 1 }),
  createdAt: anyDate,
  updatedAt: anyDate,
})

/** Cloned, because fast-check makes objects without a prototype and the service never does. */
export const anyIntent = anyFields.map((intent) => structuredClone(intent))

// Random tests that draw a new seed in each run, so that every run tries new cases. A run can be replayed.

const VARIABLE = 'ANY_LIFE_SEED'
const given = process.env[VARIABLE]
if (given !== undefined && !/^\d+$/.test(given)) throw new RangeError(`${VARIABLE} is not a whole number: ${given}`)
const seed = given === undefined ? randomInt(2 ** 31) : Number(given)

/**
 * Checks a property with the seed of this run, and prints it; `ANY_LIFE_SEED` sets it. A failure shows the command that
 * replays the run.
 */
export function assertWithDrawnSeed<T>(property: fc.IProperty<T>, file: string, numRuns: number): void {
  const replay = `${VARIABLE}=${seed} npx vitest run ${file}`
  process.stdout.write(`seed ${seed}; replay: ${replay}\n`)
  const details = fc.check(property, { seed, numRuns })
  if (!details.failed) return
  throw new Error(`Replay this run: ${replay}\n${fc.defaultReportMessage(details)}`, { cause: details.errorInstance })
}
