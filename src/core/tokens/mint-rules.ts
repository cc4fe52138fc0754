// Judges which mints may be allowed. A Token-2022 extension can take tokens away, freeze them or charge fees, so each
// extension is denied unless it is listed here.
import type { MintFacts } from '#core/chain/types.ts'

/** What the operator consents to for one token: its issuer can take it away, or pause it. */
export type MintConsent = { readonly permanentDelegate: boolean; readonly pausable: boolean }

export type MintJudgement =
  | { readonly allowed: true }
  | { readonly refused: 'mint_not_supported' | 'mint_needs_consent'; readonly extension: string }

const HARMLESS: ReadonlySet<string> = new Set([
  'metadata-pointer',
  'token-metadata',
  'immutable-owner',
  'memo-transfer',
  // The amount that arrives counts.
  'transfer-fee-config',
  // Both only change how amounts are shown; transfers move base units.
  'interest-bearing-config',
  'scaled-ui-amount',
])

const NEEDS_CONSENT: ReadonlyMap<string, keyof MintConsent> = new Map([
  ['permanent-delegate', 'permanentDelegate'],
  ['pausable', 'pausable'],
])

/** Names the first extension that is refused: one that is never allowed before one that needs consent. */
export function judgeMint(facts: MintFacts, consent: MintConsent): MintJudgement {
  const denied = facts.extensions.find((extension) => !HARMLESS.has(extension) && !NEEDS_CONSENT.has(extension))
  if (denied !== undefined) return { refused: 'mint_not_supported', extension: denied }
  if (facts.defaultFrozen) return { refused: 'mint_not_supported', extension: 'default-account-state' }
  for (const [extension, agreed] of NEEDS_CONSENT)
    if (facts.extensions.includes(extension) && !consent[agreed]) return { refused: 'mint_needs_consent', extension }
  return { allowed: true }
}
