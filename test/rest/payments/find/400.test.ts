import { expect, it } from 'vitest'
import { startTestService, withKey } from '../../../support/services.ts'

it('GET /intents answers 400 without exactly one valid reference', async () => {
  const service = await startTestService()
  for (const query of [
    '',
    '?reference=',
    '?reference=a&reference=b',
    '?reference=a%00b',
    `?reference=${'a'.repeat(501)}`,
  ]) {
    const { status, body } = await service.get(`/intents${query}`, withKey())
    expect([query, status, body.error]).toEqual([query, 400, expect.stringMatching(/^reference /)])
  }
  await service.close()
})
