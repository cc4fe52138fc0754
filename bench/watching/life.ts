// RPC calls in the whole life of an intent, from its create to the last of its money moved: the real service on a real
// runtime, with everything that it asks of its chain counted on the way.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { loadMasterSeed, newMnemonic } from '#adapters/solana/keys/seed.ts'
import { startService } from '#compose/service.ts'
import { parseConfig } from '#config/config.ts'
import { prepareDemoChain } from '#sandbox/chain/demo-chain.ts'
import { startEmbeddedChain } from '#sandbox/chain/embedded-chain.ts'
import { payFromWallet } from '#sandbox/chain/payment.ts'
import { createLog } from '#server/log.ts'
import { LAP_EVERY_MS } from '#services/detection/polling/watch-list.ts'
import { freePort } from '../../test/support/free-port.ts'
import { startCounter } from '../harness/counter.ts'
import { until } from '../harness/until.ts'
import type { BenchResult } from '../result.ts'

const INTENTS = 100
/** As on mainnet, so that what is final takes as long to become so, and is polled for as long. */
const SLOT_MS = 200
const OPERATOR_TOKEN = 'op_bench_00000000000000000000000000000000'

export async function benchLife(progress: (line: string) => void): Promise<readonly BenchResult[]> {
  await using cleanup = new AsyncDisposableStack()
  progress('starting a chain with slots of 200 ms, and the service')
  const place = await openPlace(cleanup)
  const results: BenchResult[] = []
  for (const token of [null, place.token]) {
    const name = token === null ? 'SOL' : 'a token'
    progress(`${INTENTS} payments in ${name} at once, from create to swept`)
    place.counter.counts.clear()
    await payAll(place, token)
    results.push(resultOf(name, place.counter.counts, token === null ? 6 : 8))
  }
  return results
}

type Token = { readonly mint: Address; readonly token_program: Address; readonly decimals: number }

type Place = {
  readonly rpcUrl: string
  readonly buyer: KeyPairSigner
  readonly token: Token
  readonly counter: Awaited<ReturnType<typeof startCounter>>
  readonly asOperator: (query: string, variables?: object) => Promise<Json>
  readonly asShop: (method: 'GET' | 'POST', path: string, body?: object) => Promise<Json>
}

// biome-ignore lint/suspicious/noExplicitAny: what the service answers is read as its integrator would, by name.
type Json = any

async function openPlace(cleanup: AsyncDisposableStack): Promise<Place> {
  const dataDir = await mkdtemp(join(tmpdir(), 'payments-bench-'))
  cleanup.defer(() => rm(dataDir, { recursive: true, force: true }))
  const chain = await startEmbeddedChain({ dataDir, slotTimeMs: SLOT_MS })
  cleanup.defer(() => chain.stop())
  const counter = await startCounter(chain.rpcUrl)
  cleanup.defer(() => counter.stop())
  const mnemonic = newMnemonic()
  const feePayer = createDepositKeys(loadMasterSeed(mnemonic)).addressOf({ network: 'live', branch: 'fee_payer' })
  const { mints, buyer } = await prepareDemoChain({ rpcUrl: chain.rpcUrl, dataDir, feePayers: [feePayer] })
  const config = parseConfig({
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
    SOLANA_RPC_URL: counter.url,
    SOLANA_WS_URL: chain.wsUrl,
    MASTER_SEED: mnemonic,
    OPERATOR_TOKEN,
    PRICE_FEEDS: 'fixed:SOL=150,USDD=1',
    RATE_LIMITS: '0',
  })
  const service = await startService(config, { version: 'bench', log: createLog('silent'), progress: () => {} })
  cleanup.defer(() => service.close())
  const { mint, tokenProgram, decimals } = mints.usd
  const asOperator = async (query: string, variables: object = {}) =>
    (await ask(`${service.url}/operator/graphql`, OPERATOR_TOKEN, 'POST', { query, variables })).data
  const apiKey = await openShop(asOperator, mint)
  return {
    rpcUrl: chain.rpcUrl,
    buyer,
    token: { mint, token_program: tokenProgram, decimals },
    counter,
    asOperator,
    asShop: (method, path, body) => ask(service.url + path, apiKey, method, body),
  }
}

async function ask(url: string, bearer: string, method: 'GET' | 'POST', body?: object): Promise<Json> {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
    ...(body && { body: JSON.stringify(body) }),
  })
  return await response.json()
}

async function openShop(asOperator: Place['asOperator'], mint: Address): Promise<string> {
  const allow = 'mutation($input: AllowTokenInput!) { allowToken(input: $input) { asset } }'
  await asOperator(allow, { input: { network: 'live', asset: 'SOL', name: 'Solana', ticker: 'SOL' } })
  await asOperator(allow, { input: { network: 'live', asset: mint, name: 'Demo Dollar', ticker: 'USDD' } })
  const { address } = await generateKeyPairSigner()
  const { createAccount } = await asOperator(
    'mutation($input: CreateAccountInput!) { createAccount(input: $input) { apiKey } }',
    { input: { name: 'Corner Shop', mode: 'live', sweepDestination: address } },
  )
  return createAccount.apiKey
}

/** Ends when all of it is swept and, for a token, the rent of the emptied accounts is back. */
async function payAll(place: Place, token: Token | null): Promise<void> {
  const paid = await Promise.all(Array.from({ length: INTENTS }, () => payOne(place, token)))
  for (const index of paid) {
    await until(async () => (await place.asShop('GET', `/status?index=${index}`)).status === 'swept')
  }
  // Asked of the database alone: the operator's status would ask the chain as well, and be counted.
  const unfinished = '{ planned: transfers(status: planned) { id } begun: transfers(status: in_progress) { id } }'
  await until(async () => {
    const { planned, begun } = await place.asOperator(unfinished)
    return planned.length + begun.length === 0
  })
}

async function payOne({ asShop, rpcUrl, buyer }: Place, token: Token | null): Promise<number> {
  const accepted = token === null ? { kind: 'sol' } : { kind: 'spl', mint: token.mint }
  const { client_secret, derivation_index, address } = await asShop('POST', '/intents', {
    amount_usd_cents: 1_500,
    accepted_tokens: [accepted],
  })
  const { expected_lamports } = await asShop('POST', '/intents/select-token', {
    client_secret,
    mint: token?.mint ?? null,
  })
  await payFromWallet(rpcUrl, buyer, { to: address, amount: BigInt(expected_lamports), token })
  return derivation_index
}

function resultOf(name: string, counts: ReadonlyMap<string, number>, atMost: number): BenchResult {
  const calls = [...counts.values()].reduce((sum, count) => sum + count, 0) / INTENTS
  const methods = [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([method, count]) => `${method} ${(count / INTENTS).toFixed(1)}`)
  return {
    name: `RPC calls in an intent's life, ${name}`,
    ours: calls,
    baseline: null,
    unit: 'calls',
    ratio: calls,
    target: { atMost },
    detail: `${INTENTS} at once, shared polling included: ${methods.join(', ')}; watched afterwards: ${afterlife()}`,
  }
}

/** What the first day after the end costs for each account of an intent, a hundred to a call. */
function afterlife(): string {
  const [closing, day] = [10 * 60_000, 24 * 3_600_000]
  const sweeps = closing / LAP_EVERY_MS.closing + (day - closing) / LAP_EVERY_MS.ended
  return `${(sweeps / 100).toFixed(1)} an account in the first day`
}
