// Every route, field and stream, asked by every kind of caller. table.txt has the answers, and `-u` writes it.
// SHOW=payment prints the requests and answers of the rows with this pattern in their name, and asks no others.
import { createClient } from 'graphql-ws'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { within } from '#lib/time.ts'
import { serverSentEvents } from '../support/graphql-client.ts'
import { type Answered, type Caller, cellOf, codeOf, openCallers } from './callers.ts'
import { ROWS, type Row } from './rows.ts'
import { ORIGIN, openWorld, type Sent, type Subject, type World } from './world.ts'

/** Ten thousand requests, on a machine that may be busy. */
vi.setConfig({ testTimeout: 900_000 })

let world: World
let opened: Awaited<ReturnType<typeof openCallers>>
beforeAll(async () => {
  world = await openWorld()
  opened = await openCallers(world)
})
afterAll(() => world?.close())

/** These end what others ask for, so they are asked last. */
const ENDS = /cancel|archive|DELETE|delete|remove|revoke|refuse|roll|end|logOut|disallow|simulateDeposit/
const inOrder = (): readonly Row[] => [
  ...ROWS.filter(({ name }) => !ENDS.test(name)),
  ...ROWS.filter(({ name }) => ENDS.test(name) && name !== 'logOut'),
  ...ROWS.filter(({ name }) => name === 'logOut'),
]

type Fresh = () => Promise<Partial<Subject>>
/** Makes another thing for a row that ends it, before each caller that may find that it is gone. */
function freshOf(name: string): Fresh | null {
  const { id, key } = opened.mine
  if (/^(DELETE .webhook-endpoints|deleteWebhookEndpoint)/.test(name))
    return async () => ({
      endpointId: (await world.must(key, 'POST', '/webhook-endpoints', { url: 'https://shop.example.com/old' })).id,
    })
  if (/api-keys.:id|revokeApiKey|rollApiKey|revokeAccountKey/.test(name))
    return async () => {
      const query = 'mutation ($id: UUID!) { createAccountKey(accountId: $id, scopes: [payments_view]) { key { id } } }'
      return { keyId: (await world.operator(query, { id })).key.id }
    }
  if (/remove(Account)?Member|removeLogin|endSession/.test(name)) return () => world.logIn(id, 'viewer', 'Old')
  if (/cancel\w*PayoutChange/.test(name))
    return async () => {
      const query = 'mutation ($wallet: SolanaAddress!) { changePayoutWallet(wallet: $wallet) { id } }'
      const headers = { cookie: (await world.logIn(id, 'owner')).cookie, origin: ORIGIN }
      const { body, text } = await world.graphql(query, { wallet: await world.newWallet() }, headers)
      if (body.data?.changePayoutWallet == null) throw new Error(text)
      return {}
    }
  if (/refuseMarketplace|revokeMarketplace/.test(name))
    return async () => {
      const account = await world.account('elm')
      const query = 'mutation ($id: UUID!) { approveMarketplace(accountId: $id) { status } }'
      if (name === 'revokeMarketplace') await world.operator(query, { id: account.id })
      else {
        const input = { website: 'https://elm.example.com', sells: 'Beans', expectedVolume: 'Some' }
        const { apiKey } = await world.operator(
          'mutation ($id: UUID!) { createAccountKey(accountId: $id, scopes: [settings_manage]) { apiKey } }',
          { id: account.id },
        )
        await world.data(
          apiKey,
          'mutation ($input: MarketplaceApplicationInput!) { applyForMarketplace(input: $input) { state } }',
          { input },
        )
      }
      return { accountId: account.id }
    }
  return null
}

async function answerTo(row: Row, sent: Sent): Promise<Answered> {
  if (row.over === 'websocket') return await overWebSocket(sent, row.field ?? '')
  if (row.over === 'events') return await overEvents(sent, row.field ?? '')
  const reply = await world.ask(sent)
  return { sent, code: codeOf(reply, row.field), status: reply.status, text: reply.text }
}

