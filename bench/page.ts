// The time until a buyer on a slow phone sees the page of a payment, and a member of a business its dashboard, with an empty cache.
import { sign } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { newPerson } from '../test/support/approves.ts'
import { CHROMIUM, openBrowser } from '../test/support/browser.ts'
import { freePort } from '../test/support/free-port.ts'
import { median } from './harness/duel.ts'
import { startServerProcess } from './harness/server-process.ts'
import { nodeOptions, ROOT } from './harness/workplace.ts'
import type { BenchResult } from './result.ts'

const LOADS = 5

/** The profile that Chromium's tools call Slow 4G. */
const SLOW_4G = {
  offline: false,
  latency: 150,
  downloadThroughput: (1.6 * 1024 * 1024) / 8,
  uploadThroughput: (750 * 1024) / 8,
}
/** A processor with a quarter of the speed. */
const SLOW_PROCESSOR = { rate: 4 }

export async function benchPage(progress: (line: string) => void): Promise<readonly BenchResult[]> {
  if (CHROMIUM === null) throw new Error('no Chromium is installed; install the package chromium, or set CHROMIUM')
  await using cleanup = new AsyncDisposableStack()
  const directory = mkdtempSync(join(tmpdir(), 'payments-page-'))
  cleanup.defer(() => rmSync(directory, { recursive: true, force: true }))
  const port = await freePort()
  const data = join(directory, 'data')
  const server = await startServerProcess({
    name: 'service',
    program: join(ROOT, 'src/main.ts'),
    nodeArguments: nodeOptions(),
    port,
    directory,
    env: { DATA_DIR: data },
  })
  cleanup.defer(() => server.stop())
  const browser = await openBrowser()
  cleanup.defer(() => browser.close())
  const page = await createPayment(`http://127.0.0.1:${port}`, data)
  const paints: number[] = []
  for (let load = 0; load < LOADS; load += 1) {
    paints.push(await firstPaint(browser, page))
    progress(`${Math.round(paints.at(-1) ?? 0)} ms`)
  }
  return [
    resultOf('first paint of a payment', paints),
    ...(await benchDashboard(browser, { base: `http://127.0.0.1:${port}`, data }, progress)),
  ]
}

function resultOf(name: string, paints: readonly number[]): BenchResult {
  const ours = median(paints)
  const detail = `the median of ${paints.map(Math.round).join(', ')} ms; Slow 4G, a quarter of the processor`
  return { name, ours, baseline: null, unit: 'ms', ratio: ours, target: { atMost: 1_000 }, detail }
}

// The dashboard: from an empty cache until a person can use what is shown.

type Service = { readonly base: string; readonly data: string }

/** What is looked for: the ways in, the heading and the menu of Home, and its first list. */
const SHOWN = [
  ['log-in page of the dashboard', '', '.ways button, .ways p'],
  ['Home: who is logged in, and the menu', 'session', '.frame main h1'],
  ['Home: the latest payments', 'session', '.frame main table'],
] as const

async function benchDashboard(
  browser: Browser,
  service: Service,
  progress: (line: string) => void,
): Promise<readonly BenchResult[]> {
  const session = await openSession(service)
  const results: BenchResult[] = []
  for (const [name, needs, selector] of SHOWN) {
    const paints: number[] = []
    for (let load = 0; load < LOADS; load += 1)
      paints.push(await shownAfter(browser, `${service.base}/dashboard`, { selector, cookie: needs && session }))
    progress(`${name}: ${paints.map(Math.round).join(', ')} ms`)
    results.push(resultOf(name, paints))
  }
  return results
}

/** Lets an owner of the demo business log in, and returns the cookie. */
async function openSession({ base, data }: Service): Promise<string> {
  const token = readFileSync(join(data, 'operator-token'), 'utf8').trim()
  const asOperator = async (query: string, variables: object = {}) => {
    const response = await fetch(`${base}/operator/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    })
    return (await response.json()).data
  }
  const { accounts } = await asOperator('{ accounts { id } }')
  const { invited } = await asOperator(
    'mutation ($id: UUID!) { invited: inviteAccountMember(accountId: $id, name: "Ada", role: owner) { url } }',
    { id: accounts[0].id },
  )
  const asBrowser = async (query: string, variables: object): Promise<Response> =>
    await fetch(`${base}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: base },
      body: JSON.stringify({ query, variables }),
    })
  const link = new URL(invited.url).hash.slice(1)
  const { address: wallet, privateKey } = newPerson()
  const asked = await asBrowser(
    `mutation ($wallet: SolanaAddress!, $link: String) {
      challengeWalletLogin(purpose: add_login, wallet: $wallet, link: $link) { nonce message } }`,
    { wallet, link },
  )
  const { nonce, message } = (await asked.json()).data.challengeWalletLogin
  const signature = sign(null, Buffer.from(message), privateKey).toString('base64')
  const added = await asBrowser(
    `mutation ($wallet: SolanaAddress!, $link: String, $nonce: String, $signature: String) {
      addWalletLogin(wallet: $wallet, link: $link, nonce: $nonce, signature: $signature) { me { member { id } } } }`,
    { wallet, link, nonce, signature },
  )
  const [cookie = ''] = added.headers.get('set-cookie')?.split(';') ?? []
  return cookie
}

/** Returns after how many milliseconds an element is on the screen. */
async function shownAfter(
  browser: Browser,
  url: string,
  { selector, cookie }: { readonly selector: string; readonly cookie: string },
): Promise<number> {
  const context = await browser.newContext()
  if (cookie !== '') {
    const [name = '', value = ''] = cookie.split('=')
    await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Lax' }])
  }
  const page = await context.newPage()
  await slow(page)
  await page.addInitScript(`(() => {
    const look = () => requestAnimationFrame(() => {
      if (document.querySelector(${JSON.stringify(selector)}) === null) look()
      else requestAnimationFrame(() => { globalThis.shownAfter = performance.now() })
    })
    look()
  })()`)
  await page.goto(url)
  const shown = await page.waitForFunction(() => Reflect.get(globalThis, 'shownAfter'))
  const ms = Number(await shown.jsonValue())
  await context.close()
  return ms
}

async function createPayment(base: string, data: string): Promise<string> {
  const { api_key: key } = JSON.parse(readFileSync(join(data, 'demo.json'), 'utf8'))
  const answer = await fetch(`${base}/intents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ amount_usd_cents: 1_999, accepted_tokens: [{ kind: 'sol' }] }),
  })
  return (await answer.json()).checkout_url
}

async function slow(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.enable')
  await devtools.send('Network.emulateNetworkConditions', SLOW_4G)
  await devtools.send('Emulation.setCPUThrottlingRate', SLOW_PROCESSOR)
}

/** Returns milliseconds. */
async function firstPaint(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext()
  const page = await context.newPage()
  await slow(page)
  await page.goto(url)
  const paint = await page.waitForFunction('performance.getEntriesByName("first-contentful-paint")[0]?.startTime')
  const ms = Number(await paint.jsonValue())
  await context.close()
  return ms
}
