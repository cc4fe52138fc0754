// From a deposit that is sent to the `intent.swept` that a receiver of webhooks has: the real service on Solana's own runtime and a
// real PostgreSQL, at fifty deposits a second, found by blocks and by addresses.
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  address,
  appendTransactionMessageInstruction,
  createSolanaRpc,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  type KeyPairSigner,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { openDatabase } from '#adapters/prisma/engine/database.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { loadMasterSeed, newMnemonic } from '#adapters/solana/keys/seed.ts'
import { startService } from '#compose/service.ts'
import { parseConfig } from '#config/config.ts'
import type { DepositSourceKind } from '#core/chain/source-choice.ts'
import { createLog } from '#server/log.ts'
import { SLOT_MS } from '../../test/simulator/chain/chain.ts'
import { freePort } from '../../test/support/free-port.ts'
import { startReceiver } from '../../test/support/receiver.ts'
import { type SvmNode, startSvmNode } from '../harness/svm-node.ts'
import { until } from '../harness/until.ts'
import { openWorkplace, type Workplace } from '../harness/workplace.ts'
import type { BenchResult } from '../result.ts'

type Rate = { readonly aSecond: number; readonly seconds: number }
const FULL: Rate = { aSecond: 50, seconds: 20 }
/** The time of the path itself, without waiting for a core. */
const CALM: Rate = { aSecond: 5, seconds: 20 }
const CENTS = 150
const OPERATOR_TOKEN = 'op_bench_00000000000000000000000000000000'
const MINT_AT_ONCE = 16

export async function benchSweeping(progress: (line: string) => void): Promise<readonly BenchResult[]> {
  await using cleanup = new AsyncDisposableStack()
  const workplace = await openWorkplace()
  cleanup.defer(() => workplace.close())
  const measure = async (source: DepositSourceKind, rate: Rate) => {
    progress(`${rate.aSecond} deposits a second for ${rate.seconds} s, found by ${source}`)
    return await latencies(workplace, source, rate)
  }
  const calm = await measure('blocks', CALM)
  const ours = await measure('blocks', FULL)
  const baseline = await measure('polling', FULL)
  const result = (name: string, part: number, atMost: number): BenchResult => ({
    name: `from a deposit sent to its intent.swept received, ${name}`,
    ours: at(ours, part),
    baseline: at(baseline, part),
    unit: 's',
    ratio: at(ours, part) / at(baseline, part),
    target: { atMost },
    judged: 'ours',
    detail: `${ours.length} deposits at ${FULL.aSecond} a second, slots of ${SLOT_MS} ms, with chain, database and service on one machine; at ${CALM.aSecond} a second ${at(calm, part).toFixed(2)}; load ${loadavg()[0]?.toFixed(1)}`,
  })
  return [result('median', 0.5, 1.5), result('p99', 0.99, 3)]
}

const at = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0

/** In seconds, ascending. */
async function latencies(workplace: Workplace, source: DepositSourceKind, rate: Rate): Promise<readonly number[]> {
  await using cleanup = new AsyncDisposableStack()
  const name = `${source}_${rate.aSecond}`
  const dataDir = join(workplace.directory, name)
  const url = await workplace.postgres.createDatabase(`sweeping_${name}`)
  const mnemonic = newMnemonic()
  const feePayer = createDepositKeys(loadMasterSeed(mnemonic)).addressOf({ network: 'live', branch: 'fee_payer' })
  const buyer = await generateKeyPairSigner()
  const chain = await startSvmNode([feePayer, buyer.address])
  cleanup.defer(() => chain.stop())
  const config = parseConfig({
    DATA_DIR: dataDir,
    DATABASE_URL: url,
    PORT: String(await freePort()),
    SOLANA_RPC_URL: chain.rpcUrl,
    SOLANA_WS_URL: chain.wsUrl,
    MASTER_SEED: mnemonic,
    OPERATOR_TOKEN,
    PRICE_FEEDS: 'fixed:SOL=150',
    RATE_LIMITS: '0',
    DEPOSIT_SOURCE: source,
    WEBHOOK_ALLOW_PRIVATE: 'true',
  })
  const service = await startService(config, { version: 'bench', log: createLog('error'), progress: () => {} })
  cleanup.defer(() => service.close())
  const db = await openDatabase({ kind: 'postgresql', url, poolSize: 1 })
  cleanup.defer(() => db.close())

  if (service.url === null) throw new Error('the service does not listen')
  const sweptAt = new Map<string, number>()
  const receiver = await startReceiver((response, { body }) => {
    const { type, data } = JSON.parse(body)
    if (type === 'intent.swept') sweptAt.set(data.address, performance.now())
    response.writeHead(200).end()
  })
  cleanup.defer(() => receiver.close())
  const payments = await openPayments(
    service.url,
    await openShop(service.url, receiver.url),
    rate.aSecond * rate.seconds,
  )
  await until(
    async () =>
      (await db.query('SELECT 1 FROM deposit_sources WHERE slot IS NOT NULL')).length > 0 || source === 'polling',
  )
  const sentAt = await payAll(chain, buyer, payments, rate.aSecond)
  await until(async () => sweptAt.size === payments.length)
  return payments
    .map(({ to }) => ((sweptAt.get(to) ?? Number.NaN) - (sentAt.get(to) ?? Number.NaN)) / 1_000)
    .sort((a, b) => a - b)
}

