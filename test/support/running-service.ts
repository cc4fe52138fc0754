// The whole service for a story: in this process on an embedded chain that is forty times faster than a real chain, or
// as the process that `npm start` runs, which a test can kill.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Address, address, createSolanaRpc, type KeyPairSigner } from '@solana/kit'
import { expect } from 'vitest'
import { startService } from '#compose/service.ts'
import { parseConfig } from '#config/config.ts'
import { loadDemoWallet } from '#sandbox/chain/demo-chain.ts'
import { payFromWallet } from '#sandbox/chain/payment.ts'
import { type DemoFacts, readDemoFacts } from '#sandbox/demo-facts.ts'
import { createLog } from '#server/log.ts'
import { copyEmbeddedTemplate } from './database.ts'
import { freePort } from './free-port.ts'
import { INHERITED } from './spawned-program.ts'

export const STORY_SLOT_MS = 20
/**
 * A generous limit, because a story waits for finality many times on a busy machine. Its assertions fail it, not the
 * clock.
 */
export const STORY_TIMEOUT_MS = 120_000

const settings = (dataDir: string, port: number) => ({
  DATA_DIR: dataDir,
  PORT: String(port),
  CHAIN_SLOT_MS: String(STORY_SLOT_MS),
  RATE_LIMITS: '0',
  LOG_LEVEL: 'warn',
})

export type Story = {
  readonly dataDir: string
  readonly facts: DemoFacts
  readonly operatorToken: string
  readonly wallet: KeyPairSigner
  readonly rest: (method: 'GET' | 'POST', path: string, options?: { key?: string; body?: object }) => Promise<Answer>
  /** Pays base units to a deposit address; `ticker` is SOL or the ticker of a demo token. */
  pay(to: string, ticker: string, amount: bigint): Promise<string>
  lamportsOf(wallet: string): Promise<bigint>
  tokensOf(owner: string, mint: string | null): Promise<{ account: Address; amount: bigint }[]>
}

export type Answer = { readonly status: number; readonly body: Json; readonly headers: Headers }
// biome-ignore lint/suspicious/noExplicitAny: a story reads JSON as its integrator would, by name
export type Json = any

export async function storyTools(dataDir: string): Promise<Story> {
  const operatorToken = (await readFile(join(dataDir, 'operator-token'), 'utf8')).trim()
  const facts = await readDemoFacts(dataDir)
  if (facts === null) throw new Error('the service wrote no demo facts')
  const wallet = await loadDemoWallet(dataDir)
  const rpc = createSolanaRpc(facts.rpc_url)
  return {
    dataDir,
    facts,
    operatorToken,
    wallet,
    async rest(method, path, { key, body } = {}) {
      const response = await fetch(facts.base_url + path, {
        method,
        headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
        ...(body && { body: JSON.stringify(body) }),
      })
      return { status: response.status, body: await response.json(), headers: response.headers }
    },
    pay(to, ticker, amount) {
      const token = facts.tokens.find((candidate) => candidate.ticker === ticker) ?? null
      return payFromWallet(facts.rpc_url, wallet, { to, amount, token })
    },
    lamportsOf: async (owner) => (await rpc.getBalance(address(owner)).send()).value,
    async tokensOf(owner, mint) {
      if (mint === null) throw new Error('SOL has no token account')
      const { value } = await rpc
        .getTokenAccountsByOwner(address(owner), { mint: address(mint) }, { encoding: 'jsonParsed' })
        .send()
      return value.map(({ pubkey, account }) => ({
        account: pubkey,
        amount: BigInt(account.data.parsed.info.tokenAmount.amount),
      }))
    },
  }
}

/** Starts the service in this process, with its own settings; `stop` also removes its data. */
export async function startStory(
  own: Readonly<Record<string, string>> = {},
): Promise<Story & { stop(): Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'story-'))
  await copyEmbeddedTemplate(join(dataDir, 'database'))
  const config = parseConfig({ ...settings(dataDir, await freePort()), ...own })
  const service = await startService(config, { version: 'test', log: createLog('fatal'), progress: () => {} })
  const tools = await storyTools(dataDir)
  return {
    ...tools,
    async stop() {
      await service.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

export type ServiceProcess = {
  readonly child: ChildProcess
  readonly output: () => string
  /** Ends the process at once without cleanup, like a power cut. */
  kill(): Promise<void>
  stop(): Promise<void>
}

/** Starts the program that `npm start` runs, in its own process group; resolves when it listens. */
export async function startProcess(
  dataDir: string,
  port: number,
  own: Readonly<Record<string, string>> = {},
): Promise<ServiceProcess> {
  const child = spawn(process.execPath, ['src/main.ts'], {
    detached: true,
    env: { ...INHERITED, ...settings(dataDir, port), ...own },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (part: Buffer) => {
    output += part.toString()
  })
  child.stderr.on('data', (part: Buffer) => {
    output += part.toString()
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined)
      process.kill(-child.pid, signal)
    await exited
  }
  while (!output.includes('listens at')) {
    if (child.exitCode !== null) throw new Error(`the service did not start:\n${output}`)
    await sleep(25)
  }
  return { child, output: () => output, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') }
}

/** Creates an intent and selects its asset, as a shop and its checkout do before the buyer pays. */
export async function openIntent(story: Story, ticker: string, cents = 1_500, others: readonly string[] = []) {
  const { facts, rest } = story
  const mintOf = (name: string): string | null => facts.tokens.find((token) => token.ticker === name)?.mint ?? null
  const mint = mintOf(ticker)
  const accepted = [ticker, ...others].map(mintOf)
  const created = await rest('POST', '/intents', {
    key: facts.api_key,
    body: {
      amount_usd_cents: cents,
      accepted_tokens: accepted.map((one) => (one === null ? { kind: 'sol' } : { kind: 'spl', mint: one })),
    },
  })
  expect(created.status).toBe(200)
  const { client_secret, derivation_index, address: deposit } = created.body
  const selected = await rest('POST', '/intents/select-token', { body: { client_secret, mint } })
  expect(selected.status).toBe(200)
  return {
    index: derivation_index,
    deposit,
    clientSecret: client_secret,
    mint,
    expected: BigInt(selected.body.expected_lamports),
  }
}

/** Polls until the intent has the status. */
export async function untilStatus(
  story: Story,
  index: number,
  status: string,
  withinMs = STORY_TIMEOUT_MS / 2,
): Promise<Json> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const answer = await story.rest('GET', `/status?index=${index}`, { key: story.facts.api_key })
    if (answer.body.status === status) return answer.body
    if (performance.now() > deadline) throw new Error(`still ${JSON.stringify(answer.body)} and not ${status}`)
    await sleep(100)
  }
}
