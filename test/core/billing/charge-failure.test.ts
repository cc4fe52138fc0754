// The failure code of a transaction that failed on the chain. docs/billing.md, "Charges".
import { expect, test } from 'vitest'
import { type FailureCode, RECOVERY } from '#core/billing/charge.ts'
import { failureOfGivingUp, failureOfTransaction } from '#core/billing/charge-failure.ts'
import { account, PULL, view, WALLET } from '../../support/charge.ts'
import { signatureNo } from '../../support/payment.ts'

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

test.each([instruction({ Custom: 67 }), instruction('ComputationalBudgetExceeded'), '"AccountInUse"', '7', 'not JSON'])(
  '%s is an error of the platform',
  (error) => {
    expect(failureOfTransaction(error, PULL, view())).toBe('platform_error')
  },
)

test('a charge that never landed is a failure of the chain, and one that was never signed is the platform’s', () => {
  expect(failureOfGivingUp({ signature: signatureNo(1) })).toBe('chain_unavailable')
  expect(failureOfGivingUp({ signature: null })).toBe('platform_error')
})
