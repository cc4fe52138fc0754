// RPC calls in the whole life of an intent: the real service on the embedded chain, its calls counted on the way.
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { generateKeyPairSigner } from '@solana/kit'
import { createDepositKeys } from '#adapters/solana/deposit-keys.ts'
import { loadMasterSeed, newMnemonic } from '#adapters/solana/seed.ts'
import { startService } from '#compose/service.ts'
import { parseConfig } from '#config.ts'
import { prepareDemoChain } from '#sandbox/chain/demo-chain.ts'
import { startEmbeddedChain } from '#sandbox/chain/embedded-chain.ts'
import { payFromWallet } from '#sandbox/chain/payment.ts'
import { createLog } from '#server/log.ts'
import { freePort } from '../../test/support/postgres-server.ts'
import type { BenchResult } from '../result.ts'

const INTENTS = 60
const AT_ONCE = 6
const SLOT_MS = 100

/** Stands between the service and the chain, and counts what the service asks by method. */
async function startCounter(rpcUrl: string): Promise<{ url: string; counts: Map<string, number>; server: Server }> {
  const counts = new Map<string, number>()
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    const asked: unknown = JSON.parse(body.toString())
    for (const call of Array.isArray(asked) ? asked : [asked])
      counts.set(call.method, (counts.get(call.method) ?? 0) + 1)
    const answer = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${port}`, counts, server }
}

export async function benchLife(progress: (line: string) => void): Promise<readonly BenchResult[]> {
  await using cleanup = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-life-'))
  cleanup.defer(() => rm(dataDir, { recursive: true, force: true }))
  const chain = await startEmbeddedChain({ dataDir, slotTimeMs: SLOT_MS })
  cleanup.defer(() => chain.stop())
  const counter = await startCounter(chain.rpcUrl)
  cleanup.defer(() => void counter.server.close())
  const mnemonic = newMnemonic()
  const feePayer = createDepositKeys(loadMasterSeed(mnemonic)).addressOf({ network: 'live', branch: 'fee_payer' })
  const { mints, buyer } = await prepareDemoChain({ rpcUrl: chain.rpcUrl, dataDir, feePayer })
  const port = await freePort()
  const config = parseConfig({
    DATA_DIR: dataDir,
    PORT: String(port),
    SOLANA_RPC_URL: counter.url,
    SOLANA_WS_URL: chain.wsUrl,
    MASTER_SEED: mnemonic,
    OPERATOR_TOKEN: 'op_bench_0000000000000000000000000000000000',
    PRICE_FEEDS: 'fixed:SOL=150,USDD=1',
    SANDBOX: '1',
    RATE_LIMITS: '0',
  })
  const service = await startService(config, { version: 'bench', log: createLog('silent'), progress: () => {} })
  cleanup.defer(() => service.close())
  const ask = async (query: string, variables: object) => {
    const response = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${config.secrets.operatorToken.kind === 'given' ? config.secrets.operatorToken.secret : ''}`,
      },
      body: JSON.stringify({ query, variables }),
    })
    return await response.json()
  }
  const wallet = await generateKeyPairSigner()
  const allow = 'mutation($input: AllowTokenInput!) { allowToken(input: $input) { asset } }'
  await ask(allow, { input: { network: 'live', asset: 'SOL', name: 'Solana', ticker: 'SOL' } })
  await ask(allow, { input: { network: 'live', asset: mints.usd.mint, name: 'Demo Dollar', ticker: 'USDD' } })
  const account = await ask('mutation($input: CreateAccountInput!) { createAccount(input: $input) { apiKey } }', {
    input: { name: 'Bench', mode: 'live', sweepDestination: wallet.address },
  })
  const key: string = account.data.createAccount.apiKey
  const rest = async (method: string, path: string, body?: object) => {
    const response = await fetch(service.url + path, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      ...(body && { body: JSON.stringify(body) }),
    })
    return await response.json()
  }
  const usd = { mint: mints.usd.mint, token_program: mints.usd.tokenProgram, decimals: mints.usd.decimals }

  const live = async (token: typeof usd | null): Promise<BenchResult> => {
    const name = token === null ? 'SOL' : 'a token'
    progress(`${INTENTS} payments in ${name}, ${AT_ONCE} at once`)
    const accepted = token === null ? { kind: 'sol' } : { kind: 'spl', mint: token.mint }
    counter.counts.clear()
    const indexes: number[] = []
    const queue = Array.from({ length: INTENTS }).values()
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const _ of queue) {
          const { client_secret, derivation_index, address } = await rest('POST', '/intents', {
            amount_usd_cents: 1_500,
            accepted_tokens: [accepted],
          })
          const { expected_lamports } = await rest('POST', '/intents/select-token', {
            client_secret,
            mint: token?.mint ?? null,
          })
          await payFromWallet(chain.rpcUrl, buyer, { to: address, amount: BigInt(expected_lamports), token })
          indexes.push(derivation_index)
        }
      }),
    )
    for (const index of indexes) {
      while ((await rest('GET', `/status?index=${index}`)).status !== 'swept') await sleep(500)
    }
    // The rent of emptied token accounts comes back after the sweep, and is part of the life.
    while ((await ask('{ operatorStatus { unfinishedTransfers } }', {})).data.operatorStatus.unfinishedTransfers > 0)
      await sleep(500)
    const calls = [...counter.counts.values()].reduce((sum, count) => sum + count, 0)
    const detail = [...counter.counts]
      .sort(([, a], [, b]) => b - a)
      .map(([method, count]) => `${method} ${(count / INTENTS).toFixed(1)}`)
    return {
      name: `RPC calls in an intent's whole life, ${name}`,
      ours: calls / INTENTS,
      baseline: null,
      unit: 'calls',
      ratio: calls / INTENTS,
      target: { atMost: 8 },
      detail: `${INTENTS} intents, shared polling included: ${detail.join(', ')}`,
    }
  }
  return [await live(null), await live(usd)]
}