async function overWebSocket(sent: Sent, field: string): Promise<Answered> {
  const { headers } = sent
  class Socket extends WebSocket {
    constructor(url: string, protocols: string) {
      super(url, protocols, { headers })
    }
  }
  const client = createClient({
    url: `${world.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: Socket,
    retryAttempts: 0,
    onNonLazyError: () => {},
  })
  try {
    const { query, variables } = Object(sent.body)
    const { value } = await client.iterate({ query, variables }).next()
    const code = value.data?.[field] == null ? (value.errors?.[0]?.extensions?.code ?? 'null_not_found') : null
    return { sent, code, status: 200, text: JSON.stringify(value) }
  } catch (error) {
    const [first] = Array.isArray(error) ? error : [error]
    const code = first.extensions?.code ?? (first.code === 4403 || first.code === 4401 ? 'unauthenticated' : first.code)
    return { sent, code: String(code), status: 200, text: String(first.message ?? first.reason) }
  } finally {
    await client.dispose()
  }
}

async function overEvents(sent: Sent, field: string): Promise<Answered> {
  const stop = new AbortController()
  const response = await fetch(world.url + sent.path, {
    method: sent.method,
    headers: { 'content-type': 'application/json', ...sent.headers, accept: 'text/event-stream' },
    body: JSON.stringify(sent.body),
    signal: stop.signal,
  })
  const { status, headers } = response
  const isStream = headers.get('content-type')?.includes('event-stream') === true
  const text = isStream ? '' : await response.text()
  const first = isStream ? (await serverSentEvents(response).next()).value : JSON.parse(text)
  stop.abort()
  const code = codeOf({ status, headers, text, body: first }, first?.data == null ? null : field)
  return { sent, code, status, text: JSON.stringify(first) }
}

const isRecord = (given: unknown): given is object => typeof given === 'object' && given !== null

const isRead = ({ name, section }: Row): boolean => name.startsWith('GET ') || section.endsWith('queries')

type Cells = { readonly cells: readonly string[]; readonly refused: string | null }

/** A business may run a few heavy reads at the same time. */
const AT_ONCE = 6

/** Asks as each caller: several at once where they may change nothing, and then the others in turn. */
async function cellsOf(row: Row): Promise<Cells> {
  const fresh = freshOf(row.name)
  const made = fresh === null ? {} : await fresh()
  const { callers } = opened
  const changesNothing = ({ isStranger }: Caller) => isStranger || isRead(row)
  const answers: Awaited<ReturnType<typeof ask>>[] = []
  const calm = callers.filter(changesNothing)
  for (let at = 0; at < calm.length; at += AT_ONCE)
    answers.push(...(await Promise.all(calm.slice(at, at + AT_ONCE).map((caller) => ask(row, caller, made)))))
  let left = made
  for (const caller of callers.filter((caller) => !changesNothing(caller))) {
    const answer = await ask(row, caller, left)
    answers.push(answer)
    if (fresh !== null && answer.cell === '+') left = await fresh()
  }
  const codes = new Set(answers.flatMap(({ cell, code }) => (cell === '+' || cell === 'o' ? [code] : [])))
  return { cells: answers.map(({ cell }) => cell), refused: codes.has(null) ? null : [...codes].join(', ') }
}

/** A stream that sends nothing is named, instead of the test. */
const ANSWER_WITHIN_MS = 30_000

async function ask(row: Row, caller: Caller, made: Partial<Subject>) {
  const subject = { ...caller.subject, ...made }
  const request = row.request(caller, subject)
  const sent = { ...request, headers: { ...request.headers, ...caller.headers } }
  const answer = await within(ANSWER_WITHIN_MS, `no answer for ${caller.name}`, answerTo(row, sent))
  const cell = cellOf(answer, isAbout(row, caller, subject, answer))
  if (process.env.SHOW !== undefined)
    process.stdout.write(
      `${cell} ${caller.name}: ${JSON.stringify(request)} ${answer.code} ${answer.text.slice(0, 500)}\n`,
    )
  return { cell, code: answer.code }
}

/** Whether a request names its subject, or the answer shows it. */
function isAbout(row: Row, caller: Caller, subject: Subject, { code, text }: Answered): boolean {
  const texts = (request: Sent) => JSON.stringify([request.path, isRecord(request.body) ? request.body : null])
  const named = texts(row.request(caller, subject))
  const marks = Object.values(subject).filter((value) => value.length > 8)
  return (
    named !== texts(row.request(caller, opened.other.own)) ||
    marks.some((mark) => named.includes(mark) || (code === null && text.includes(mark)))
  )
}

const PROVE_EVERY_MS = 180_000

it('every route, field and stream answers each kind of caller as table.txt says, and none reaches what is not its own', async () => {
  const { callers } = opened
  const answers = new Map<Row, Cells>()
  const reached: string[] = []
  let provenAt = Date.now()
  for (const row of inOrder()) {
    if (process.env.SHOW !== undefined && !new RegExp(process.env.SHOW).test(row.name)) continue
    if (Date.now() - provenAt > PROVE_EVERY_MS) {
      for (const { prove } of callers) await prove?.()
      provenAt = Date.now()
    }
    try {
      const found = await cellsOf(row)
      answers.set(row, found)
      for (const [at, { name, isStranger }] of callers.entries())
        if (isStranger && found.cells[at] === '+' && !row.section.startsWith('Operator'))
          reached.push(`${row.name}: ${name}`)
    } catch (error) {
      reached.push(`${row.name}: ${error}`)
    }
  }
  if (process.env.SHOW === undefined) await expect(printed(callers, answers)).toMatchFileSnapshot('table.txt')
  expect(reached).toEqual([])
})

const WIDTH = 46
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const HEAD = `Every route, GraphQL field and stream, asked by every kind of caller. \`npm test -- test/permissions\` compares this
table with the service, and \`-u\` writes it. The rows are requests about a marketplace, its payment, its subscription and so on.

  +  done, or refused for what the thing is: the caller may ask it of this thing
  o  the same for a thing of the caller itself, or for what is public
  1  not authenticated    3  a permission is missing    4  there is no such thing for the caller    m  no marketplace
  s  needs a session      p  needs a newer proof        w  only on the pages of the service         u  not in test mode
  x  the business is disabled
  A code at the end says how the service refuses the request of each caller that may send it.

`

function printed(callers: readonly Caller[], answers: ReadonlyMap<Row, Cells>): string {
  const strangers = callers.filter(({ isStranger }) => isStranger).length
  const joined = (cells: readonly string[]) =>
    [cells.slice(0, strangers), cells.slice(strangers)].map((part) => part.join('')).join(' | ')
  const letters = callers.map((_, at) => LETTERS[at] ?? '')
  const legend = callers.map(({ name }, at) => `  ${letters[at]}  ${name}`)
  const lines = ROWS.map((row) => {
    const { cells = [], refused = null } = answers.get(row) ?? {}
    const line = `${row.name.padEnd(WIDTH)}${joined(cells)}  ${refused ?? ''}`
    return { section: row.section, line: line.trimEnd() }
  })
  const sections = [...Map.groupBy(lines, ({ section }) => section)]
  const tables = sections.map(([section, rows]) =>
    [`${section.padEnd(WIDTH)}${joined(letters)}`, ...rows.map(({ line }) => line)].join('\n'),
  )
  return `${HEAD}${[legend.join('\n'), ...tables].join('\n\n')}\n`
}
