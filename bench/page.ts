// The time until a buyer on a slow phone sees the page of a payment, with an empty cache.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { CHROMIUM, openBrowser } from '../test/support/browser.ts'
import { freePort } from '../test/support/free-port.ts'
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
  const ours = paints.toSorted((a, b) => a - b)[Math.floor(LOADS / 2)] ?? 0
  const detail = `the median of ${paints.map(Math.round).join(', ')} ms; Slow 4G, a quarter of the processor`
  return [
    {
      name: 'first paint of a payment',
      ours,
      baseline: null,
      unit: 'ms',
      ratio: ours,
      target: { atMost: 1_000 },
      detail,
    },
  ]
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

/** Returns milliseconds. */
async function firstPaint(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext()
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Network.enable')
  await devtools.send('Network.emulateNetworkConditions', SLOW_4G)
  await devtools.send('Emulation.setCPUThrottlingRate', SLOW_PROCESSOR)
  await page.goto(url)
  const paint = await page.waitForFunction('performance.getEntriesByName("first-contentful-paint")[0]?.startTime')
  const ms = Number(await paint.jsonValue())
  await context.close()
  return ms
}
