// An asset on the platform's allowlist. Spec: "Allowed token".
import { addressCodec, assetCodec, networkCodec } from '#core/chain/codecs.ts'
import type { MintFacts } from '#core/chain/types.ts'
import { type Decoded, flag, integer, nullable, text, texts } from '#core/codec.ts'
import { readString } from '#core/json.ts'

export const TOKEN_FIELDS = {
  network: networkCodec,
  asset: assetCodec,
  /** The mint; for SOL the wrapped-SOL mint. */
  mint: addressCodec,
  isNative: flag,
  name: text,
  ticker: text,
  decimals: integer,
  /** null for SOL. */
  tokenProgram: nullable(addressCodec),
  /** Kebab-case Token-2022 extensions of the mint when it was allowed. The operator consented to each that needs it. */
  extensions: texts(readString),
  feedKey: text,
  /** The name of its stored image. */
  imageName: nullable(text),
  enabled: flag,
} as const

export type Token = Decoded<typeof TOKEN_FIELDS>

// Judges mints by what their Token-2022 extensions can do to a payment. An extension that is not listed here is refused.

/**
 * `harmless`: it cannot touch a payment. `consent`: its issuer has power over holders, or can get it, and the operator trusts the
 * issuer. `unpayable`: another amount arrives, or is shown by wallets, than a payment names. `immovable`: a transfer of the service
 * fails.
 */
type Verdict = 'harmless' | 'consent' | 'unpayable' | 'immovable'

/** `active`: the verdict while the extension acts on transfers, and the end of a sentence about the mint. */
type Rule = { readonly idle: Verdict; readonly active?: readonly [Verdict, string] }

const RULES: ReadonlyMap<string, Rule> = new Map([
  ['metadata-pointer', { idle: 'harmless' }],
  ['token-metadata', { idle: 'harmless' }],
  ['group-pointer', { idle: 'harmless' }],
  ['token-group', { idle: 'harmless' }],
  ['group-member-pointer', { idle: 'harmless' }],
  ['token-group-member', { idle: 'harmless' }],
  ['permanent-delegate', { idle: 'consent' }],
  // The mint can be closed only while no one has tokens of it, and then made again with other properties.
  ['mint-close-authority', { idle: 'consent' }],
  // An account takes part only when its owner has configured it, and the service configures none.
  ['confidential-transfer-mint', { idle: 'consent' }],
  ['confidential-transfer-fee-config', { idle: 'consent' }],
  ['pausable', { idle: 'consent', active: ['immovable', 'is paused by its issuer'] }],
  ['transfer-hook', { idle: 'consent', active: ['immovable', 'has a transfer hook with a program'] }],
  ['transfer-fee-config', { idle: 'consent', active: ['unpayable', 'takes a transfer fee'] }],
  ['default-account-state', { idle: 'consent', active: ['immovable', 'freezes new accounts'] }],
  ['interest-bearing-config', { idle: 'unpayable' }],
  ['scaled-ui-amount', { idle: 'unpayable' }],
])

const UNKNOWN: Rule = { idle: 'immovable' }
const ruleOf = (extension: string): Rule => RULES.get(extension) ?? UNKNOWN

function verdictOf({ active }: Pick<MintFacts, 'active'>, extension: string): Verdict {
  const rule = ruleOf(extension)
  return active.includes(extension) && rule.active !== undefined ? rule.active[0] : rule.idle
}

type MintJudgement =
  | { readonly allowed: true }
  | { readonly refused: 'mint_not_supported'; readonly extension: string }
  | { readonly refused: 'mint_needs_consent'; readonly extensions: readonly string[] }

/** Judges a mint for payments: names an extension that is never accepted, before those that need consent and have none. */
export function judgeMint(facts: MintFacts, consent: readonly string[]): MintJudgement {
  const withVerdict = (...verdicts: readonly Verdict[]) =>
    facts.extensions.filter((extension) => verdicts.includes(verdictOf(facts, extension)))
  const [refused] = withVerdict('unpayable', 'immovable')
  if (refused !== undefined) return { refused: 'mint_not_supported', extension: refused }
  const missing = withVerdict('consent').filter((extension) => !consent.includes(extension))
  return missing.length > 0 ? { refused: 'mint_needs_consent', extensions: missing } : { allowed: true }
}

/** Returns the extension that makes transfers of the service fail; null for none. A release by the operator needs no more. */
export const immovableBy = (facts: MintFacts): string | null =>
  facts.extensions.find((extension) => verdictOf(facts, extension) === 'immovable') ?? null

/** Returns whether the mint of a token can change in a way that matters, so that it is read again before payments. */
export const canChange = ({ extensions }: Pick<Token, 'extensions'>): boolean =>
  extensions.some((extension) => ruleOf(extension).idle !== 'harmless')

/**
 * Judges the mint of an allowed token again: the operator has consented to the extensions that it had then. Returns why no payment
 * can be made in it now, as the end of a sentence about the mint; null when one can.
 */
export function mintProblem(
  { decimals, tokenProgram, extensions }: Pick<Token, 'decimals' | 'tokenProgram' | 'extensions'>,
  facts: MintFacts | null,
): string | null {
  if (facts === null) return 'does not exist any more'
  if (facts.decimals !== decimals || facts.tokenProgram !== tokenProgram) return 'was made again with other properties'
  const judgement = judgeMint(facts, extensions)
  if ('allowed' in judgement) return null
  const [extension = ''] = 'extensions' in judgement ? judgement.extensions : [judgement.extension]
  return (
    (facts.active.includes(extension) ? ruleOf(extension).active?.[1] : undefined) ?? `has the extension ${extension}`
  )
}
