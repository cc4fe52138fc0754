// What the start says of a server that it cannot use. A message of the system is never shown: it can contain a part of a password.
import { expect, it } from 'vitest'
import { withClass } from '#adapters/prisma/engine/unavailable.ts'
import { unusableServer } from '#adapters/prisma/engine/unusable-server.ts'

const CORRECT = 'correct this, and start the service again'

it.each([
  ['ECONNREFUSED', 'no database listens there (ECONNREFUSED)', undefined],
  ['ENOTFOUND', 'its host is not known (ENOTFOUND)', undefined],
  ['EAI_AGAIN', 'its host is not known (EAI_AGAIN)', undefined],
  ['ETIMEDOUT', 'the database cannot be reached (ETIMEDOUT)', undefined],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'the database cannot be reached (SELF_SIGNED_CERT_IN_CHAIN)', CORRECT],
])('%s is explained, and the address only where it can be the cause', (code, message, advice) => {
  const error = withClass(Object.assign(new Error('connect to pass@host'), { code }))
  expect(unusableServer('directUrl', error)).toMatchObject({ address: 'directUrl', message, advice })
})
