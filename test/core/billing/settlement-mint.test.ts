import { describe, expect, it } from 'vitest'
import { judgeSettlementMint } from '#core/billing/settlement-mint.ts'
import { makeAddress } from '#core/chain/base58.ts'
import type { Token } from '#core/tokens/token.ts'
import { MINT } from '../../support/example-intent.ts'

const token: Token = {
  network: 'live',
  asset: MINT,
  mint: MINT,
  isNative: false,
  name: 'USD Coin',
  ticker: 'USDC',
  decimals: 6,
  tokenProgram: makeAddress('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'),
  extensions: ['metadata-pointer', 'permanent-delegate'],
  feedKey: 'USDC',
  imageName: null,
  enabled: true,
}

describe('the settlement mint', () => {
  it('is taken from the allowlist', () => {
    const { mint, tokenProgram, decimals } = token
    expect(judgeSettlementMint(token)).toEqual({ mint, tokenProgram, decimals })
    expect(judgeSettlementMint({ ...token, decimals: 2 })).toMatchObject({ decimals: 2 })
  })

  it.each<[string, Token | undefined]>([
    ['allowlist', undefined],
    ['allowlist', { ...token, enabled: false }],
    ['allowlist', { ...token, asset: 'SOL', isNative: true, tokenProgram: null }],
    ['2 decimals', { ...token, decimals: 1 }],
  ])('cannot be used: %s', (problem, given) => {
    expect(judgeSettlementMint(given)).toEqual({ problem: expect.stringContaining(problem) })
  })
})
