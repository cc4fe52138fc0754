// The failure code of a transaction that failed on the chain. docs/billing.md, "Charges".
import { expect, test } from 'vitest'
import { type FailureCode, RECOVERY } from '#core/billing/charge.ts'
import { failureOfGivingUp, failureOfTransaction } from '#core/billing/charge-failure.ts'
import { signatureNo } from '../../support/payment.ts'

const instruction = (reason: unknown) => JSON.stringify({ InstructionError: [4, reason] })

test('the accounts explain a failure, because one error has several causes', () => {
  for (const code of ['insufficient_funds', 'allowance_insufficient', 'delegate_revoked', 'account_closed'] as const)
    expect(failureOfTransaction(instruction({ Custom: 1 }), code)).toBe(code)
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
  expect(failureOfTransaction(error, null)).toBe(code)
  expect(RECOVERY[code]).toBe('retry')
})

test.each([instruction({ Custom: 67 }), instruction('ComputationalBudgetExceeded'), '"AccountInUse"', '7', 'not JSON'])(
  '%s is an error of the platform',
  (error) => {
    expect(failureOfTransaction(error, null)).toBe('platform_error')
  },
)

test('a charge that never landed is a failure of the chain, and one that was never signed is the platform’s', () => {
  expect(failureOfGivingUp({ signature: signatureNo(1) })).toBe('chain_unavailable')
  expect(failureOfGivingUp({ signature: null })).toBe('platform_error')
})
