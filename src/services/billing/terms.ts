// What the platform settles in, and where its fee goes: judged each time it is used.
import { judgeSettlementMint, type SettlementMint } from '#core/billing/tier.ts'
import type { Network } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import type { Directory } from '#services/accounts/directory.ts'
import type { PlatformBillingTerms } from '#services/billing/billing-services.ts'
import type { MintGuard } from '#services/tokens/mint-guard.ts'

/** The only network of recurring billing. Spec: "Subscriptions (merchant; API key or dashboard session)". */
export const BILLING_NETWORK: Network = 'live'

export type TermsDeps = {
  readonly directory: Pick<Directory, 'tokens'>
  readonly mintGuard: Pick<MintGuard, 'problemOf'>
  /** null: recurring billing is disabled. */
  readonly billingTerms: PlatformBillingTerms | null
}

/** Throws `subscription_service_unavailable` for null: recurring billing is disabled. */
export function requireBilling<T>(given: T | null): T {
  if (given === null) throw new ServiceError('subscription_service_unavailable')
  return given
}

/** Throws `subscription_service_unavailable` while recurring billing is disabled. */
export const requireTerms = ({ billingTerms }: Pick<TermsDeps, 'billingTerms'>): PlatformBillingTerms =>
  requireBilling(billingTerms)

/** Throws `subscription_service_unavailable` when the mint cannot be used: the operator is informed by `problemsOf`. */
export async function settlementMint(deps: TermsDeps): Promise<SettlementMint> {
  const judged = await judgedMint(deps, requireTerms(deps))
  if ('problem' in judged) throw new ServiceError('subscription_service_unavailable', { reason: judged.problem })
  return judged
}

async function judgedMint({ directory, mintGuard }: TermsDeps, { mint }: PlatformBillingTerms) {
  const token = (await directory.tokens(BILLING_NETWORK)).get(mint)
  const judged = judgeSettlementMint(token)
  if (token === undefined || 'problem' in judged) return judged
  const problem = await mintGuard.problemOf(token)
  return problem === null ? judged : { problem }
}

/** Returns what the operator must put right, in sentences. */
export async function problemsOf(deps: TermsDeps): Promise<readonly string[]> {
  const { billingTerms } = deps
  if (billingTerms === null) return []
  const { mint, platformFeeBps, platformWallet } = billingTerms
  const judged = await judgedMint(deps, billingTerms)
  const ofMint =
    'problem' in judged
      ? [
          `Subscriptions cannot be sold, because their mint ${mint} ${judged.problem}. Allow it with \`token allow\`, or set ` +
            'another mint in SUBSCRIPTION_MINT.',
        ]
      : []
  const ofWallet =
    platformFeeBps > 0 && platformWallet === null
      ? ['No tier can be created, because SUBSCRIPTION_FEE_BPS takes a fee and PLATFORM_WALLET is not set. Set it.']
      : []
  return [...ofMint, ...ofWallet]
}
