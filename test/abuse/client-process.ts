// The requests of the shop, at a steady pace, in their own process: mostly reads of a payment, sometimes a new payment.
import { Agent, request } from 'node:http'

export type Shop = {
  readonly port: number
  readonly apiKey: string
  readonly index: number
  readonly perSecond: number
}
/** The milliseconds of each reply since the last report, and the failures. */
export type Report = { readonly latencies: readonly number[]; readonly failures: readonly string[] }

const MAX_MS = 10_000
const CREATES_ONE_IN = 10
const agent = new Agent({ keepAlive: true })
let latencies: number[] = []
let failures: string[] = []
let sent = 0

function send({ port, apiKey, index }: Shop): void {
  sent += 1
  const isCreate = sent % CREATES_ONE_IN === 0
  const began = performance.now()
  const fail = (why: string): void => {
    failures.push(why)
    latencies.push(MAX_MS)
  }
  const asked = request(
    {
      host: '127.0.0.1',
      port,
      agent,
      timeout: MAX_MS,
      method: isCreate ? 'POST' : 'GET',
      path: isCreate ? '/intents' : `/status?index=${index}`,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    },
    (response) => {
      response.resume()
      response.on('error', (error) => fail(error.message))
      response.on('end', () => {
        if (response.statusCode === 200) latencies.push(performance.now() - began)
        else fail(`answered ${response.statusCode}`)
      })
    },
  )
  asked.on('timeout', () => asked.destroy(new Error('no answer')))
  asked.on('error', (error) => fail(error.message))
  asked.end(isCreate ? JSON.stringify({ amount_usd_cents: 1_500, accepted_tokens: [{ kind: 'sol' }] }) : undefined)
}

process.on('message', (message: Shop | 'report') => {
  if (message !== 'report') {
    setInterval(() => send(message), 1_000 / message.perSecond)
    return
  }
  process.send?.({ latencies, failures } satisfies Report)
  latencies = []
  failures = []
})
