// The service under test: the program that `npm start` runs, in its own process, without rate limits.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readDemoFacts } from '#sandbox/demo-facts.ts'
import { startServerProcess } from '../../bench/harness/server-process.ts'
import { freePort } from '../support/free-port.ts'
import type { World } from './rest-requests.ts'
import { knownTexts, openTenants } from './tenants.ts'

export type FuzzedService = { readonly port: number; readonly world: World; stop(): Promise<void> }

export async function startFuzzedService(): Promise<FuzzedService> {
  await using cleanup = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'fuzz-'))
  cleanup.defer(() => rm(directory, { recursive: true, force: true }))
  const dataDir = join(directory, 'data')
  const port = await freePort()
  const server = await startServerProcess({
    name: 'fuzzed',
    program: 'src/main.ts',
    port,
    directory,
    env: { DATA_DIR: dataDir, RATE_LIMITS: '0', LOG_LEVEL: 'error' },
  })
  cleanup.defer(() => server.stop())
  const facts = await demoFactsOf(dataDir)
  const operatorToken = (await readFile(join(dataDir, 'operator-token'), 'utf8')).trim()
  const mints = facts.tokens.map(({ mint }) => mint)
  const ask = async (method: string, path: string, bearer: string | null, body?: object): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(bearer !== null && { authorization: `Bearer ${bearer}` }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    return await response.json()
  }
  const tenants = await openTenants({ origin: `http://127.0.0.1:${port}`, ask }, operatorToken, mints)
  const known = knownTexts(tenants, mints)
  const running = cleanup.move()
  return {
    port,
    world: { host: `127.0.0.1:${port}`, tenants, operatorToken, mints, known },
    stop: () => running.disposeAsync(),
  }
}

/** The service writes the demo business shortly after it begins to answer. */
async function demoFactsOf(dataDir: string) {
  for (let tries = 0; tries < 600; tries += 1) {
    const facts = await readDemoFacts(dataDir)
    if (facts !== null) return facts
    await sleep(100)
  }
  throw new Error('the service wrote no demo facts')
}
