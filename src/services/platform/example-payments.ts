// Adds made-up payments of the past to a business of a sandbox. They are created as every payment is, with the time of the past; then
// their end is written, without any money or event.
import { tenantOf } from '#core/accounts/account.ts'
import { SERVICE_ACTOR } from '#core/accounts/audit.ts'
import { makeSignature } from '#core/chain/base58.ts'
import { type Address, type Signature, SOL } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { makeBasisPoints, mulBpsFloor, subtract, ZERO } from '#core/money/amounts.ts'
import { usdCentsToBaseUnits } from '#core/money/conversion.ts'
import { type IntentPatch, startChange, step } from '#core/payments/change.ts'
import type { Selection } from '#core/payments/intent-values.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { EXAMPLE_MONTHS, type ExamplePayment, examplePayments } from '#core/sandbox/example-payments.ts'
import type { Token } from '#core/tokens/token.ts'
import type { Clock } from '#ports/clock.ts'
import type { ChangeStore } from '#ports/payments.ts'
import type { Random } from '#ports/random.ts'
import type { Directory } from '#services/accounts/directory.ts'
import { type CreateIntent, NOTHING_MORE } from '#services/payments/create.ts'
import type { PriceSource } from '#services/prices/price-source.ts'
import type { SandboxServices } from './sandbox.ts'

export type ExamplePaymentsDeps = {
  readonly clock: Clock
  readonly random: Pick<Random, 'bytes' | 'fraction' | 'uuid'>
  readonly directory: Pick<Directory, 'account' | 'tokens'>
  readonly createAt: (clock: Clock) => CreateIntent
  readonly work: ChangeStore
  readonly prices: Pick<PriceSource, 'priceOf'>
}

/** The fee of the platform, a hundredth. */
const FEE_BPS = makeBasisPoints(100)
const SETTLED_AFTER_MS = 90_000

export const createExamplePayments =
  (deps: ExamplePaymentsDeps): SandboxServices['addExamplePayments'] =>
  async (accountId, monthsAgo) => {
    if (!(monthsAgo >= 0 && monthsAgo < EXAMPLE_MONTHS))
      throw new ServiceError('invalid_request', { field: 'monthsAgo', rule: `must be from 0 to ${EXAMPLE_MONTHS - 1}` })
    const account = await deps.directory.account(accountId)
    if (account === null) throw new ServiceError('account_not_found')
    if (account.sweepDestination === null) throw new ServiceError('sweep_destination_missing')
    const tokens = [...(await deps.directory.tokens(account.network)).values()].filter(({ enabled }) => enabled)
    const payments = examplePayments(monthsAgo, deps.clock.now(), deps.random.fraction)
    const create = async (payment: ExamplePayment, place: number): Promise<void> => {
      const createAt = deps.createAt({ now: () => payment.createdAt })
      const { intent } = await createAt(tenantOf({ id: account.id, network: account.network }), {
        ...MADE_UP,
        amountUsdCents: payment.priceUsdCents,
        acceptedAssets: tokens.map(({ asset }) => asset),
        reference: `example-${deps.random.uuid().slice(0, 13)}-${place}`,
        customer: payment.customer,
      })
      const token = tokens[Math.floor(payment.asset * tokens.length)]
      if (token === undefined || account.sweepDestination === null) return
      const patch = await endOf(deps, intent, { payment, token, wallet: account.sweepDestination })
      // A payment that a worker has ended meanwhile keeps that end.
      await deps.work.apply(
        step(startChange(intent), patch, new Date(payment.createdAt.getTime() + SETTLED_AFTER_MS), null),
      )
    }
    await Promise.all(payments.map(create))
    return { count: payments.length }
  }

const MADE_UP = { ...NOTHING_MORE, createdBy: SERVICE_ACTOR, metadata: { made_up_by: 'npm run demo -- --year' } }

type End = { readonly payment: ExamplePayment; readonly token: Token; readonly wallet: Address }

async function endOf(deps: ExamplePaymentsDeps, intent: PaymentIntent, end: End): Promise<IntentPatch> {
  const { outcome } = end.payment
  if (outcome === 'cancelled') return { status: outcome }
  const { asset, decimals } = end.token
  const expected = usdCentsToBaseUnits(intent.priceUsdCents, await deps.prices.priceOf(end.token), decimals)
  if (typeof expected !== 'bigint') throw new ServiceError('amount_too_large', { asset })
  const selection = { asset, decimals, expected, rate: null }
  const received = expected
  const signature = signatureFrom(deps.random.bytes(87))
  if (outcome === 'swept')
    return { status: outcome, selection, received, settlement: settlementOf(selection, end, signature) }
  const mint = mintOf(end.token)
  if (outcome === 'refunded')
    return { status: outcome, selection, received, refunds: [{ mint, amount: received, signatures: [signature] }] }
  return {
    status: outcome,
    selection,
    received,
    statusReason: 'Made up: the wallet of this example refuses the money.',
  }
}

const mintOf = ({ asset }: Token): Address | null => (asset === SOL ? null : asset)

function settlementOf({ expected, decimals }: Selection, { token, wallet }: End, signature: Signature) {
  const fee = mulBpsFloor(expected, FEE_BPS)
  const net = subtract(expected, fee)
  const common = { mint: mintOf(token), asset: token.ticker, decimals, destination: wallet, signature }
  return {
    asset: token.ticker,
    decimals,
    destinationAmount: net,
    platformFeeAmount: fee,
    pendingAmount: ZERO,
    signatures: [signature],
    legs: [
      { ...common, role: 'merchant' as const, amount: net, feeBps: null },
      { ...common, role: 'platform' as const, amount: fee, feeBps: FEE_BPS },
    ],
  }
}

const DIGITS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

const signatureFrom = (bytes: Uint8Array): Signature =>
  makeSignature(Array.from(bytes, (byte) => DIGITS[byte % DIGITS.length]).join(''))
