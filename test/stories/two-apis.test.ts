// Two API processes over one database: what one is asked, the other knows.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { newPerson } from '../support/approves.ts'
import { createPostgresDatabase } from '../support/database.ts'
import { freePort } from '../support/free-port.ts'
import { serverSentEvents, subscribe, webSocketClient } from '../support/graphql-client.ts'
import { ADD, newBrowser, type TestBrowser, tokenOf } from '../support/members-edge.ts'
import { type Json, STORY_TIMEOUT_MS, type Story, startProcess, startStory } from '../support/running-service.ts'

vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

const ORIGIN = 'https://pay.example.com'
const SHARED = { PUBLIC_URL: ORIGIN, RATE_LIMITS: '0' }
const ends: (() => Promise<unknown>)[] = []
let story: Story
let urls: { readonly one: string; readonly other: string }

beforeAll(async () => {
  const { url: DATABASE_URL, drop } = await createPostgresDatabase()
  ends.push(drop)
  const { stop, ...started } = await startStory({ ...SHARED, DATABASE_URL })
  ends.push(stop)
  story = started
  const { dataDir, operatorToken: OPERATOR_TOKEN, facts } = story
  const port = await freePort()
  const { stop: stopOther } = await startProcess(join(dataDir, 'other'), port, {
    ...{
      ...SHARED,
      DATABASE_URL,
      OPERATOR_TOKEN,
      ROLE: 'api',
      SANDBOX: '1',
      SOLANA_RPC_URL: facts.rpc_url,
      PRICE_FEEDS: 'fixed:SOL=150',
    },
    MASTER_SEED: (await readFile(join(dataDir, 'master-seed'), 'utf8')).trim(),
  })
  ends.push(stopOther)
  urls = { one: facts.operator_url, other: `http://127.0.0.1:${port}` }
})
afterAll(async () => {
  for (const end of ends.reverse()) await end()
})

async function ask(url: string, path: string, body: object | null, headers: Record<string, string>) {
  const response = await fetch(url + path, {
    method: body === null ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== null && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
}
const withKey = () => ({ authorization: `Bearer ${story.facts.api_key}` })
const pay = (url: string, headers: Record<string, string> = {}) =>
  ask(url, '/intents', { amount_usd_cents: 1_500, accepted_tokens: [{ kind: 'sol' }] }, { ...withKey(), ...headers })
const browserAt = (url: string): TestBrowser =>
  newBrowser((query, variables = {}, headers = {}) => ask(url, '/graphql', { query, variables }, headers), ORIGIN)

async function asOperator(url: string, query: string, variables: object): Promise<Json> {
  const headers = { authorization: `Bearer ${story.operatorToken}` }
  const { body, text } = await ask(url, '/operator/graphql', { query, variables }, headers)
  if (body.errors !== undefined) throw new Error(text)
  return Object.values(body.data)[0]
}
async function invited(url: string): Promise<string> {
  const query = `mutation ($id: UUID!) { inviteAccountMember(accountId: $id, name: "Ada", role: owner) { url } }`
  return tokenOf((await asOperator(url, query, { id: story.facts.account_id })).url)
}
/** Logs in at one process. Returns the browser, and the same browser at the other process. */
async function loggedIn() {
  const [here, there] = [browserAt(urls.one), browserAt(urls.other)]
  const wallet = newPerson()
  await here.addWallet(wallet, await invited(urls.other))
  there.cookie = here.cookie
  return { here, there, wallet }
}
const memberOf = async (browser: TestBrowser): Promise<string | undefined> =>
  (await browser.graphql('{ me { member { name } } }')).body.data?.me?.member.name

it('requests with one idempotency key, sent to both at once, create one payment', async () => {
  const headers = { 'idempotency-key': 'order-of-two' }
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, at) => pay(at % 2 === 0 ? urls.one : urls.other, headers)),
  )
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1)
  expect(answers.filter((answer) => answer.headers.get('idempotent-replayed') === null)).toHaveLength(1)
})

it('a link that was used at one is used up at the other', async () => {
  const link = await invited(urls.one)
  const [here, there] = [browserAt(urls.one), browserAt(urls.other)]
  const [first, second] = [newPerson(), newPerson()]
  const late = await there.sign(second, 'add_login', link)
  expect((await here.addWallet(first, link)).body.data.addWalletLogin).not.toBeNull()
  const { body } = await there.graphql(ADD, { ...late, link })
  expect(body.errors[0].extensions.code).toBe('login_link_not_found')
})

it('a challenge of one is answered at the other, once', async () => {
  const { here, wallet } = await loggedIn()
  const { body } = await browserAt(urls.other).logIn(wallet)
  expect(body.data.logInWithWallet).not.toBeNull()
  const proof = await here.sign(wallet, 'log_in')
  const answer = (url: string) => {
    const query = `mutation ($wallet: SolanaAddress!, $nonce: String, $signature: String) {
      logInWithWallet(wallet: $wallet, nonce: $nonce, signature: $signature) { me { member { name } } } }`
    return browserAt(url).graphql(query, proof)
  }
  const answers = await Promise.all([answer(urls.one), answer(urls.other)])
  const opened = answers.filter((one) => one.body.data.logInWithWallet !== null)
  expect(opened).toHaveLength(1)
})

it('a session of one is a session at the other, and ends at both', async () => {
  const { here, there } = await loggedIn()
  expect(await memberOf(there)).toBe('Ada')
  await here.graphql('mutation { logOut { id } }')
  await expect.poll(() => memberOf(there)).toBeUndefined()
})

it('a key that was revoked at one is refused at the other', async () => {
  const create = 'mutation ($id: UUID!) { createAccountKey(accountId: $id) { key { id } apiKey } }'
  const { key, apiKey } = await asOperator(urls.one, create, { id: story.facts.account_id })
  const status = async () => (await ask(urls.other, '/payments', null, { authorization: `Bearer ${apiKey}` })).status
  expect(await status()).toBe(200)
  await asOperator(urls.one, 'mutation ($id: UUID!) { revokeAccountKey(id: $id) { id } }', { id: key.id })
  await expect.poll(status).toBe(401)
})

it('an event of one is streamed at the other, by a websocket and by server-sent events', async () => {
  const query = 'subscription { eventAdded { event { type data } } }'
  const client = webSocketClient(urls.other, { Authorization: withKey().authorization })
  const results = subscribe(client, query)
  const [bySocket, response] = [
    results.next(),
    await fetch(`${urls.other}/graphql`, {
      method: 'POST',
      headers: { ...withKey(), 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query }),
    }),
  ]
  const events = serverSentEvents(response)
  const byEvents = events.next()
  // A stream shows what follows its begin, so payments are made until both have one.
  let isOver = false
  const seen = Promise.all([bySocket, byEvents]).finally(() => (isOver = true))
  const made: string[] = []
  while (!isOver) made.push((await pay(urls.one)).body.id)
  const [socket, { value: event }] = await seen
  for (const result of [socket, event]) expect(made).toContain(Object(result.data).eventAdded.event.data.id)
  await results.stop()
  await client.dispose()
})

it('selections of an asset at both count together', async () => {
  const { body } = await pay(urls.one)
  const select = async (url: string) =>
    (await ask(url, '/intents/select-token', { client_secret: body.client_secret, mint: null }, {})).status
  const statuses: number[] = []
  for (let at = 0; at < 15; at += 1) statuses.push(await select(at % 2 === 0 ? urls.one : urls.other))
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect([await select(urls.one), await select(urls.other)]).toEqual([429, 429])
})
