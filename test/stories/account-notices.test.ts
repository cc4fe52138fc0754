// Payments that are found by account notices: of a stream, and when it is away over a websocket with every fault that a provider can
// have. Nothing is missed, and nothing waits longer than the slow pace.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKeyPairSigner, type KeyPairSigner } from '@solana/kit'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { loadMasterSeed, newMnemonic } from '#adapters/solana/keys/seed.ts'
import { type RunningService, startService } from '#compose/service.ts'
import { parseConfig } from '#config/config.ts'
import { makeAddress } from '#core/chain/base58.ts'
import { prepareDemoChain } from '#sandbox/chain/demo-chain.ts'
import { type EmbeddedChain, startEmbeddedChain } from '#sandbox/chain/embedded-chain.ts'
import { payFromWallet } from '#sandbox/chain/payment.ts'
import { createLog } from '#server/log.ts'
import { LAP_EVERY_MS, NOTICED_FACTOR } from '#services/detection/polling/watch-list.ts'
import { copyEmbeddedTemplate } from '../support/database.ts'
import { freePort } from '../support/free-port.ts'
import { type NoticeProxy, startNoticeProxy } from '../support/notice-proxy.ts'
import { type Json, STORY_SLOT_MS, STORY_TIMEOUT_MS } from '../support/running-service.ts'
import { type StreamProvider, startStreamProvider, streamChain } from '../support/stream-provider.ts'
import { until } from '../support/until.ts'

vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

const OPERATOR_TOKEN = 'op_story_00000000000000000000000000000000'
/** An address that was not read for this long is not polled at its pace: its buyer has chosen an asset. */
const UNREAD_MS = 2.5 * LAP_EVERY_MS.busy
const mnemonic = newMnemonic()

