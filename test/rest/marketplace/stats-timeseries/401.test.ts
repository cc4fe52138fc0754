import { expect, it } from 'vitest'
import { startTestService, withKey } from '../../../support/services.ts'

it('GET /marketplace/stats/timeseries answers 401 without a key and to a revoked one', async () => {
  const service = await startTestService()
  for (const headers of [{}, withKey('sk_live_revoked')]) {
    const { status, body } = await service.get('/marketplace/stats/timeseries', headers)
    expect([status, body]).toEqual([401, { error: 'missing or invalid API key' }])
  }
  await service.close()
})
