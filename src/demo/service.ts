// The service as the demo reaches it: as a shop, as a buyer and, for the shop's webhook URL, as the operator. Each
// question ends in good time, answered or not.
import { createClient } from 'graphql-ws'
import { z } from 'zod'
import type { DemoFacts } from '#sandbox/demo-facts.ts'

/** A sentence for the person who runs the demo. */
export class DemoError extends Error {}

const ANSWER_WITHIN_MS = 15_000
/** How often a silent connection is asked whether it is still there, and how long it may take to say so. */
const PING_EVERY_MS = 3_000

const nothingAnswers = ({ base_url }: DemoFacts): DemoError =>
  new DemoError(`Nothing answers at ${base_url}: run \`npm start\` in another terminal, and leave it running.`)

const ended = ({ base_url }: DemoFacts): DemoError =>
  new DemoError(`The service at ${base_url} ended before the payment did: start it again, then run the demo again.`)

async function post(facts: DemoFacts, path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(facts.base_url + path, { ...init, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })
  } catch {
    throw nothingAnswers(facts)
  }
}

export type Rest = (method: 'GET' | 'POST', path: string, given: { key?: string; body?: object }) => Promise<unknown>

export function restClient(facts: DemoFacts): Rest {
  return async (method, path, { key, body }) => {
    const response = await post(facts, path, {
      method,
      headers: { 'content-type': 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!response.ok)
      throw new DemoError(`${method} ${path.replace(/\?.*/, '')} answered ${response.status}: ${await response.text()}`)
    return await response.json()
  }
}

export type OperatorClient = {
  webhookUrl(): Promise<string | null>
  setWebhookUrl(url: string | null): Promise<void>
}

const accountAnswer = z.object({ data: z.object({ account: z.object({ webhookUrl: z.string().nullable() }) }) })

export function operatorClient(facts: DemoFacts, token: string): OperatorClient {
  const ask = async (query: string, variables: object): Promise<unknown> => {
    const response = await post(facts, '/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query, variables: { id: facts.account_id, ...variables } }),
    })
    const answer = await response.text()
    if (answer.includes('"errors"')) throw new DemoError(`The demo business's webhook could not be set: ${answer}`)
    return JSON.parse(answer)
  }
  return {
    async webhookUrl() {
      const answer = await ask('query Demo($id: UUID!) { account(id: $id) { webhookUrl } }', {})
      return accountAnswer.parse(answer).data.account.webhookUrl
    },
    async setWebhookUrl(url) {
      await ask(
        'mutation Demo($id: UUID!, $url: Text) { updateAccount(id: $id, input: { webhookUrl: $url }) { id } }',
        {
          url,
        },
      )
    },
  }
}

const update = z.object({ checkoutUpdated: z.object({ status: z.string(), message: z.string() }) })
export type Status = z.infer<typeof update>['checkoutUpdated']

/** Tells each status as it comes over the websocket; resolves at `last`, rejects when none can come any more. */
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
        // GraphQL's errors come as a list; everything else is a connection that was lost.
        error: (error) => reject(Array.isArray(error) ? new DemoError(JSON.stringify(error)) : ended(facts)),
        // A service that is stopped ends its streams in order.
        complete: () => reject(ended(facts)),
      },
    )
  })
}

/** One connection, never made anew: a service that hangs is noticed by the pings that it leaves unanswered. */
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
