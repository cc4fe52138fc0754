import { describe, expect, test } from 'vitest'
import type { AccountState } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import { judgeTokenRelease, tokenRelease } from '#core/payments/deposits/token-release.ts'
import { UNFUNDED } from '#core/transfers/preflight.ts'
import { addressNo, intentWith, TOKEN_PROGRAM, UNKNOWN_MINT, units } from '../../../support/payment.ts'

const TO = addressNo(60)
const SOURCE = addressNo(61)
const AMOUNT = units(77n)

const account = (owner = SOURCE, patch: Partial<NonNullable<AccountState['token']>> = {}): AccountState => ({
  lamports: makeLamports(2_039_280n),
  ownerProgram: TOKEN_PROGRAM,
  token: {
    mint: UNKNOWN_MINT,
    owner,
    amount: AMOUNT,
    frozen: false,
    withheld: units(0n),
    delegation: null,
    ...patch,
  },
})
const view = {
  slot: 1n,
  source: account(),
  destinations: new Map(),
  receivers: new Map([[TO, null as AccountState | null]]),
  feePayerLamports: 1_000_000_000n,
  rent: { wallet: 890_880n, tokenAccount: 2_039_280n },
}
const transfer = {
  asset: UNKNOWN_MINT,
  legs: [{ role: 'release', destination: TO, amount: AMOUNT, feeBps: null }],
}

test('a release moves the amount from the deposit address to the wallet, and belongs to no queue of payments', () => {
  const payee = { accountIndex: 3, sweepDestination: null, feeDestination: null, marketplace: null }
  const intent = intentWith({})
  const token = { mint: UNKNOWN_MINT, tokenProgram: TOKEN_PROGRAM, decimals: 2 }
  expect(tokenRelease({ intent, payee }, token, { to: TO, amount: AMOUNT, round: 2 })).toMatchObject({
    key: `release:token:${intent.derivationIndex}:2:${UNKNOWN_MINT}`,
    kind: 'token_release',
    subject: { kind: 'token_release', id: intent.id },
    source: intent.address,
    authority: { address: intent.address, key: { account: 3, intent: intent.derivationIndex } },
    ...transfer,
  })
})

describe('before it is signed, a release', () => {
  test.each([
    ['without an account', view],
    ['with an account', { ...view, receivers: new Map([[TO, account(TO)]]) }],
  ])('to a wallet %s of the token goes', (_, seen) => {
    expect(judgeTokenRelease(transfer, seen)).toBe('go')
  })

  test('waits while the fee payer cannot pay for the account of the wallet', () => {
    expect(judgeTokenRelease(transfer, { ...view, feePayerLamports: 2_000_000n })).toBe(UNFUNDED)
  })

  test.each([
    ['whose issuer took the token back', { ...view, source: account(SOURCE, { amount: units(76n) }) }, 'no longer has'],
    ['whose account is closed', { ...view, source: null }, 'no longer has'],
    ['whose account is frozen', { ...view, source: account(SOURCE, { frozen: true }) }, 'deposit address’s .* frozen'],
    [
      'to a frozen account',
      { ...view, receivers: new Map([[TO, account(TO, { frozen: true })]]) },
      'wallet’s token account is frozen',
    ],
    ['to an account of another wallet', { ...view, receivers: new Map([[TO, account(SOURCE)]]) }, 'is another’s'],
  ])('%s fails with the reason', (_, seen, reason) => {
    expect(judgeTokenRelease(transfer, seen)).toEqual({ failed: expect.stringMatching(reason) })
  })
})
