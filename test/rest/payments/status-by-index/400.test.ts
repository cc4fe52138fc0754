import { expect, it } from 'vitest'
import { startTestService, withKey } from '../../../support/services.ts'

it('GET /status answers 400 without exactly one valid index', async () => {
  const service = await startTestService()
  const queries = ['', '?index=', '?index=x', '?index=-1', '?index=1.5', '?index=1&index=2', '?index=1e3']
  for (const query of queries) {
    const { status, body } = await service.get(`/status${query}`, withKey())
    expect([query, status, body.error]).toEqual([query, 400, expect.stringMatching(/^index /)])
  }
  await service.close()
})
