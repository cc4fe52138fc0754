// Tokens that the operator does not allow. Anyone can make such a token, and mint, burn and take it back at will. So these
// tokens stay out of deposits, ledger, sums and halts; a bounded record shows which arrived. docs/contract.md,
// "Tokens that are not allowed".

import { type Address, type Asset, SOL } from '#core/chain/types.ts'
import type { BaseUnits } from '#core/money/amounts.ts'
import type { IntentFacts } from '#core/payments/change.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
import type { ObservedDeposit } from '#core/payments/deposits/inbound.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { fromAddress } from '#core/payments/position/new-transfer.ts'
import { unreservedOf, unreservedUnaccepted } from '#core/payments/position/position.ts'
import type { Token } from '#core/tokens/token.ts'
import type { TokenDetails } from '#core/transfers/plan.ts'
import {
  coversLegs,
  type Delay,
  frozenText,
  isAffordable,
  type TransferView,
  UNFUNDED,
} from '#core/transfers/preflight.ts'
import type { NewTransfer, Transfer } from '#core/transfers/transfer.ts'

/** Mints of one payment that are recorded separately. Arrivals of all other mints are only counted. */
export const MAX_UNACCEPTED_MINTS = 20

type Allowlist = ReadonlyMap<Asset, Pick<Token, 'enabled'>>

/** Returns whether money of an asset is a deposit: SOL, an asset that the payment accepts, or an allowed token. */
export const isTaken = (
  asset: Asset,
  { acceptedAssets }: Pick<PaymentIntent, 'acceptedAssets'>,
  tokens: Allowlist,
): boolean => asset === SOL || acceptedAssets.includes(asset) || tokens.get(asset)?.enabled === true

/** Divides arrivals into deposits and arrivals that are only recorded. */
export function divideArrivals(
  seen: readonly ObservedDeposit[],
  intent: Pick<PaymentIntent, 'acceptedAssets'>,
  tokens: Allowlist,
): { readonly taken: readonly ObservedDeposit[]; readonly unaccepted: readonly ObservedDeposit[] } {
  const { taken = [], unaccepted = [] } = Object.groupBy(seen, ({ asset }) =>
    isTaken(asset, intent, tokens) ? 'taken' : 'unaccepted',
  )
  return { taken, unaccepted }
}

/** The subject, whose id is the payment's, and the kind of its transfers. */
export const TOKEN_RELEASE = 'token_release'

/** Returns the transfer to send this amount of a token from a token account of the deposit address. */
export const tokenRelease = (
  { intent, payee }: Pick<IntentFacts, 'intent' | 'payee'>,
  { mint, tokenProgram, decimals }: TokenDetails,
  {
    sourceAccount,
    to,
    amount,
    round,
  }: { readonly sourceAccount: Address; readonly to: Address; readonly amount: BaseUnits; readonly round: number },
): NewTransfer => ({
  key: `release:token:${intent.derivationIndex}:${round}:${sourceAccount}`,
  subject: { kind: TOKEN_RELEASE, id: intent.id },
  kind: TOKEN_RELEASE,
  ...fromAddress({ intent, payee }),
  sourceAccount,
  asset: mint,
  decimals,
  tokenProgram,
  round,
  portion: 'main',
  legs: [{ role: 'release', destination: to, amount, feeBps: null }],
})

/**
 * Returns whether an asset is in the books of a payment: it is taken in, or a deposit of it is there that no transfer has moved.
 * The balance of such an asset belongs to the transfers of the payment.
 */
export const isBooked = (
  asset: Asset,
  { intent, deposits, transfers }: Pick<IntentFacts, 'intent' | 'deposits' | 'transfers'>,
  { tokens }: Pick<DecisionContext, 'tokens'>,
): boolean =>
  isTaken(asset, intent, tokens) ||
  [unreservedOf, unreservedUnaccepted].some(
    (left) =>
      left(
        asset,
        deposits,
        transfers.filter(({ status }) => status === 'done'),
      ).length > 0,
  )

/** Returns whether the release goes now, has to wait, or fails: the operator orders it again. */
export function judgeTokenRelease(
  transfer: Pick<Transfer, 'asset' | 'sourceAccount' | 'legs'>,
  view: TransferView,
  facts: Pick<IntentFacts, 'intent' | 'deposits' | 'transfers'>,
  context: Pick<DecisionContext, 'tokens'>,
): 'go' | Delay | { readonly failed: string } {
  const { source, receivers } = view
  if (isBooked(transfer.asset, facts, context)) return { failed: 'The token is in the books of this payment now.' }
  if (source?.token?.frozen === true) return { failed: frozenText(transfer) }
  if (!coversLegs(source, transfer)) return { failed: 'The account of the deposit address no longer has this amount.' }
  for (const { destination } of transfer.legs) {
    const token = receivers.get(destination)?.token ?? null
    if (token !== null && token.owner !== destination) return { failed: 'The wallet’s token account is another’s.' }
    if (token?.frozen === true) return { failed: 'The wallet’s token account is frozen by its issuer.' }
  }
  return isAffordable(transfer, view) ? 'go' : UNFUNDED
}
