// A Surfpool that the service did not start, as SOLANA_RPC_URL: payments are found at once, and its clock moves.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Address, createSolanaRpc, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '#adapters/node/clock.ts'
import { createChain } from '#adapters/solana/chain.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { loadMasterSeed, newMnemonic } from '#adapters/solana/keys/seed.ts'
import { type RunningService, startService } from '#compose/service.ts'
import { parseConfig } from '#config/config.ts'
import { fundSol, moveChainClock } from '#sandbox/chain/faucet.ts'
import { payFromWallet } from '#sandbox/chain/payment.ts'
import { createLog } from '#server/log.ts'
import { type BareSurfpool, startBareSurfpool } from '../support/chain.ts'
import { copyEmbeddedTemplate } from '../support/database.ts'
import { freePort } from '../support/free-port.ts'
import { type Json, STORY_TIMEOUT_MS } from '../support/running-service.ts'
import { until } from '../support/until.ts'

const OPERATOR_TOKEN = 'op_story_00000000000000000000000000000000'
const SOL = 1_000_000_000n
/**
 * A payment that the first balance check misses is found in seconds; a payment that a filter hides is found after 30.
 */
const SOON_MS = 15_000

let dataDir: string
let chain: BareSurfpool
let service: RunningService
let buyer: KeyPairSigner
let apiKey: string

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'surfpool-story-'))
  await copyEmbeddedTemplate(join(dataDir, 'database'))
  chain = await startBareSurfpool(100)
  const mnemonic = newMnemonic()
  const feePayer = createDepositKeys(loadMasterSeed(mnemonic)).addressOf({ network: 'live', branch: 'fee_payer' })
  buyer = await generateKeyPairSigner()
  for (const wallet of [feePayer, buyer.address]) await fundSol(chain.rpcUrl, wallet, 100n * SOL)
  const config = parseConfig({
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
    SOLANA_RPC_URL: chain.rpcUrl,
    SOLANA_WS_URL: chain.wsUrl,
    SANDBOX: '1',
    MASTER_SEED: mnemonic,
    OPERATOR_TOKEN,
    PRICE_FEEDS: 'fixed:SOL=150',
    RATE_LIMITS: '0',
  })
  service = await startService(config, { version: 'test', log: createLog('fatal'), progress: () => {} })
  await asOperator(
    'mutation { allowToken(input: { network: live, asset: "SOL", name: "Solana", ticker: "SOL" }) { asset } }',
  )
  const { address } = await generateKeyPairSigner()
  const { createAccount } = await asOperator(
    `mutation { createAccount(input: { name: "Shop", mode: live, sweepDestination: "${address}" }) { apiKey } }`,
  )
  apiKey = createAccount.apiKey
}, STORY_TIMEOUT_MS)
afterAll(async () => {
  await service?.close()
  await chain?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

async function ask(path: string, bearer: string, body?: object): Promise<Json> {
  const response = await fetch(service.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
    ...(body && { body: JSON.stringify(body) }),
  })
  return await response.json()
}
const asOperator = async (query: string): Promise<Json> => {
  const answer = await ask('/operator/graphql', OPERATOR_TOKEN, { query })
  expect(answer.errors).toBeUndefined()
  return answer.data
}
const statusOf = async (index: number): Promise<string> => (await ask(`/status?index=${index}`, apiKey)).status

/** Creates a payment and pays it; resolves to its index when the transaction is confirmed. */
async function pay(): Promise<number> {
  const order = { amount_usd_cents: 1_500, accepted_tokens: [{ kind: 'sol' }] }
  const { client_secret, derivation_index, address } = await ask('/intents', apiKey, order)
  const { expected_lamports } = await ask('/intents/select-token', apiKey, { client_secret, mint: null })
  await payFromWallet(chain.rpcUrl, buyer, { to: address, amount: BigInt(expected_lamports), token: null })
  return derivation_index
}

it('a payment is listed after a newer one of another address was', async () => {
  const history = createChain({
    network: 'live',
    rpcUrls: [chain.rpcUrl],
    depositKeys: createDepositKeys(new Uint8Array(64)),
    clock: systemClock,
  })
  const paid: Address[] = []
  for (let count = 0; count < 2; count += 1) {
    const { address } = await generateKeyPairSigner()
    await payFromWallet(chain.rpcUrl, buyer, { to: address, amount: SOL, token: null })
    paid.push(address)
  }
  for (const address of paid.toReversed()) expect((await history.signatures(address, {})).entries).toHaveLength(1)
})

it(
  'every payment is found soon, however many others there are',
  async () => {
    const late: number[] = []
    const payAndWait = async (): Promise<void> => {
      const index = await pay()
      const paidAt = performance.now()
      await until(async () => (await statusOf(index)) !== 'pending', STORY_TIMEOUT_MS / 2)
      if (performance.now() - paidAt > SOON_MS) late.push(index)
    }
    for (let round = 0; round < 3; round += 1) await Promise.all(Array.from({ length: 8 }, payAndWait))
    expect(late).toEqual([])
  },
  STORY_TIMEOUT_MS,
)

it(
  'the chain moves with the service’s clock, and payments after it become final',
  async () => {
    const rpc = createSolanaRpc(chain.rpcUrl)
    const chainTime = async (): Promise<number> =>
      Number(await rpc.getBlockTime(await rpc.getSlot({ commitment: 'processed' }).send()).send()) * 1_000
    const advance = async (seconds: number): Promise<number> => {
      const { advanceClock } = await asOperator(`mutation { advanceClock(seconds: ${seconds}) { now } }`)
      return Date.parse(advanceClock.now)
    }
    for (const seconds of [3_600, 1, 60]) {
      const now = await advance(seconds)
      expect(await chainTime()).toBeGreaterThan(now - 5_000)
    }
    const index = await pay()
    await until(async () => (await statusOf(index)) === 'swept', STORY_TIMEOUT_MS / 2)

    // A clock that another program has moved further stays there.
    const ahead = await moveChainClock(chain.rpcUrl, new Date((await chainTime()) + 7_200_000))
    await advance(60)
    expect(await chainTime()).toBeGreaterThanOrEqual(ahead.getTime())
  },
  STORY_TIMEOUT_MS,
)
