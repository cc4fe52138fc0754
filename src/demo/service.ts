// Calls the service as a shop, as a buyer and, to open the shop, as the operator. Each call has a time limit.
import { createClient } from 'graphql-ws'
import { z } from 'zod'
import type { DemoFacts } from '#sandbox/demo-facts.ts'

/** A sentence for the person who runs the demo. */
export class DemoError extends Error {}

/** An answer with a status that is no success. */
export class RefusedError extends DemoError {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Shows a line with the time that has passed. */
export type Say = (line: string) => void

/** Longer than the longest answer: an activation waits 15 seconds for the chain. */
const ANSWER_WITHIN_MS = 20_000
/** How often a silent connection is pinged, and how long it may take to answer. */
const PING_EVERY_MS = 3_000

export const nothingAnswers = ({ base_url }: DemoFacts): DemoError =>
  new DemoError(`Nothing answers at ${base_url}: run \`npm start\` in another terminal, and leave it running.`)

const ended = ({ base_url }: DemoFacts): DemoError =>
  new DemoError(`The service at ${base_url} ended before the payment did: start it again, then run the demo again.`)

async function post(facts: DemoFacts, url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })
  } catch {
    throw nothingAnswers(facts)
  }
}

type Given = {
  readonly key?: string
  readonly body?: object
  /** The seller that the call is for. */
  readonly onBehalfOf?: string
}
export type Rest = (method: 'GET' | 'POST', path: string, given: Given) => Promise<unknown>

/** Throws `keyRefused` when the service refuses the key of a call. */
export function restClient(facts: DemoFacts, keyRefused: () => DemoError): Rest {
  return async (method, path, { key, body, onBehalfOf }) => {
    const response = await post(facts, facts.base_url + path, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(onBehalfOf !== undefined && { 'x-platform-on-behalf-of': onBehalfOf }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (response.status === 401 && key !== undefined) throw keyRefused()
    const { status } = response
    if (!response.ok)
      throw new RefusedError(
        status,
        `${method} ${path.replace(/\?.*/, '')} answered ${status}: ${await response.text()}`,
      )
    return await response.json()
  }
}

const shop = z.object({ account_id: z.string(), api_key: z.string(), webhook_secret: z.string() })

type NewAccount = {
  readonly name: string
  readonly label: string
  readonly sweepDestination: string
  readonly webhookUrl: string
}

export type OperatorClient = {
  createAccount(account: NewAccount): Promise<z.infer<typeof shop>>
  /** Returns false when the account does not exist. */
  setWebhookUrl(accountId: string, url: string | null): Promise<boolean>
  /** Makes the account a marketplace, with `feeBps` as its rate. */
  approveMarketplace(accountId: string, feeBps: number): Promise<void>
  /** Gives the wallet base units of a demo token. */
  fund(wallet: string, mint: string, amount: bigint): Promise<void>
  /** Adds made-up payments of a month to the account. Returns how many. */
  addExamplePayments(accountId: string, monthsAgo: number): Promise<number>
  /** Moves the clock of the sandbox and of its chain. Returns the time after the move. */
  advanceClock(seconds: number): Promise<Date>
}

const answered = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z.array(z.object({ message: z.string(), extensions: z.object({ code: z.string() }) })).optional(),
})
const created = z.object({
  createAccount: z.object({ account: z.object({ id: z.string() }), apiKey: z.string(), webhookSecret: z.string() }),
})

const CREATE = `mutation Demo($input: CreateAccountInput!) {
  createAccount(input: $input) { account { id } apiKey webhookSecret }
}`
const SET_WEBHOOK_URL =
  'mutation Demo($id: UUID!, $url: Text) { updateAccount(id: $id, input: { webhookUrl: $url }) { id } }'
const APPROVE = `mutation Demo($accountId: UUID!, $terms: MarketplaceTermsInput) {
  approveMarketplace(accountId: $accountId, terms: $terms) { status }
}`
const FUND = 'mutation Demo($input: FaucetInput!) { faucet(input: $input) { signature } }'
const ADD_EXAMPLES = `mutation Demo($accountId: UUID!, $monthsAgo: Int!) {
  addExamplePayments(accountId: $accountId, monthsAgo: $monthsAgo) { count }
}`
const added = z.object({ addExamplePayments: z.object({ count: z.number() }) })
const ADVANCE = 'mutation Demo($seconds: Int!) { advanceClock(seconds: $seconds) { now } }'
const moved = z.object({ advanceClock: z.object({ now: z.coerce.date() }) })

