import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKeyPairSigner } from '@solana/kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { demoDashboard, prepareDemo } from '#compose/demo-business.ts'
import { tenantOf } from '#core/accounts/account.ts'
import type { ListedMember, Login } from '#core/accounts/member.ts'
import type { Token } from '#core/tokens/token.ts'
import { prepareDemoChain } from '#sandbox/chain/demo-chain.ts'
import type { DemoFacts } from '#sandbox/demo-facts.ts'
import type { Manager } from '#services/accounts/manager.ts'
import type { ShownLink } from '#services/accounts/members.ts'
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

it('the dashboard of the demo business begins with a link for its owner, until a member has logged in', async () => {
  const facts = only<DemoFacts>('facts', { account_id: 'shop', base_url: 'http://localhost:4000' })
  const manager = only<Manager>('manager', { tenant: tenantOf({ network: 'live', id: 'shop' }) })
  const owner = only<ListedMember>('member', { id: 'owner', name: 'Demo owner', logins: [] })
  const shown = (url: string): ShownLink => only<ShownLink>('link', { url })
  const known = [only<ListedMember>('member', { id: 'invited', name: 'Ada', logins: [] })]
  const services = {
    keys: { operatorOf: async () => manager },
    members: {
      list: async () => known,
      invite: async () => {
        known.push(owner)
        return shown('first')
      },
      addLink: async (_manager: Manager, id: string) => shown(`another for ${id}`),
    },
  }
  expect(await demoDashboard(services, facts)).toBe('first')
  expect(await demoDashboard(services, facts)).toBe('another for owner')
  known.push(only<ListedMember>('member', { logins: [only<Login>('login', {})] }))
  expect(await demoDashboard(services, facts)).toBe('http://localhost:4000/dashboard')
})
