// A charge that cannot succeed fails without a transaction, with the code of its cause. docs/billing.md, "Charges".
import { describe, expect, test } from 'vitest'
import { type FailureCode, RECOVERY } from '#core/billing/charge.ts'
import { failureOfGivingUp, failureOfTransaction, judgeCharge } from '#core/billing/charge-preflight.ts'
import { chargeTransfer } from '#core/billing/charge-transfer.ts'
import { allowanceOf, allowanceState } from '#core/billing/delegation-state.ts'
import type { AccountState } from '#core/chain/types.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import { UNFUNDED } from '#core/transfers/preflight.ts'
import {
  account,
  CHARGED,
  DELEGATE,
  MERCHANT,
  PLATFORM,
  PULL,
  STABLECOIN,
  STRANGER,
  TERMS,
  view,
  WALLET,
} from '../../support/charge.ts'
import { signatureNo, units } from '../../support/payment.ts'

describe('charge preflight', () => {
  test('a charge whose accounts allow it goes', () => {
    expect(judgeCharge(PULL, view(), true)).toEqual({ is: 'go' })
    expect(judgeCharge(PULL, view(), false)).toEqual({ is: 'go' })
  })

  type Case = readonly [what: string, code: FailureCode, accounts: Parameters<typeof view>[0]]
  const foreign = account(STRANGER, { delegate: null })
  const FAILURES: readonly Case[] = [
    ['no token account', 'account_closed', { source: null }],
    ['a token account that was given to another wallet', 'account_closed', { source: account(STRANGER) }],
    ['no delegate', 'delegate_revoked', { source: account(WALLET, { delegate: null }) }],
    ['another delegate', 'delegate_replaced', { source: account(WALLET, { delegate: STRANGER }) }],
    ['an allowance of one unit less', 'allowance_insufficient', { source: account(WALLET, { allowance: 999n }) }],
    ['a balance of one unit less', 'insufficient_funds', { source: account(WALLET, { amount: 999n }) }],
    ['a frozen account', 'account_frozen', { source: account(WALLET, { frozen: true }) }],
    ['a frozen payout account', 'destination_unavailable', { payout: account(MERCHANT, { frozen: true }) }],
    ['a payout account of another wallet', 'destination_unavailable', { payout: foreign }],
    ['a frozen account of the platform', 'platform_error', { platform: account(PLATFORM, { frozen: true }) }],
    ['an account of the platform that is another wallet’s', 'platform_error', { platform: foreign }],
  ]

  test.each(FAILURES)('%s fails the charge: %s', (_, code, accounts) => {
    expect(judgeCharge(PULL, view(accounts), true)).toEqual({ is: 'failed', code })
  })

  test('a cause that only a new approval ends comes before a cause that time may end', () => {
    const source = account(WALLET, { frozen: true, amount: 0n, delegate: null })
    expect(judgeCharge(PULL, view({ source, payout: foreign }), true)).toEqual({
      is: 'failed',
      code: 'delegate_revoked',
    })
    expect(RECOVERY.delegate_revoked).toBe('reapprove')
  })

  test('a missing payout account is created, unless it was created for the business within 30 days', () => {
    expect(judgeCharge(PULL, view({ payout: null }), true)).toEqual({ is: 'go' })
    expect(judgeCharge(PULL, view({ payout: null }), false)).toEqual({ is: 'failed', code: 'destination_unavailable' })
  })

  test('a missing account of the platform is created at any time', () => {
    expect(judgeCharge(PULL, view({ platform: null }), false)).toEqual({ is: 'go' })
  })

  test('a business that subscribes with its own payout wallet cannot be paid by itself', () => {
    const own = chargeTransfer(CHARGED, { ...TERMS, payoutOwner: WALLET }, { wallet: WALLET, delegate: DELEGATE })
    const accounts = view({ receivers: new Map([[WALLET, account(WALLET)]]) })
    expect(judgeCharge(own, accounts, true)).toEqual({ is: 'failed', code: 'destination_unavailable' })
  })

  test('an empty fee payer delays a charge, and is no failure of it', () => {
    expect(judgeCharge(PULL, view({ feePayerLamports: 100n }), true)).toEqual({ is: 'later', delay: UNFUNDED })
  })

  test('the legs are the payout and the platform fee, and pull exactly the amount of the charge', () => {
    expect(PULL.key).toBe(`charge:${CHARGED.subscriptionId}:4`)
    expect(PULL.legs).toEqual([
      { role: 'payout', destination: MERCHANT, amount: 970n, feeBps: null },
      { role: 'platform', destination: PLATFORM, amount: 30n, feeBps: 300 },
    ])
    expect(PULL).toMatchObject({ source: WALLET, authority: DELEGATE, asset: STABLECOIN })
  })

  test('a fee of nothing and a payout of nothing are no legs', () => {
    const of = (fee: bigint, platformWallet: typeof TERMS.platformWallet = PLATFORM) =>
      chargeTransfer(
        { ...CHARGED, feeAmount: units(fee), netAmount: units(1_000n - fee) },
        { ...TERMS, platformWallet, platformFeeBps: makeBasisPoints(10_000) },
        { wallet: WALLET, delegate: DELEGATE },
      ).legs.map(({ role, amount }) => [role, amount])
    expect(of(0n, null)).toEqual([['payout', 1_000n]])
    expect(of(0n)).toEqual([['payout', 1_000n]])
    expect(of(1_000n)).toEqual([['platform', 1_000n]])
    expect(() => of(1n, null)).toThrow(RangeError)
  })

  const READINGS: readonly (readonly [string, AccountState | null, object])[] = [
    ['no account', null, { is: 'missing' }],
    ['an account without data', { ...account(WALLET), token: null }, { is: 'missing' }],
    ['the account of another wallet', account(STRANGER), { is: 'missing' }],
    ['an account of another mint', account(WALLET, { mint: STRANGER }), { is: 'missing' }],
    [
      'an account without a delegate',
      account(WALLET, { delegate: null }),
      { is: 'open', delegate: null, delegated: 0n },
    ],
    [
      'a frozen account with a delegate',
      account(WALLET, { frozen: true, allowance: 7n }),
      { is: 'open', balance: 1_000n, frozen: true, delegate: DELEGATE.address, delegated: 7n },
    ],
  ]

  test.each(READINGS)('the allowance state of %s', (_, read, state) => {
    expect(allowanceState(read, { wallet: WALLET, mint: STABLECOIN })).toMatchObject(state)
  })

  test('the allowance of another delegate is not an allowance of the service', () => {
    const state = allowanceState(account(WALLET, { delegate: STRANGER, allowance: 5n }), {
      wallet: WALLET,
      mint: STABLECOIN,
    })
    expect(allowanceOf(state, DELEGATE.address)).toBe(0n)
    expect(allowanceOf(state, STRANGER)).toBe(5n)
    expect(allowanceOf({ is: 'missing' }, DELEGATE.address)).toBe(0n)
  })
})

