import { expect, test } from 'vitest'
import { TOKEN_ACCOUNT_BYTES, tokenAccountBytes } from '#core/transfers/preflight.ts'

const CLASSIC = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'

test.each([
  ['of a classic token', CLASSIC, [], 165],
  ['of a classic token that is not on the list', CLASSIC, null, 165],
  ['of a token without extensions of accounts', TOKEN_2022, ['metadata-pointer', 'permanent-delegate'], 170],
  ['of a token with a fee', TOKEN_2022, ['transfer-fee-config'], 182],
  [
    'of a token with every extension that is allowed',
    TOKEN_2022,
    ['transfer-fee-config', 'transfer-hook', 'pausable'],
    191,
  ],
  ['of a token whose extensions are not known', TOKEN_2022, null, TOKEN_ACCOUNT_BYTES],
] as const)('a new account %s has its size', (_what, program, extensions, bytes) => {
  expect(tokenAccountBytes(program, extensions)).toBe(bytes)
})