let dataDir: string
let chain: EmbeddedChain
let proxy: NoticeProxy
let streams: StreamProvider
let endStreams: () => void
let service: RunningService
let buyer: KeyPairSigner
let token: { mint: string; token_program: string; decimals: number }
let apiKey: string
/** Opened together, because notices are trusted only after some seconds. */
let opened: Payment[]

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'story-'))
  await copyEmbeddedTemplate(join(dataDir, 'database'))
  chain = await startEmbeddedChain({ dataDir, slotTimeMs: STORY_SLOT_MS })
  proxy = await startNoticeProxy(chain)
  streams = await startStreamProvider({ token: 'sesame' })
  const stopStreaming = streamChain(streams, chain.rpcUrl)
  endStreams = () => {
    stopStreaming()
    streams.close()
  }
  const feePayer = createDepositKeys(loadMasterSeed(mnemonic)).addressOf({ network: 'live', branch: 'fee_payer' })
  const demo = await prepareDemoChain({ rpcUrl: chain.rpcUrl, dataDir, feePayers: [feePayer] })
  buyer = demo.buyer
  const { mint, tokenProgram, decimals } = demo.mints.usd
  token = { mint, token_program: tokenProgram, decimals }
  const config = parseConfig({
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
    SANDBOX: '1',
    SOLANA_RPC_URL: proxy.rpcUrl,
    SOLANA_WS_URL: proxy.wsUrl,
    STREAM_URL: streams.url,
    STREAM_TOKEN: 'sesame',
    MASTER_SEED: mnemonic,
    OPERATOR_TOKEN,
    PRICE_FEEDS: 'fixed:SOL=150,USDD=1',
    RATE_LIMITS: '0',
    DEPOSIT_SOURCE: 'polling',
  })
  service = await startService(config, { version: 'test', log: createLog('fatal'), progress: () => {} })
  const allow = 'mutation($input: AllowTokenInput!) { allowToken(input: $input) { asset } }'
  await operator(allow, { network: 'live', asset: 'SOL', name: 'Solana', ticker: 'SOL' })
  await operator(allow, { network: 'live', asset: mint, name: 'Demo Dollar', ticker: 'USDD' })
  const { address: sweepDestination } = await generateKeyPairSigner()
  const create = 'mutation($input: CreateAccountInput!) { createAccount(input: $input) { apiKey } }'
  apiKey = (await operator(create, { name: 'Corner Shop', mode: 'live', sweepDestination })).createAccount.apiKey
  opened = await Promise.all([mint, null, null, null, null, null, mint, null].map((one) => open(one)))
})
afterEach(() => proxy.fault(null))
afterAll(async () => {
  await service?.close()
  endStreams?.()
  await proxy?.close()
  await chain?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

async function ask(path: string, bearer: string, body?: object): Promise<Json> {
  const response = await fetch(`${service.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
    ...(body && { body: JSON.stringify(body) }),
  })
  return await response.json()
}
const operator = async (query: string, input?: object): Promise<Json> =>
  (await ask('/operator/graphql', OPERATOR_TOKEN, { query, variables: { input } })).data

/** Returns a payment that is opened, in SOL or the token, once its notices are trusted. */
async function openNoticed(mint: string | null = null): Promise<Payment> {
  const payment = opened.splice(
    opened.findIndex(({ token }) => (token?.mint ?? null) === mint),
    1,
  )[0]
  if (payment === undefined) throw new Error('every payment is used')
  await untilNoticed(payment)
  return payment
}
const untilNoticed = ({ to }: Payment) => until(() => proxy.readAgo(to) > UNREAD_MS, STORY_TIMEOUT_MS / 2)

type Payment = Awaited<ReturnType<typeof open>>
/** Opens a payment, of which the buyer has chosen SOL or the token. */
async function open(mint: string | null) {
  const { client_secret, derivation_index, address } = await ask('/intents', apiKey, {
    amount_usd_cents: 1_500,
    accepted_tokens: [mint === null ? { kind: 'sol' } : { kind: 'spl', mint }],
  })
  const selected = await ask('/intents/select-token', apiKey, { client_secret, mint })
  await until(() => proxy.readAgo(address) < Number.POSITIVE_INFINITY)
  const amount = BigInt(selected.expected_lamports)
  return { index: derivation_index, to: makeAddress(address), amount, token: mint === null ? null : token }
}

const statusOf = async (index: number): Promise<Json> => await ask(`/status?index=${index}`, apiKey)
/** Less than the slow pace, at which a payment would be found without its notice. */
const SOON_MS = 25_000
const untilSwept = (index: number, withinMs = SOON_MS) =>
  until(async () => (await statusOf(index)).status === 'swept', withinMs)
/** Waits for more readings than the slow pace has in that time. */
async function untilPolled(account: string): Promise<void> {
  const before = proxy.reads(account)
  await until(() => proxy.reads(account) >= before + 4, SOON_MS)
}
const pay = (payment: Payment) => payFromWallet(chain.rpcUrl, buyer, payment)

it.each([
  ['SOL', () => null],
  ['a token', () => token.mint],
])('a payment in %s is found by the stream, and no websocket is used', async (_, mint) => {
  const payment = await openNoticed(mint())
  await pay(payment)
  await untilSwept(payment.index)
  expect(proxy.connections()).toBe(0)
})

it('websockets send the notices when the stream is away', async () => {
  endStreams()
  await until(() => proxy.connections() > 0, SOON_MS)
})

it.each([
  ['SOL', () => null],
  ['a token, at an account that did not exist', () => token.mint],
])('a payment in %s is found by its notice, although its address is hardly read', async (_, mint) => {
  const payment = await openNoticed(mint())
  await pay(payment)
  await untilSwept(payment.index)
})

it('a payment whose notices come twice and late counts once', async () => {
  const payment = await openNoticed()
  proxy.fault((account) => (account === payment.to ? [500, 800, 800] : [0]))
  await pay(payment)
  await untilSwept(payment.index)
  expect(await statusOf(payment.index)).toMatchObject({ received_lamports: Number(payment.amount) })
})

it('a payment whose notice is lost, while others arrive, is found at the slow pace', async () => {
  const payment = await openNoticed()
  proxy.fault((account) => (account === payment.to ? [] : [0]))
  await pay(payment)
  await operator(`mutation { advanceClock(seconds: ${(NOTICED_FACTOR * LAP_EVERY_MS.busy) / 1_000}) { now } }`)
  await untilSwept(payment.index)
})

it('an address is polled again at its pace when the websocket falls silent, and a payment there is found', async () => {
  const payment = await openNoticed()
  proxy.fault(() => [])
  await untilPolled(payment.to)
  await pay(payment)
  await untilSwept(payment.index)
})

it('an address is polled again at its pace when the websocket is cut, and has notices again after that', async () => {
  const payment = await openNoticed()
  proxy.cut()
  await until(() => proxy.readAgo(payment.to) < LAP_EVERY_MS.busy, SOON_MS)
  await untilNoticed(payment)
  await pay(payment)
  await untilSwept(payment.index)
})
