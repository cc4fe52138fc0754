// `kill -9` at any moment of a payment, then a new start: the payment ends swept, once.
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { generateKeyPairSigner } from '@solana/kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runOperator } from '#operator/program.ts'
import { openToOthers } from '../support/file-modes.ts'
import { freePort } from '../support/free-port.ts'
import { openIntent, type ServiceProcess, startProcess, storyTools, untilStatus } from '../support/running-service.ts'

/** The default of the embedded chain, in lamports. */
const NETWORK_FEE = 10_000n

let dataDir: string
let port: number
let service: ServiceProcess

/** A start takes about two seconds, and longer on a machine that is busy with other tests. */
const START_TIMEOUT_MS = 90_000

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'kill-'))
  // A directory that another program created before the first start.
  await chmod(dataDir, 0o777)
  port = await freePort()
  service = await startProcess(dataDir, port)
}, START_TIMEOUT_MS)
afterAll(async () => {
  await service?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

const tools = () => storyTools(dataDir)
const listAccounts = () =>
  runOperator(['account', 'list', '--json'], { DATA_DIR: dataDir }, { out: () => {}, err: () => {} })

it('accounts, keys, intents and chain balances are still there after a stop and a start', {
  timeout: 60_000,
}, async () => {
  const story = await tools()
  const intent = await openIntent(story, 'SOL')
  const before = await story.lamportsOf(story.wallet.address)
  // The operator command finds the service by its directory, and offers the token to nothing else.
  expect(await listAccounts()).toBe(0)
  await service.stop()
  expect(await listAccounts()).toBe(3)
  service = await startProcess(dataDir, port)

  const again = await tools()
  expect(again.facts.api_key).toBe(story.facts.api_key)
  expect(await again.lamportsOf(story.wallet.address)).toBe(before)
  const { body } = await again.rest('GET', `/status?index=${intent.index}`, { key: again.facts.api_key })
  expect(body).toMatchObject({ address: intent.deposit, status: 'pending' })
  expect((await openIntent(again, 'SOL')).deposit).not.toBe(intent.deposit)
})

it('a payment survives being killed again and again, and is swept once', { timeout: 240_000 }, async () => {
  const story = await tools()
  const wallet = await generateKeyPairSigner()
  await fetch(`${story.facts.operator_url}/operator/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${story.operatorToken}` },
    body: JSON.stringify({
      query: `mutation { updateAccount(id: "${story.facts.account_id}", input: { sweepDestination: "${wallet.address}" }) { id } }`,
    }),
  })
  const intents = [await openIntent(story, 'SOL'), await openIntent(story, 'USDD'), await openIntent(story, 'SOL')]
  for (const [at, { deposit, expected }] of intents.entries())
    await story.pay(deposit, at === 1 ? 'USDD' : 'SOL', expected)

  // The first kills happen while deposits are seen, become final and are swept, each a little later than the last.
  for (const afterMs of [50, 400, 900]) {
    await sleep(afterMs)
    await service.kill()
    service = await startProcess(dataDir, port)
  }

  expect(openToOthers(dataDir)).toEqual([])
  const again = await tools()
  for (const { index } of intents) await untilStatus(again, index, 'swept', 120_000)
  const [first, , third] = intents
  const sol = (first?.expected ?? 0n) + (third?.expected ?? 0n) - 2n * NETWORK_FEE
  expect(await again.lamportsOf(wallet.address)).toBe(sol)
  const [held] = await again.tokensOf(wallet.address, intents[1]?.mint ?? null)
  expect(held?.amount).toBe(intents[1]?.expected)
  for (const { deposit } of intents) expect(await again.lamportsOf(deposit)).toBe(0n)
})
