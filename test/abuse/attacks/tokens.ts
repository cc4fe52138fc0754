// Attacks by tokens of buyers and subscribers that no one has issued.
import { randomBytes } from 'node:crypto'
import type { Attack } from '../attack.ts'
import { ask, createTally, json, message, openWebSocket, pause, pour, repeat } from '../wire.ts'

const ALIASES = 15
const SOCKETS = 50
const CLIENTS = 32
const WALLET = '7RXtDPWyeUhJpUg9Cnw1Nuhn1kRtWTLXQuZGAMk9wQCV'

const guess = (prefix: string): string => prefix + randomBytes(32).toString('base64url')

type Guesses = { readonly query: string; readonly prefix: string }

/** Repeats a field with a token of its own, as often as a document may. */
function repeated(prefix: string, kind: 'query' | 'mutation', field: (variable: string) => string): Guesses {
  const variables = Array.from({ length: ALIASES }, (_, at) => `$t${at}`)
  const fields = variables.map((variable, at) => `a${at}: ${field(variable)}`)
  return { prefix, query: `${kind} (${variables.map((name) => `${name}: String!`)}) { ${fields.join(' ')} }` }
}

const GUESSES: readonly Guesses[] = [
  repeated('co_', 'query', (token) => `subscriptionCheckout(token: ${token}) { merchantName }`),
  repeated('po_', 'query', (token) => `subscriptionPortal(token: ${token}) { merchantName }`),
  repeated('cs_', 'query', (secret) => `checkout(clientSecret: ${secret}) { status }`),
  repeated('po_', 'mutation', (token) => `revokePortalAllowance(token: ${token}) { approvalId }`),
  repeated(
    '',
    'mutation',
    (nonce) => `recoverPortalLinks(wallet: "${WALLET}", nonce: ${nonce}, signature: "1") { portalUrl }`,
  ),
]

/** Returns the body of an operation, each with new tokens. */
function operationOf(number: number): object {
  const { query, prefix } = GUESSES[number % GUESSES.length] ?? { query: '', prefix: '' }
  const variables = Object.fromEntries(Array.from({ length: ALIASES }, (_, at) => [`t${at}`, guess(prefix)]))
  return { query, variables }
}

/** The routes of REST and of the pages that look one token up. */
const PATHS: readonly (() => string)[] = [
  () => `/pay/s/${guess('co_')}`,
  () => `/pay/m/${guess('po_')}`,
  () => `/pay/i/${guess('cs_')}`,
  () => `/intents/status?client_secret=${guess('cs_')}`,
]

export const wrongTokens: Attack = {
  name: 'wrong-tokens',
  what: '50 websockets and 32 clients at one address try tokens of every kind, up to 15 in one operation',
  isCheap: true,
  async run(target, signal) {
    const tally = createTally()
    let sent = 0
    const bySocket = repeat(SOCKETS, signal, async () => {
      const socket = await openWebSocket(target, signal)
      if (socket === null) return await pause(signal)
      socket.resume()
      socket.write(message({ type: 'connection_init' }))
      await pour(
        socket,
        () => {
          sent += 1
          return message({ type: 'subscribe', id: String(sent), payload: operationOf(sent) })
        },
        signal,
      )
      socket.destroy()
    })
    let asked = 0
    const byRequest = repeat(CLIENTS, signal, async (place) => {
      asked += 1
      const path = PATHS[asked % PATHS.length]?.() ?? '/'
      const accept = place % 2 === 0 ? 'text/html' : 'application/json'
      const request = place % 4 === 0 ? json(operationOf(asked)) : { headers: { accept } }
      tally.add(await ask(target, place % 4 === 0 ? '/graphql' : path, request, signal))
    })
    await Promise.all([bySocket, byRequest])
    const { count, did, faults } = tally.deed()
    return { count: count + sent, did: `${sent} operations over websockets; ${did}`, faults }
  },
}
