import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKeyPairSigner } from '@solana/kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { prepareDemo } from '#compose/demo-business.ts'
import type { Token } from '#core/tokens/token.ts'
import { prepareDemoChain } from '#sandbox/chain/demo-chain.ts'
import { startTestChain, stopTestChain, type TestChain } from '../support/chain.ts'
import { only } from '../support/only.ts'
import { credential } from '../support/services.ts'

let chain: TestChain
let dataDir: string
beforeAll(async () => {
  chain = await startTestChain()
  dataDir = await mkdtemp(join(tmpdir(), 'demo-business-'))
})
afterAll(async () => {
  await stopTestChain(chain)
  await rm(dataDir, { recursive: true, force: true })
})

it('a start says what it makes, and the next one, which makes nothing, says nothing', async () => {
  const feePayer = (await generateKeyPairSigner()).address
  const { account } = credential('live')
  const token: Token = only('token', {})
  const start = async () => {
    const progress: string[] = []
    const { rpcUrl } = chain
    const onProgress = (line: string) => progress.push(line)
    const { mints } = await prepareDemoChain({ rpcUrl, dataDir, feePayers: [feePayer], onProgress })
    const facts = await prepareDemo({
      dataDir,
      baseUrl: 'http://127.0.0.1:4000',
      operatorUrl: 'http://127.0.0.1:4000',
      chain: { rpcUrl, mints },
      services: {
        accounts: { create: async () => ({ account, apiKey: 'sk_live_first', webhookSecret: 'whsec_first' }) },
        tokens: { list: async () => [], allow: async () => token },
      },
    })
    return { facts, progress }
  }
  const first = await start()
  expect(first.progress).toEqual([
    'funding the fee payer and a demo wallet',
    'making two demo tokens: one classic, one Token-2022',
  ])
  expect(await start()).toEqual({ facts: first.facts, progress: [] })
})
