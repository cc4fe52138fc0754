import { address } from '@solana/kit'
import { expect, test } from 'vitest'
import type { MintFacts } from '#core/chain/types.ts'
import { judgeMint } from '#core/tokens/mint-rules.ts'

const mint = address('So11111111111111111111111111111111111111112')
const facts = (extensions: readonly string[], defaultFrozen = false): MintFacts => ({
  mint,
  tokenProgram: address('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'),
  decimals: 6,
  extensions,
  defaultFrozen,
  transferFees: [],
})
const NONE = { permanentDelegate: false, pausable: false }
const ALL = { permanentDelegate: true, pausable: true }

test('a mint without extensions is allowed', () => {
  expect(judgeMint(facts([]), NONE)).toEqual({ allowed: true })
})

test.each([
  'metadata-pointer',
  'token-metadata',
  'immutable-owner',
  'memo-transfer',
  'transfer-fee-config',
  'interest-bearing-config',
  'scaled-ui-amount',
])('%s takes nothing from anyone and is allowed', (extension) => {
  expect(judgeMint(facts([extension]), NONE)).toEqual({ allowed: true })
})

test.each([
  'transfer-hook',
  'non-transferable',
  'default-account-state',
  'mint-close-authority',
  'confidential-transfer-mint',
  'confidential-transfer-fee-config',
  'confidential-mint-burn',
  'permissioned-burn',
  'group-pointer',
  'unknown-29',
])('%s is refused whatever the operator agrees to', (extension) => {
  expect(judgeMint(facts(['token-metadata', extension]), ALL)).toEqual({ refused: 'mint_not_supported', extension })
})

test('a mint whose accounts start frozen is refused even when no extension says so', () => {
  expect(judgeMint(facts([], true), ALL)).toEqual({ refused: 'mint_not_supported', extension: 'default-account-state' })
})

test.each([
  ['permanent-delegate', { permanentDelegate: true, pausable: false }],
  ['pausable', { permanentDelegate: false, pausable: true }],
])('%s needs consent, and the consent to the other is not enough', (extension, own) => {
  const others = { permanentDelegate: !own.permanentDelegate, pausable: !own.pausable }
  expect(judgeMint(facts([extension]), NONE)).toEqual({ refused: 'mint_needs_consent', extension })
  expect(judgeMint(facts([extension]), others)).toEqual({ refused: 'mint_needs_consent', extension })
  expect(judgeMint(facts([extension]), own)).toEqual({ allowed: true })
})

test('what can never be allowed is named before what needs consent', () => {
  expect(judgeMint(facts(['permanent-delegate', 'transfer-hook']), NONE)).toEqual({
    refused: 'mint_not_supported',
    extension: 'transfer-hook',
  })
})
