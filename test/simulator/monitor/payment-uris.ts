// Checks the link to pay: it asks for exactly what is due, and it is there only while something is due.
import { SOL } from '#core/chain/types.ts'
import type { Check, Figures } from './figures.ts'
import type { Reported } from './reported.ts'
import { baseUnitsOf } from './whole-units.ts'

const RULE = 'a payment link asks for what is due'
const SOL_DECIMALS = 9
const LINK =
  /^solana:([1-9A-HJ-NP-Za-km-z]{32,44})\?amount=([\d.]+)(?:&spl-token=([1-9A-HJ-NP-Za-km-z]{32,44}))?&label=(.+)$/

export function checkPaymentUri(
  { stage }: Pick<Figures, 'stage'>,
  { address, asset, decimals, expected, paymentUri, shortfall, status }: Reported,
  check: Check,
): void {
  const isDue = asset !== null && (status === 'pending' || status === 'underpaid')
  check(RULE, (paymentUri !== null) === isDue, () => `${paymentUri} for ${asset}`)
  if (asset === null) return
  const real = asset === SOL ? SOL_DECIMALS : (stage.mints.get(asset)?.decimals ?? null)
  if (paymentUri !== null) {
    const [, to, amount = '', mint] = LINK.exec(paymentUri) ?? []
    const due = shortfall ?? expected
    const isExact = real !== null && baseUnitsOf(amount, real) === due
    const isRight = isExact && to === address && mint === (asset === SOL ? undefined : asset)
    check(RULE, isRight, () => `${paymentUri} for ${due} ${asset} to ${address}`)
  }
  check(RULE, decimals === real, () => `${decimals} decimals of ${asset}, which has ${real}`)
}