// biome-ignore lint/suspicious/noExplicitAny: what the service answers is read as its integrator would, by name.
type Json = any

async function ask(url: string, bearer: string | null, body: object): Promise<Json> {
  const headers = { 'content-type': 'application/json', ...(bearer && { authorization: `Bearer ${bearer}` }) }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  return await response.json()
}

async function openShop(url: string, webhookUrl: string): Promise<string> {
  const asOperator = async (query: string, input: object): Promise<Json> =>
    (await ask(`${url}/operator/graphql`, OPERATOR_TOKEN, { query, variables: { input } })).data
  await asOperator('mutation($input: AllowTokenInput!) { allowToken(input: $input) { asset } }', {
    network: 'live',
    asset: 'SOL',
    name: 'Solana',
    ticker: 'SOL',
  })
  const { address: sweepDestination } = await generateKeyPairSigner()
  const { createAccount } = await asOperator(
    'mutation($input: CreateAccountInput!) { createAccount(input: $input) { apiKey } }',
    { name: 'Corner Shop', mode: 'live', sweepDestination, webhookUrl },
  )
  return createAccount.apiKey
}

type Payment = { readonly to: string; readonly lamports: bigint }

async function openPayments(url: string, apiKey: string, count: number): Promise<readonly Payment[]> {
  const payments: Payment[] = []
  const open = async (): Promise<void> => {
    while (payments.length < count) {
      const place = payments.push({ to: '', lamports: 0n }) - 1
      const created = await ask(`${url}/intents`, apiKey, {
        amount_usd_cents: CENTS,
        accepted_tokens: [{ kind: 'sol' }],
      })
      const { client_secret } = created
      const selected = await ask(`${url}/intents/select-token`, null, { client_secret, mint: null })
      payments[place] = { to: created.address, lamports: BigInt(selected.expected_lamports) }
    }
  }
  await Promise.all(Array.from({ length: MINT_AT_ONCE }, open))
  return payments
}

/**
 * Sends at an even pace, without waiting for answers. Signed in advance, so that signing delays no payment. Returns when each was
 * sent, by its address.
 */
async function payAll(
  chain: SvmNode,
  buyer: KeyPairSigner,
  payments: readonly Payment[],
  aSecond: number,
): Promise<ReadonlyMap<string, number>> {
  const rpc = createSolanaRpc(chain.rpcUrl)
  const sent: Promise<unknown>[] = []
  const sentAt = new Map<string, number>()
  const began = performance.now()
  for (let second = 0; second * aSecond < payments.length; second += 1) {
    const { value: lifetime } = await rpc.getLatestBlockhash({ commitment: 'finalized' }).send()
    const group = payments.slice(second * aSecond, (second + 1) * aSecond)
    const wires = await Promise.all(
      group.map(async ({ to, lamports }) => {
        const transfer = getTransferSolInstruction({ source: buyer, destination: address(to), amount: lamports })
        const message = pipe(
          createTransactionMessage({ version: 0 }),
          (empty) => setTransactionMessageFeePayerSigner(buyer, empty),
          (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
          (living) => appendTransactionMessageInstruction(transfer, living),
        )
        return getBase64EncodedWireTransaction(await signTransactionMessageWithSigners(message))
      }),
    )
    for (const [place, wire] of wires.entries()) {
      const due = began + second * 1_000 + (place * 1_000) / aSecond
      if (due > performance.now()) await sleep(due - performance.now())
      sentAt.set(group[place]?.to ?? '', performance.now())
      sent.push(rpc.sendTransaction(wire, { encoding: 'base64', skipPreflight: true }).send())
    }
  }
  await Promise.all(sent)
  return sentAt
}
