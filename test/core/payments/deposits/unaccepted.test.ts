import { describe, expect, test } from 'vitest'
import type { AccountState } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import { judgeTokenRelease, tokenRelease } from '#core/payments/deposits/unaccepted.ts'
import { type TransferView, UNFUNDED } from '#core/transfers/preflight.ts'
import { MINT } from '../../../support/example-intent.ts'
import {
  addressNo,
  context,
  deposit,
  intentWith,
  sweepOf,
  TOKEN_PROGRAM,
  UNKNOWN_MINT,
  units,
} from '../../../support/payment.ts'

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
    closeAuthority: null,
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
const NO_BOOKS = { intent: intentWith({}), deposits: [], transfers: [] }
const judge = (seen: TransferView) => judgeTokenRelease(transfer, seen, NO_BOOKS, context())
const ACCOUNT = addressNo(62)
const transfer = {
  asset: UNKNOWN_MINT,
  sourceAccount: ACCOUNT,
  legs: [{ role: 'release' as const, destination: TO, amount: AMOUNT, feeBps: null }],
}

test('a release moves the amount from a token account of the deposit address to the wallet, and belongs to no queue of payments', () => {
  const payee = { accountIndex: 3, sweepDestination: null, feeDestination: null, marketplace: null }
  const intent = intentWith({})
  const token = { mint: UNKNOWN_MINT, tokenProgram: TOKEN_PROGRAM, decimals: 2 }
  expect(
    tokenRelease({ intent, payee }, token, { sourceAccount: ACCOUNT, to: TO, amount: AMOUNT, round: 2 }),
  ).toMatchObject({
    key: `release:token:${intent.derivationIndex}:2:${ACCOUNT}`,
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
    expect(judge(seen)).toBe('go')
  })

  test('waits while the fee payer cannot pay for the account of the wallet', () => {
    expect(judge({ ...view, feePayerLamports: 2_000_000n })).toBe(UNFUNDED)
  })

  test.each([
    ['whose issuer took the token back', { ...view, source: account(SOURCE, { amount: units(76n) }) }, 'no longer has'],
    ['whose account is closed', { ...view, source: null }, 'no longer has'],
    [
      'whose account is frozen',
      { ...view, source: account(SOURCE, { frozen: true }) },
      `token account ${ACCOUNT} .* frozen`,
    ],
    [
      'to a frozen account',
      { ...view, receivers: new Map([[TO, account(TO, { frozen: true })]]) },
      'wallet’s token account is frozen',
    ],
    ['to an account of another wallet', { ...view, receivers: new Map([[TO, account(SOURCE)]]) }, 'is another’s'],
  ])('%s fails with the reason', (_, seen, reason) => {
    expect(judge(seen)).toEqual({ failed: expect.stringMatching(reason) })
  })

  const booked = deposit(1, AMOUNT, { asset: UNKNOWN_MINT, use: 'wrong_asset' })
  const taken = { ...sweepOf({ kind: 'release', asset: UNKNOWN_MINT }), legs: transfer.legs }
  const { tokens } = context()
  const usdc = tokens.get(MINT)
  if (usdc === undefined) throw new Error('the allowlist has no such token')
  test.each([
    ['that is allowed now', NO_BOOKS, new Map([...tokens, [UNKNOWN_MINT, usdc] as const])],
    ['that the payment accepts', { ...NO_BOOKS, intent: intentWith({ acceptedAssets: [UNKNOWN_MINT] }) }, tokens],
    ['with a deposit', { ...NO_BOOKS, deposits: [booked] }, tokens],
    [
      'with a deposit in another token account',
      { ...NO_BOOKS, deposits: [{ ...booked, account: ACCOUNT, use: 'unaccepted' as const }] },
      tokens,
    ],
    ['with a deposit that a transfer will move', { ...NO_BOOKS, deposits: [booked], transfers: [taken] }, tokens],
  ])('of a token %s fails: it is in the books', (_, facts, allowed) => {
    const failed = expect.stringContaining('in the books')
    expect(judgeTokenRelease(transfer, view, facts, { tokens: allowed })).toEqual({ failed })
  })

  test('of a token whose deposits have all left goes', () => {
    const done = { ...taken, status: 'done' as const }
    const facts = { ...NO_BOOKS, deposits: [booked], transfers: [done] }
    expect(judgeTokenRelease(transfer, view, facts, { tokens })).toBe('go')
  })
})
