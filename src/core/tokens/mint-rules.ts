// Which mints may be put on the allowlist. A Token-2022 extension can make tokens vanish, stick or cost, so each one
// is denied unless it stands here.
import type { MintFacts } from '#core/chain/types.ts'

/** What an operator has agreed to for one token, knowing that its issuer can take or stop it. */
export type MintConsent = { readonly permanentDelegate: boolean; readonly pausable: boolean }

export type MintJudgement =
  | { readonly allowed: true }
  | { readonly refused: 'mint_not_supported' | 'mint_needs_consent'; readonly extension: string }

const HARMLESS: ReadonlySet<string> = new Set([
  'metadata-pointer',
  'token-metadata',
  'immutable-owner',
  'memo-transfer',
  // What arrives counts, not what was sent.
  'transfer-fee-config',
  // Both change only how amounts are shown; base units are what is moved.
  'interest-bearing-config',
  'scaled-ui-amount',
])

const NEEDS_CONSENT: ReadonlyMap<string, keyof MintConsent> = new Map([
  ['permanent-delegate', 'permanentDelegate'],
  ['pausable', 'pausable'],
])

/** Names the first extension that stands in the way; one that can never be allowed before one that needs consent. */
export function judgeMint(facts: MintFacts, consent: MintConsent): MintJudgement {
  const denied = facts.extensions.find((extension) => !HARMLESS.has(extension) && !NEEDS_CONSENT.has(extension))
  if (denied !== undefined) return { refused: 'mint_not_supported', extension: denied }
  if (facts.defaultFrozen) return { refused: 'mint_not_supported', extension: 'default-account-state' }
  for (const [extension, agreed] of NEEDS_CONSENT)
    if (facts.extensions.includes(extension) && !consent[agreed]) return { refused: 'mint_needs_consent', extension }
  return { allowed: true }
}
