// A change of the terms of a running subscription: another tier, or a renewal. docs/billing.md, "Changes of terms".
import type { Tier } from '#core/billing/tier.ts'
import type { Signature } from '#core/chain/types.ts'
import type { ErrorCode, ErrorContext } from '#core/errors.ts'
import type { BaseUnits } from '#core/money/amounts.ts'

/** The change that is asked for. A renewal sets the remaining periods to those of the tier. */
export type TermOrder = { readonly kind: 'change'; readonly tier: Tier } | { readonly kind: 'renew' }

/** The terms that a change leads to: what the subscriber signs. */
export type NewTerms = {
  readonly tierId: string
  readonly unitAmount: BaseUnits
  /** The periods that can be charged from now on, one under way or unpaid included. */
  readonly periods: number
  /** The new slice, in base units. */
  readonly slice: BaseUnits
}

/** The outcome of a request before it is carried out. Spec: "A term change has one of three outcomes". */
export type TermChange =
  | { readonly kind: 'changed' | 'proof_required'; readonly terms: NewTerms }
  /** `total` is the allowance to approve, in base units: what is outstanding, and the new slice. */
  | { readonly kind: 'approval_required'; readonly terms: NewTerms; readonly total: BaseUnits }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly context: ErrorContext }

/** How the subscriber agreed to a raise or a renewal: by a signed text, or by an approve that began an epoch. */
export type TermConsent =
  | { readonly by: 'nothing' | 'proof' }
  | { readonly by: 'approve'; readonly signature: Signature; readonly epoch: number }
