// Wrong tokens of buyers and subscribers, many in one operation.
import { expect, it } from 'vitest'
import { ServiceError } from '#core/errors.ts'
import { DEFAULT_RATE_LIMITS } from '#graphql/limits.ts'
import { openWebSocket } from '../support/raw-connections.ts'
import { startTestService, type TestService } from '../support/services.ts'
import { until } from '../support/until.ts'

const ALIASES = 15
const LIMIT = 5

type Kind = {
  readonly field: string
  readonly argument: string
  readonly selected: string
  readonly code: 'checkout_not_found' | 'portal_not_found' | 'invalid_client_secret'
}
const KINDS: readonly Kind[] = [
  { field: 'subscriptionCheckout', argument: 'token', selected: 'merchantName', code: 'checkout_not_found' },
  { field: 'subscriptionPortal', argument: 'token', selected: 'merchantName', code: 'portal_not_found' },
  { field: 'checkout', argument: 'clientSecret', selected: 'status', code: 'invalid_client_secret' },
]

const guesses = ({ field, argument, selected }: Kind): string => {
  const tries = Array.from(
    { length: ALIASES },
    (_, at) => `a${at}: ${field}(${argument}: "wrong${at}") { ${selected} }`,
  )
  return `{ ${tries.join(' ')} }`
}

type Errors = readonly { readonly extensions: { readonly code: string } }[]
const codesOf = (errors: Errors): readonly string[] => errors.map(({ extensions }) => extensions.code).toSorted()

const overHttp = async (service: TestService, query: string) => codesOf((await service.graphql(query)).body.errors)

async function overWebSocket(service: TestService, query: string) {
  const raw = await openWebSocket(service)
  await raw.init()
  raw.send({ type: 'subscribe', id: '1', payload: { query } })
  await until(() => raw.received.some(({ type }) => type === 'next'))
  raw.socket.terminate()
  const { errors }: { errors: Errors } = Object(raw.received.find(({ type }) => type === 'next')?.payload)
  return codesOf(errors)
}

const WAYS = [
  { way: 'HTTP', ask: overHttp },
  { way: 'a websocket', ask: overWebSocket },
]

it.each(KINDS.flatMap((kind) => WAYS.map((way) => ({ ...kind, ...way }))))(
  'of $field over $way open nothing, and above the limit of the address an operation looks one of them up',
  async ({ ask, ...kind }) => {
    let looked = 0
    let read = 0
    const refuse = async (): Promise<never> => {
      read += 1
      throw new ServiceError(kind.code)
    }
    const service = await startTestService({
      settings: { rateLimits: { ...DEFAULT_RATE_LIMITS, publicAddressPerMinute: LIMIT } },
      services: {
        credentials: {
          async requireIssued() {
            looked += 1
            throw new ServiceError(kind.code)
          },
        },
        intents: { checkoutStatus: refuse },
        subscriptionCheckout: { readCheckout: refuse },
        subscriptionPortal: { readPortal: refuse },
      },
    })
    const own = Array.from({ length: LIMIT }, () => kind.code)
    const limited = Array.from({ length: ALIASES - LIMIT }, () => 'rate_limited')
    expect(await ask(service, guesses(kind))).toEqual([...own, ...limited].toSorted())
    expect([looked, read]).toEqual([LIMIT + 1, 0])
    expect(new Set(await ask(service, guesses(kind)))).toEqual(new Set(['rate_limited']))
    expect([looked, read]).toEqual([LIMIT + 2, 0])
    await service.close()
  },
)