// The failure code of a transaction that failed on the chain. docs/billing.md, "Charges".
describe('charge failure', () => {
  const instruction = (reason: unknown) => JSON.stringify({ InstructionError: [4, reason] })

  test('the accounts explain a failure, because one error has several causes', () => {
    const sources = {
      insufficient_funds: account(WALLET, { amount: 999n }),
      allowance_insufficient: account(WALLET, { allowance: 999n }),
      delegate_revoked: account(WALLET, { delegate: null }),
      account_closed: null,
    }
    for (const [code, source] of Object.entries(sources))
      expect(failureOfTransaction(instruction({ Custom: 1 }), PULL, view({ source }))).toBe(code)
  })

  test('a missing payout account explains an error about an account, and no other', () => {
    const failure = (reason: unknown) => failureOfTransaction(instruction(reason), PULL, view({ payout: null }))
    expect(failure('InvalidAccountData')).toBe('destination_unavailable')
    expect(failure('IncorrectProgramId')).toBe('destination_unavailable')
    expect(failure({ Custom: 1 })).toBe('insufficient_funds')
    expect(failure({ Custom: 4 })).toBe('chain_unavailable')
  })

  const TEMPORARY: readonly (readonly [error: string, code: FailureCode])[] = [
    [instruction({ Custom: 1 }), 'insufficient_funds'],
    [instruction({ Custom: 17 }), 'account_frozen'],
    [instruction({ Custom: 4 }), 'chain_unavailable'],
    [instruction({ Custom: 9 }), 'chain_unavailable'],
    [instruction('InvalidAccountData'), 'chain_unavailable'],
    [instruction('IncorrectProgramId'), 'chain_unavailable'],
    ['"InsufficientFundsForFee"', 'chain_unavailable'],
    ['{"InsufficientFundsForRent":{"account_index":3}}', 'chain_unavailable'],
  ]

  test.each(TEMPORARY)('%s on accounts that allow the pull by now is %s, which a retry may end', (error, code) => {
    expect(failureOfTransaction(error, PULL, view())).toBe(code)
    expect(failureOfTransaction(error, PULL, null)).toBe(code)
    expect(RECOVERY[code]).toBe('retry')
  })

  test.each([
    instruction({ Custom: 67 }),
    instruction('ComputationalBudgetExceeded'),
    '"AccountInUse"',
    '7',
    'not JSON',
  ])('%s is an error of the platform', (error) => {
    expect(failureOfTransaction(error, PULL, view())).toBe('platform_error')
  })

  test('a charge that never landed is a failure of the chain, and one that was never signed is the platform’s', () => {
    expect(failureOfGivingUp({ signature: signatureNo(1) })).toBe('chain_unavailable')
    expect(failureOfGivingUp({ signature: null })).toBe('platform_error')
  })
})
