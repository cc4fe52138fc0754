import { expect, it } from 'vitest'
import { startTestService, withKey } from '../../../support/services.ts'

it.each(['/marketplace/payments', '/marketplace/payments/6f1c1f6e-7f3b-4a58-9a0e-2f6c0f3f9a11'])(
  'GET %s answers 401 without a key and to a revoked one',
  async (path) => {
    const service = await startTestService()
    for (const headers of [{}, withKey('sk_live_revoked')]) {
      const { status, body } = await service.get(path, headers)
      expect([status, body]).toEqual([401, { error: 'missing or invalid API key' }])
    }
    await service.close()
  },
)
