// graphql-http's audit suite: the requirements of the GraphQL over HTTP specification for a server.
import { serverAudits } from 'graphql-http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestService, type TestService } from '../support/services.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

describe('GraphQL over HTTP', () => {
  for (const audit of serverAudits({ url: () => `${service.url}/graphql` })) {
    it(`${audit.id} ${audit.name}`, async () => {
      const result = await audit.fn()
      expect(result, JSON.stringify(result)).not.toMatchObject({ status: 'error' })
    })
  }
})
