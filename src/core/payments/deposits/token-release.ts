// The release of a token that is not allowed. The token has no books, so the release moves the balance that the chain shows,
// and no deposit, sum or status of the payment depends on it. docs/contract.md, "Tokens that are not allowed".
import type { Address } from '#core/chain/types.ts'
import type { BaseUnits } from '#core/money/amounts.ts'
import type { IntentFacts } from '#core/payments/machine/change.ts'
import type { TokenDetails } from '#core/transfers/plan.ts'
import { coversLegs, type Delay, isAffordable, type TransferView, UNFUNDED } from '#core/transfers/preflight.ts'
import type { NewTransfer, Transfer } from '#core/transfers/transfer.ts'

/** The subject, whose id is the payment's, and the kind of its transfers. */
export const TOKEN_RELEASE = 'token_release'

/** Returns the obligation to send this amount of a token from the deposit address. */
export const tokenRelease = (
  { intent, payee }: Pick<IntentFacts, 'intent' | 'payee'>,
  { mint, tokenProgram, decimals }: TokenDetails,
  { to, amount, round }: { readonly to: Address; readonly amount: BaseUnits; readonly round: number },
): NewTransfer => ({
  key: `release:token:${intent.derivationIndex}:${round}:${mint}`,
  network: intent.network,
  subject: { kind: TOKEN_RELEASE, id: intent.id },
  kind: TOKEN_RELEASE,
  accountId: intent.accountId,
  source: intent.address,
  authority: {
    address: intent.address,
    key: {
      network: intent.network,
      branch: 'deposit',
      account: payee.accountIndex,
      intent: intent.derivationIndex,
    },
  },
  asset: mint,
  decimals,
  tokenProgram,
  round,
  portion: 'unaccepted',
  legs: [{ role: 'release', destination: to, amount, feeBps: null }],
})

/** Returns whether the release goes now, has to wait, or fails: the operator orders it again. */
export function judgeTokenRelease(
  transfer: Pick<Transfer, 'asset' | 'legs'>,
  view: TransferView,
): 'go' | Delay | { readonly failed: string } {
  const { source, receivers } = view
  if (source?.token?.frozen === true) return { failed: 'The deposit address’s token account is frozen by its issuer.' }
  if (!coversLegs(source, transfer)) return { failed: 'The deposit address no longer has this amount.' }
  for (const { destination } of transfer.legs) {
    const token = receivers.get(destination)?.token ?? null
    if (token !== null && token.owner !== destination) return { failed: 'The wallet’s token account is another’s.' }
    if (token?.frozen === true) return { failed: 'The wallet’s token account is frozen by its issuer.' }
  }
  return isAffordable(transfer, view) ? 'go' : UNFUNDED
}
