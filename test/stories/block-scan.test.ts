import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKeyPairSigner, type KeyPairSigner } from '@solana/kit'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { loadMasterSeed, newMnemonic } from '#adapters/solana/keys/seed.ts'
import { type RunningService, startService } from '#compose/service.ts'
import { parseConfig } from '#config/config.ts'
import { prepareDemoChain } from '#sandbox/chain/demo-chain.ts'
import { type EmbeddedChain, startEmbeddedChain } from '#sandbox/chain/embedded-chain.ts'
import { type DemoToken, payFromWallet } from '#sandbox/chain/payment.ts'
import { createLog } from '#server/log.ts'
import { copyEmbeddedTemplate } from '../support/database.ts'
import { freePort } from '../support/free-port.ts'
import {
  type Json,
  openIntent,
  STORY_SLOT_MS,
  STORY_TIMEOUT_MS,
  type Story,
  startStory,
  untilStatus,
} from '../support/running-service.ts'
import { until } from '../support/until.ts'

// Payments found block by block, on a real Solana runtime, without polling an address.
describe('blocks', () => {
  vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

  let story: Story & { stop(): Promise<void> }
  beforeAll(async () => {
    story = await startStory({ DEPOSIT_SOURCE: 'blocks' })
  })
  afterAll(() => story?.stop())

  it.concurrent.each(['SOL', 'USDD', 'DEMO'])('a payment in %s is found in its block, and swept', async (ticker) => {
    const intent = await openIntent(story, ticker)
    await story.pay(intent.deposit, ticker, intent.expected)
    const status = await untilStatus(story, intent.index, 'swept')
    expect(status.refund_sender).toBe(story.wallet.address)
    expect(status.received_lamports).toBe(Number(intent.expected))
  })

  it.concurrent('a payment long after the end is found as well', async () => {
    const intent = await openIntent(story, 'SOL')
    await story.rest('POST', '/intents/cancel', { body: { client_secret: intent.clientSecret } })
    await untilStatus(story, intent.index, 'cancelled')
    await story.pay(intent.deposit, 'SOL', intent.expected)
    await untilStatus(story, intent.index, 'refunded')
  })

  it.concurrent('an asset that was not requested is found by the owner of its account', async () => {
    const intent = await openIntent(story, 'SOL')
    await story.pay(intent.deposit, 'USDD', 5_000_000n)
    const returned = async () =>
      (await story.rest('GET', `/status?index=${intent.index}`, { key: story.facts.api_key })).body.token_refunds
    await until(async () => (await returned())?.[0]?.status === 'refunded', STORY_TIMEOUT_MS / 2)
    expect(await returned()).toMatchObject([{ status: 'refunded' }])
  })
})

// Payments that arrive while the service is down: a service that reads blocks continues from its cursor and finds them.
describe('blocks after a restart', () => {
  vi.setConfig({ testTimeout: 2 * STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

  const OPERATOR_TOKEN = 'op_story_00000000000000000000000000000000'
  const mnemonic = newMnemonic()

  let dataDir: string
  let chain: EmbeddedChain
  let buyer: KeyPairSigner
  let service: RunningService | null = null
  let apiKey: string
  let unlisted: DemoToken

  const start = async (): Promise<void> => {
    const config = parseConfig({
      DATA_DIR: dataDir,
      PORT: String(await freePort()),
      SOLANA_RPC_URL: chain.rpcUrl,
      SOLANA_WS_URL: chain.wsUrl,
      MASTER_SEED: mnemonic,
      OPERATOR_TOKEN,
      PRICE_FEEDS: 'fixed:SOL=150',
      RATE_LIMITS: '0',
      DEPOSIT_SOURCE: 'blocks',
    })
    service = await startService(config, { version: 'test', log: createLog('fatal'), progress: () => {} })
  }
  const stop = async (): Promise<void> => {
    await service?.close()
    service = null
  }
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'story-'))
    await copyEmbeddedTemplate(join(dataDir, 'database'))
    chain = await startEmbeddedChain({ dataDir, slotTimeMs: STORY_SLOT_MS })
    const feePayer = createDepositKeys(loadMasterSeed(mnemonic)).addressOf({ network: 'live', branch: 'fee_payer' })
    const demo = await prepareDemoChain({ rpcUrl: chain.rpcUrl, dataDir, feePayers: [feePayer] })
    buyer = demo.buyer
    const { mint, tokenProgram, decimals } = demo.mints.usd
    unlisted = { mint, token_program: tokenProgram, decimals }
    await start()
  })
  afterAll(async () => {
    await stop()
    await chain?.stop()
    await rm(dataDir, { recursive: true, force: true })
  })

  async function ask(path: string, bearer: string, body?: object): Promise<Json> {
    const response = await fetch(`${service?.url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
      ...(body && { body: JSON.stringify(body) }),
    })
    return await response.json()
  }
  const operator = async (query: string, input?: object): Promise<Json> =>
    (await ask('/operator/graphql', OPERATOR_TOKEN, { query, variables: { input } })).data

  async function openIntent() {
    const { client_secret, derivation_index, address } = await ask('/intents', apiKey, {
      amount_usd_cents: 1_500,
      accepted_tokens: [{ kind: 'sol' }],
    })
    const selected = await ask('/intents/select-token', apiKey, { client_secret, mint: null })
    return { index: derivation_index, to: address, amount: BigInt(selected.expected_lamports), token: null }
  }
  const statusIs = (index: number, status: string) =>
    expect
      .poll(async () => (await ask(`/status?index=${index}`, apiKey)).status, {
        timeout: STORY_TIMEOUT_MS,
        interval: 100,
      })
      .toBe(status)
  const sourceOf = async () =>
    (await operator('{ operatorStatus { networks { live { deposits { source reason readToSlot } } } } }'))
      .operatorStatus.networks.live.deposits

  it('the operator’s status shows that blocks are read, up to which block, and why', async () => {
    await operator('mutation($input: AllowTokenInput!) { allowToken(input: $input) { asset } }', {
      network: 'live',
      asset: 'SOL',
      name: 'Solana',
      ticker: 'SOL',
    })
    const { address } = await generateKeyPairSigner()
    const opened = await operator('mutation($input: CreateAccountInput!) { createAccount(input: $input) { apiKey } }', {
      name: 'Corner Shop',
      mode: 'live',
      sweepDestination: address,
    })
    apiKey = opened.createAccount.apiKey
    await expect.poll(async () => (await sourceOf())?.readToSlot, { timeout: STORY_TIMEOUT_MS }).toMatch(/^\d+$/)
    expect(await sourceOf()).toMatchObject({ source: 'blocks', reason: expect.stringMatching(/operator has settled/) })
  })

  it('a payment in any mint while the service is down is found in its block', async () => {
    const first = await openIntent()
    await payFromWallet(chain.rpcUrl, buyer, first)
    await statusIs(first.index, 'swept')

    const second = await openIntent()
    await stop()
    await payFromWallet(chain.rpcUrl, buyer, second)
    // This token is not allowed, so no account is ever read for it: only its block shows it.
    await payFromWallet(chain.rpcUrl, buyer, { to: first.to, amount: 7n, token: unlisted })
    await start()

    await statusIs(second.index, 'swept')
    const recorded = async (): Promise<Json> =>
      (await operator(`{ unacceptedTokens(network: live, intent: "${first.index}") { mint amount } }`)).unacceptedTokens
    await expect.poll(recorded, { timeout: STORY_TIMEOUT_MS }).toEqual([{ mint: unlisted.mint, amount: '7' }])
  })
})
