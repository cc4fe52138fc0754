// Whether a wallet can pay what is due, with the network fee and the rent that the chain asks for.
import { expect, test } from 'vitest'
import { type AccountState, type Asset, SOL } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import { canPay } from '#core/payments/wallet-funds.ts'
import { MINT } from '../../support/example-intent.ts'
import { BUYER, FEE_PAYER, NETWORK_FEE, RENT, TOKEN_PROGRAM, units } from '../../support/payment.ts'

const DUE = 25_000_000n
const ACCOUNT_RENT = 2_000_000n

const holding = (lamports: bigint, token: AccountState['token'] = null): AccountState => ({
  lamports: makeLamports(lamports),
  ownerProgram: TOKEN_PROGRAM,
  token,
})
const tokens = (amount: bigint, patch: Partial<NonNullable<AccountState['token']>> = {}): AccountState => {
  const plain = {
    mint: MINT,
    owner: BUYER,
    amount: units(amount),
    frozen: false,
    withheld: units(0n),
    delegation: null,
    closeAuthority: null,
  }
  return holding(ACCOUNT_RENT, { ...plain, ...patch })
}

type Held = { asset?: Asset; lamports: bigint; source?: AccountState | null; receiver?: AccountState | null }
const pays = ({ asset = SOL, lamports, source = null, receiver = null }: Held): boolean =>
  canPay(
    BUYER,
    { asset, amount: units(DUE) },
    { wallet: lamports === 0n ? null : holding(lamports), source, receiver },
    { wallet: RENT, tokenAccount: ACCOUNT_RENT },
  )

test.each([
  ['all of it, and nothing is left', DUE + NETWORK_FEE, true],
  ['enough to stay above the rent minimum', DUE + NETWORK_FEE + RENT, true],
  ['the amount without the network fee', DUE, false],
  ['so much that less than the rent minimum would be left', DUE + NETWORK_FEE + RENT - 1n, false],
  ['nothing', 0n, false],
] as const)('a wallet pays SOL when it holds %s: %s lamports, %s', (_held, lamports, expected) => {
  expect(pays({ lamports })).toBe(expected)
})

test.each([
  ['the network fee', NETWORK_FEE + RENT, tokens(0n), true],
  ['too little SOL for the network fee', NETWORK_FEE + RENT - 1n, tokens(0n), false],
  ['the network fee, but not the rent of the receiving account', NETWORK_FEE + RENT, null, false],
  ['the network fee and the rent of the receiving account', NETWORK_FEE + RENT + ACCOUNT_RENT, null, true],
] as const)('a wallet that holds the token pays when it holds %s', (_held, lamports, receiver, expected) => {
  expect(pays({ asset: MINT, lamports, source: tokens(DUE), receiver })).toBe(expected)
})

test.each([
  ['no account', null],
  ['too little', tokens(DUE - 1n)],
  ['a frozen account', tokens(DUE, { frozen: true })],
  ['an account that belongs to another wallet', tokens(DUE, { owner: FEE_PAYER })],
] as const)('a wallet with %s of the token cannot pay with it', (_has, source) => {
  expect(pays({ asset: MINT, lamports: 10n * RENT, source, receiver: tokens(0n) })).toBe(false)
})