export function operatorClient(facts: DemoFacts, token: string): OperatorClient {
  const ask = async (query: string, variables: object): Promise<z.infer<typeof answered>> => {
    const response = await post(facts, `${facts.operator_url}/operator/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query, variables }),
    })
    return answered.parse(await response.json())
  }
  const refusal = (message: string): DemoError =>
    new DemoError(`The operator's API at ${facts.operator_url} refuses the demo: ${message}`)
  return {
    async createAccount(account) {
      const { data, errors = [] } = await ask(CREATE, { input: { ...account, mode: 'live' } })
      for (const { message } of errors) throw refusal(message)
      const { account: made, apiKey, webhookSecret } = created.parse(data).createAccount
      return { account_id: made.id, api_key: apiKey, webhook_secret: webhookSecret }
    },
    async setWebhookUrl(id, url) {
      const { errors = [] } = await ask(SET_WEBHOOK_URL, { id, url })
      if (errors.some(({ extensions }) => extensions.code === 'account_not_found')) return false
      for (const { message } of errors) throw refusal(message)
      return true
    },
    async approveMarketplace(accountId, feeBps) {
      const { errors = [] } = await ask(APPROVE, { accountId, terms: { defaultFeeBps: feeBps } })
      for (const { message } of errors) throw refusal(message)
    },
    async fund(address, asset, amount) {
      const { errors = [] } = await ask(FUND, { input: { network: 'live', address, asset, amount: String(amount) } })
      for (const { message } of errors) throw refusal(message)
    },
    async addExamplePayments(accountId, monthsAgo) {
      const { data, errors = [] } = await ask(ADD_EXAMPLES, { accountId, monthsAgo })
      for (const { message } of errors) throw refusal(message)
      return added.parse(data).addExamplePayments.count
    },
    async advanceClock(seconds) {
      const { data, errors = [] } = await ask(ADVANCE, { seconds })
      for (const { message } of errors) throw refusal(message)
      return moved.parse(data).advanceClock.now
    },
  }
}

const update = z.object({ checkoutUpdated: z.object({ status: z.string(), message: z.string() }) })
export type Status = z.infer<typeof update>['checkoutUpdated']

/**
 * Calls `onStatus` with each status from the websocket. Resolves at `last`; rejects when no further status can follow.
 */
export function followUntil(
  facts: DemoFacts,
  { clientSecret, last, onStatus }: { clientSecret: string; last: string; onStatus: (status: Status) => void },
): Promise<void> {
  const client = liveClient(`${facts.base_url.replace(/^http/, 'ws')}/graphql`)
  const query =
    'subscription Live($clientSecret: String!) { checkoutUpdated(clientSecret: $clientSecret) { status message } }'
  return new Promise((resolve, reject) => {
    client.subscribe(
      { query, variables: { clientSecret } },
      {
        next({ data }) {
          const status = update.parse(data).checkoutUpdated
          onStatus(status)
          if (status.status !== last) return
          resolve()
          void client.dispose()
        },
        // Errors of GraphQL arrive as a list; everything else is a lost connection.
        error: (error) => reject(Array.isArray(error) ? new DemoError(JSON.stringify(error)) : ended(facts)),
        // A service that stops gracefully completes its streams.
        complete: () => reject(ended(facts)),
      },
    )
  })
}

/** Opens one connection and never reconnects. Unanswered pings show that the service hangs. */
function liveClient(url: string) {
  let overdue: NodeJS.Timeout | undefined
  const client = createClient({
    url,
    retryAttempts: 0,
    keepAlive: PING_EVERY_MS,
    connectionAckWaitTimeout: ANSWER_WITHIN_MS,
    on: {
      ping: (received) => {
        if (!received) overdue = setTimeout(() => client.terminate(), PING_EVERY_MS)
      },
      pong: () => clearTimeout(overdue),
      closed: () => clearTimeout(overdue),
    },
  })
  return client
}
