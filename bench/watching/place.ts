// The real service on a real runtime, with everything that it asks of its chain counted on the way.
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
import { createLog } from '#server/log.ts'
import { freePort } from '../../test/support/free-port.ts'
import { startCounter } from '../harness/counter.ts'

/** As on mainnet, so that what is final takes as long to become so, and is polled for as long. */
const SLOT_MS = 200
const OPERATOR_TOKEN = 'op_bench_00000000000000000000000000000000'

export type Token = { readonly mint: Address; readonly token_program: Address; readonly decimals: number }

export type Place = {
  /** The address of the service. */
  readonly url: string
  readonly rpcUrl: string
  readonly buyer: KeyPairSigner
  readonly token: Token
  readonly counter: Awaited<ReturnType<typeof startCounter>>
  readonly asOperator: (query: string, variables?: object) => Promise<Json>
  readonly asShop: (method: 'GET' | 'POST', path: string, body?: object) => Promise<Json>
}

// biome-ignore lint/suspicious/noExplicitAny: what the service answers is read as its integrator would, by name.
export type Json = any

/** Without notices, the websocket of the service leads nowhere. */
export async function openPlace(cleanup: AsyncDisposableStack, hasNotices = true): Promise<Place> {
  const { rpcUrl, buyer, token, settings } = await openChain(cleanup)
  const counter = await startCounter(rpcUrl)
  cleanup.defer(() => counter.stop())
  const config = parseConfig({
    ...settings,
    PORT: String(await freePort()),
    SOLANA_RPC_URL: counter.url,
    ...(!hasNotices && { SOLANA_WS_URL: `ws://127.0.0.1:${await freePort()}` }),
    DEPOSIT_SOURCE: 'polling',
  })
  const service = await startService(config, { version: 'bench', log: createLog('silent'), progress: () => {} })
  cleanup.defer(() => service.close())
  if (service.url === null) throw new Error('the service does not listen')
  return { url: service.url, rpcUrl, buyer, token, counter, ...(await openShop(service.url, token.mint)) }
}

/** An embedded chain with money for a buyer and a fee payer, and the settings of a service in production on it. */
export async function openChain(cleanup: AsyncDisposableStack) {
  const dataDir = await mkdtemp(join(tmpdir(), 'payments-bench-'))
  cleanup.defer(() => rm(dataDir, { recursive: true, force: true }))
  const chain = await startEmbeddedChain({ dataDir, slotTimeMs: SLOT_MS })
  cleanup.defer(() => chain.stop())
  const mnemonic = newMnemonic()
  const feePayer = createDepositKeys(loadMasterSeed(mnemonic)).addressOf({ network: 'live', branch: 'fee_payer' })
  const { mints, buyer } = await prepareDemoChain({ rpcUrl: chain.rpcUrl, dataDir, feePayers: [feePayer] })
  const { mint, tokenProgram, decimals } = mints.usd
  const token: Token = { mint, token_program: tokenProgram, decimals }
  const settings = {
    DATA_DIR: dataDir,
    SOLANA_RPC_URL: chain.rpcUrl,
    SOLANA_WS_URL: chain.wsUrl,
    MASTER_SEED: mnemonic,
    OPERATOR_TOKEN,
    PRICE_FEEDS: 'fixed:SOL=150,USDD=1',
    RATE_LIMITS: '0',
  }
  return { rpcUrl: chain.rpcUrl, buyer, token, settings }
}

async function ask(url: string, bearer: string, method: 'GET' | 'POST', body?: object): Promise<Json> {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
    ...(body && { body: JSON.stringify(body) }),
  })
  return await response.json()
}

/** Opens a business at a service with the settings of `openChain`. */
export async function openShop(url: string, mint: Address): Promise<Pick<Place, 'asOperator' | 'asShop'>> {
  const asOperator: Place['asOperator'] = async (query, variables = {}) =>
    (await ask(`${url}/operator/graphql`, OPERATOR_TOKEN, 'POST', { query, variables })).data
  const allow = 'mutation($input: AllowTokenInput!) { allowToken(input: $input) { asset } }'
  await asOperator(allow, { input: { network: 'live', asset: 'SOL', name: 'Solana', ticker: 'SOL' } })
  await asOperator(allow, { input: { network: 'live', asset: mint, name: 'Demo Dollar', ticker: 'USDD' } })
  const { address } = await generateKeyPairSigner()
  const { createAccount } = await asOperator(
    'mutation($input: CreateAccountInput!) { createAccount(input: $input) { apiKey } }',
    { input: { name: 'Corner Shop', mode: 'live', sweepDestination: address } },
  )
  return { asOperator, asShop: shopClient(url, createAccount.apiKey) }
}

export const shopClient =
  (url: string, apiKey: string): Place['asShop'] =>
  (method, path, body) =>
    ask(url + path, apiKey, method, body)

export type Payment = {
  readonly index: number
  readonly clientSecret: string
  readonly address: Address
  readonly amount: bigint
}

/** Opens a payment of which the buyer has chosen the asset. `other`: another token that it accepts. */
export async function openPayment(
  { asShop }: Pick<Place, 'asShop'>,
  token: Token | null,
  cents = 1_500,
  other: Token | null = null,
): Promise<Payment> {
  const accepted = [token, ...(other === null ? [] : [other])]
  const { client_secret, derivation_index, address } = await asShop('POST', '/intents', {
    amount_usd_cents: cents,
    accepted_tokens: accepted.map((one) => (one === null ? { kind: 'sol' } : { kind: 'spl', mint: one.mint })),
  })
  const { expected_lamports } = await asShop('POST', '/intents/select-token', {
    client_secret,
    mint: token?.mint ?? null,
  })
  return { index: derivation_index, clientSecret: client_secret, address, amount: BigInt(expected_lamports) }
}
