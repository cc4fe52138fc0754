import { address } from '@solana/kit'
import { expect, test } from 'vitest'
import type { MintFacts } from '#core/chain/types.ts'
import { canChange, immovableBy, judgeMint, mintProblem } from '#core/tokens/token.ts'

const mint = address('So11111111111111111111111111111111111111112')
const tokenProgram = address('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb')
const facts = (extensions: readonly string[], active: readonly string[] = []): MintFacts => ({
  mint,
  tokenProgram,
  decimals: 6,
  extensions,
  active,
})

/** The extensions of PYUSD. */
const PYUSD = [
  'mint-close-authority',
  'permanent-delegate',
  'transfer-fee-config',
  'confidential-transfer-mint',
  'confidential-transfer-fee-config',
  'transfer-hook',
  'metadata-pointer',
  'token-metadata',
]
const HARMLESS = [
  'metadata-pointer',
  'token-metadata',
  'group-pointer',
  'token-group',
  'group-member-pointer',
  'token-group-member',
]
const WITH_CONSENT = [
  'permanent-delegate',
  'pausable',
  'mint-close-authority',
  'confidential-transfer-mint',
  'confidential-transfer-fee-config',
  'transfer-hook',
  'transfer-fee-config',
  'default-account-state',
]
const ACTIVE = [
  ['transfer-hook', 'has a transfer hook with a program'],
  ['transfer-fee-config', 'takes a transfer fee'],
  ['default-account-state', 'freezes new accounts'],
  ['pausable', 'is paused by its issuer'],
] as const

test('a mint without extensions is allowed', () => {
  expect(judgeMint(facts([]), [])).toEqual({ allowed: true })
})

test.each(HARMLESS)('%s cannot touch a payment, and is allowed without consent', (extension) => {
  expect(judgeMint(facts([extension]), [])).toEqual({ allowed: true })
  expect(canChange({ extensions: [extension] })).toBe(false)
})

test.each([
  'interest-bearing-config',
  'scaled-ui-amount',
  'non-transferable',
  'confidential-mint-burn',
  'permissioned-burn',
  'unreadable',
  'unknown-29',
])('%s is refused whatever the operator agrees to', (extension) => {
  expect(judgeMint(facts(['token-metadata', extension]), [...WITH_CONSENT, extension])).toEqual({
    refused: 'mint_not_supported',
    extension,
  })
})

test.each(WITH_CONSENT)('%s needs consent, and the consent to the others is not enough', (extension) => {
  const others = WITH_CONSENT.filter((one) => one !== extension)
  expect(judgeMint(facts([extension]), others)).toEqual({ refused: 'mint_needs_consent', extensions: [extension] })
  expect(judgeMint(facts([extension]), [extension])).toEqual({ allowed: true })
  expect(canChange({ extensions: ['token-metadata', extension] })).toBe(true)
})

test.each(ACTIVE)('%s is refused while it acts on transfers, whatever the operator agrees to', (extension, problem) => {
  const acting = facts([extension], [extension])
  expect(judgeMint(acting, WITH_CONSENT)).toEqual({ refused: 'mint_not_supported', extension })
  expect(mintProblem({ decimals: 6, tokenProgram, extensions: [extension] }, acting)).toBe(problem)
  expect(mintProblem({ decimals: 6, tokenProgram, extensions: [extension] }, facts([extension]))).toBeNull()
})

test('a mint with the extensions of PYUSD needs consent to all that have power, at once', () => {
  const needed = PYUSD.filter((extension) => !HARMLESS.includes(extension))
  expect(judgeMint(facts(PYUSD), [])).toEqual({ refused: 'mint_needs_consent', extensions: needed })
  expect(judgeMint(facts(PYUSD), needed)).toEqual({ allowed: true })
})

test('what can never be allowed is named before what needs consent', () => {
  expect(judgeMint(facts(['permanent-delegate', 'scaled-ui-amount']), [])).toEqual({
    refused: 'mint_not_supported',
    extension: 'scaled-ui-amount',
  })
})

test('a transfer of the service fails where an extension forbids it, and not where it only costs or shows another amount', () => {
  expect(immovableBy(facts(['permanent-delegate', 'transfer-hook'], ['transfer-hook']))).toBe('transfer-hook')
  expect(immovableBy(facts(['non-transferable']))).toBe('non-transferable')
  expect(immovableBy(facts([...PYUSD, 'scaled-ui-amount'], ['transfer-fee-config']))).toBeNull()
})

test('a mint that was closed, or made again, cannot be paid with', () => {
  const token = { decimals: 6, tokenProgram, extensions: ['mint-close-authority'] }
  expect(mintProblem(token, facts(['mint-close-authority']))).toBeNull()
  expect(mintProblem(token, null)).toBe('does not exist any more')
  expect(mintProblem({ ...token, decimals: 9 }, facts(['mint-close-authority']))).toContain('made again')
  expect(mintProblem(token, { ...facts(['mint-close-authority']), tokenProgram: mint })).toContain('made again')
  expect(mintProblem(token, facts(['permanent-delegate', 'mint-close-authority']))).toBe(
    'has the extension permanent-delegate',
  )
})
