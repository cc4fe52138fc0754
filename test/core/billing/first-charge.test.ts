import { describe, expect, test } from 'vitest'
import { FAILURE_CODES, RECOVERY } from '#core/billing/charge.ts'
import { firstChargeOf, needsReapproval } from '#core/billing/first-charge.ts'
import { exampleCharge } from '../../support/example-subscription.ts'

const shown = (patch: Partial<typeof exampleCharge>) => firstChargeOf({ ...exampleCharge, ...patch }, 'solana:mainnet')

describe('the first charge', () => {
  test.each(FAILURE_CODES)('that failed with %s says what makes it possible again', (failureCode) => {
    const failed = { ...exampleCharge, status: 'failed', failureCode } as const
    expect(shown(failed)).toMatchObject({
      status: 'failed',
      recoveryAction: RECOVERY[failureCode],
      isGivenUp: false,
    })
    expect(needsReapproval(failed)).toBe(RECOVERY[failureCode] === 'reapprove')
  })

  test.each([null, ...FAILURE_CODES])(
    'that was given up after %s offers nothing, because nothing can be done',
    (code) => {
      const canceled = { ...exampleCharge, status: 'canceled', failureCode: code } as const
      expect(shown(canceled)).toMatchObject({ status: 'failed', recoveryAction: 'none', isGivenUp: true })
      expect(needsReapproval(canceled)).toBe(false)
    },
  )

  test.each(['pending', 'submitted', 'succeeded'] as const)('that is %s needs no recovery', (status) => {
    expect(shown({ status })).toMatchObject({ recoveryAction: null, isGivenUp: false })
  })
})
