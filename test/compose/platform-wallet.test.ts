import { describe, expect, it } from 'vitest'
import { judgePlatformWallet } from '#compose/platform-wallet.ts'
import { ConfigError } from '#config/setting.ts'
import { ServiceError } from '#core/errors.ts'
import type { JudgeSweepDestination } from '#services/accounts/sweep-destination.ts'
import { addressNo } from '../support/payment.ts'

const WALLET = addressNo(1)
const refusingOn =
  (refused: string, error: Error): JudgeSweepDestination =>
  async (network, address) => {
    if (network === refused && address === WALLET) throw error
  }

describe("the platform's wallet", () => {
  it.each(['live', 'test'])(
    'stops the start with one line when it cannot be paid on the %s network',
    async (network) => {
      const refusal = new ServiceError('invalid_address', { field: 'PLATFORM_WALLET', rule: 'is a fee payer' })
      const judging = judgePlatformWallet(WALLET, refusingOn(network, refusal))
      await expect(judging).rejects.toEqual(new ConfigError('PLATFORM_WALLET: is a fee payer; write another wallet'))
      await expect(judging).rejects.toBeInstanceOf(ConfigError)
    },
  )

  it('is judged only where there is one', async () => {
    await judgePlatformWallet(null, () => Promise.reject(new Error('not expected here')))
    await judgePlatformWallet(addressNo(2), refusingOn('live', new Error('not expected here')))
  })

  it('is no reason for what went wrong otherwise', async () => {
    const defect = new Error('the database is away')
    await expect(judgePlatformWallet(WALLET, refusingOn('live', defect))).rejects.toBe(defect)
  })
})
