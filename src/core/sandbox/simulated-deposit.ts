// Computes the payment that brings an intent to a certain status, from the amount that it still expects.
import type { Asset } from '#core/chain/types.ts'
import { type BaseUnits, capAtU64, makeBaseUnits, subtractToZero } from '#core/money/amounts.ts'
import type { Selection } from '#core/payments/intent-values.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { Token } from '#core/tokens/token.ts'

/** `late` and "before selection" need no kind of their own: an exact payment made then is one. */
export const SIMULATED_DEPOSITS = ['exact', 'under', 'over', 'wrong_asset'] as const
export type SimulatedDeposit = (typeof SIMULATED_DEPOSITS)[number]

export type SimulatedPayment = { readonly asset: Asset; readonly amount: BaseUnits }

/** Returns the missing part of the price; the whole price when nothing is missing, as for a late payment. */
function dueOf(intent: PaymentIntent, { expected }: Selection): BaseUnits {
  const missing = subtractToZero(expected, intent.received)
  return missing === 0n ? expected : missing
}

/** Returns the payment that a simulated deposit makes. `selection` is the intent's, or the one that paying now would make. */
export function simulatePayment(
  intent: PaymentIntent,
  kind: Exclude<SimulatedDeposit, 'wrong_asset'>,
  selection: Selection,
): SimulatedPayment {
  const due = dueOf(intent, selection)
  const half = makeBaseUnits((due + 1n) / 2n)
  const amounts = { exact: due, under: half, over: capAtU64(due + half) }
  return { asset: selection.asset, amount: amounts[kind] }
}

/**
 * Returns a tenth of a unit (or the whole unit of an indivisible asset) of the first allowed asset that is not a payment;
 * null when each one is.
 */
export function simulateWrongAsset(intent: PaymentIntent, allowed: readonly Token[]): SimulatedPayment | null {
  const right = intent.selection === null ? intent.acceptedAssets : [intent.selection.asset]
  const token = allowed.find(({ asset, enabled }) => enabled && !right.includes(asset))
  return token === undefined
    ? null
    : { asset: token.asset, amount: capAtU64(10n ** BigInt(Math.max(0, token.decimals - 1))) }
}
