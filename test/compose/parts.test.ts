import { describe, expect, it, test } from 'vitest'
import { type BillingWorkDeps, buildBilling } from '#compose/billing-work.ts'
import { remarksOnMainnet } from '#compose/mainnet.ts'
import { remarksOnNetworkFee } from '#compose/parts.ts'
import { judgePlatformWallet } from '#compose/platform-wallet.ts'
import { parseConfig } from '#config/config.ts'
import { ConfigError } from '#config/setting.ts'
import { MAINNET_GENESIS_HASH } from '#core/chain/known-networks.ts'
import type { Network } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { makeLamports } from '#core/money/amounts.ts'
import type { Chain } from '#ports/chain.ts'
import type { JudgeSweepDestination } from '#services/accounts/sweep-destination.ts'
import { registerSubjects } from '#services/transfers/subject.ts'
import type { Leader } from '#workers/leader.ts'
import { only } from '../support/only.ts'
import { addressNo } from '../support/payment.ts'

// What is said at the start about settings that lower a guard where money is real.
describe('mainnet', () => {
  const REMOTE = {
    SOLANA_RPC_URL: 'https://rpc.example.com',
    MASTER_SEED_FILE: '/run/secrets/master-seed',
    PYTH_API_KEY: 'a key',
  }
  const LOWERED = { WEBHOOK_ALLOW_PRIVATE: '1', RATE_LIMITS: '0', INTROSPECTION: '1' }
  const mainnet = [{ genesisHash: 'another' }, { genesisHash: MAINNET_GENESIS_HASH }]

  it.each(Object.entries(LOWERED))('%s=%s is one line on mainnet, and none elsewhere', (name, value) => {
    const config = parseConfig({ ...REMOTE, [name]: value })
    expect(remarksOnMainnet(config, mainnet)).toEqual([expect.stringMatching(new RegExp(`^Warning: ${name} is o`))])
    expect(remarksOnMainnet(config, [{ genesisHash: 'another' }])).toEqual([])
  })

  it('all three are three lines, and the defaults with the key of Pyth are none', () => {
    expect(remarksOnMainnet(parseConfig({ ...REMOTE, ...LOWERED }), mainnet)).toHaveLength(3)
    expect(remarksOnMainnet(parseConfig(REMOTE), mainnet)).toEqual([])
  })

  it.each([
    ['with the default feeds', {}, 1],
    ['with feeds that it names', { PRICE_FEEDS: 'pyth,jupiter' }, 1],
    ['with a Pyth server of its own', { PRICE_FEEDS: 'pyth=https://hermes.example,jupiter' }, 0],
    ['without Pyth', { PRICE_FEEDS: 'jupiter,coinbase' }, 0],
  ])('without PYTH_API_KEY there is a line %s', (_feeds, settings, lines) => {
    const { PYTH_API_KEY: _, ...remote } = REMOTE
    const remarks = remarksOnMainnet(parseConfig({ ...remote, ...settings }), mainnet)
    expect(remarks).toEqual(Array(lines).fill(expect.stringMatching(/^Warning: PYTH_API_KEY is missing/)))
  })
})

const WALLET = addressNo(1)
const refusingOn =
  (refused: string, error: Error): JudgeSweepDestination =>
  async (network, address) => {
    if (network === refused && address === WALLET) throw error
  }

describe("the platform's wallet", () => {
  it.each(['live', 'test'])(
    'stops the start with one line when it cannot be paid on the %s network',
    async (network) => {
      const refusal = new ServiceError('invalid_address', { field: 'PLATFORM_WALLET', rule: 'is a fee payer' })
      const judging = judgePlatformWallet(WALLET, refusingOn(network, refusal))
      await expect(judging).rejects.toEqual(new ConfigError('PLATFORM_WALLET: is a fee payer; write another wallet'))
      await expect(judging).rejects.toBeInstanceOf(ConfigError)
    },
  )

  it('is judged only where there is one', async () => {
    await judgePlatformWallet(null, () => Promise.reject(new Error('not expected here')))
    await judgePlatformWallet(addressNo(2), refusingOn('live', new Error('not expected here')))
  })

  it('is no reason for what went wrong otherwise', async () => {
    const defect = new Error('the database is away')
    await expect(judgePlatformWallet(WALLET, refusingOn('live', defect))).rejects.toBe(defect)
  })
})

// What is said at the start about a network fee that does not repay the cost of a settlement.
describe('network fee', () => {
  const REMOTE = { SOLANA_RPC_URL: 'https://rpc.example.com', MASTER_SEED_FILE: '/run/secrets/master-seed' }
  const remarks = (settings: object) => remarksOnNetworkFee(parseConfig({ ...REMOTE, ...settings }))

  it('a network fee below the cost of a settlement is one line, and the default none, at any priority fee', () => {
    expect(remarks({ NETWORK_FEE_LAMPORTS: '10049' })).toEqual([
      'Warning: NETWORK_FEE_LAMPORTS is 10049, and a settlement in SOL costs the fee payer up to 10050: you pay the rest.',
    ])
    expect(remarks({ NETWORK_FEE_LAMPORTS: '10050' })).toEqual([])
    expect(remarks({})).toEqual([])
    for (const price of ['0', '1', '20000', '1000000000']) {
      expect(remarks({ PRIORITY_FEE_MICROLAMPORTS: price })).toEqual([])
    }
    expect(remarks({ NETWORK_FEE_LAMPORTS: '10050', PRIORITY_FEE_MICROLAMPORTS: '20001' })).toHaveLength(1)
  })
})

// What an instance does for recurring billing: on one network, with queues of its own, and less of it while billing is off.
describe('work of recurring billing', () => {
  function build(network: Network, isBillingOn: boolean) {
    const deps: BillingWorkDeps = {
      billing: only('billing', {}),
      delegations: only('delegations', {}),
      approvals: only('approvals', {}),
      checkouts: only('checkouts', {}),
      transfers: only('transfers', {}),
      keys: only('keys', {}),
      afterFailover: async () => ({ waits: null, lostBefore: null }),
      clock: only('clock', {}),
      random: only('random', {}),
      sleep: async () => {},
      sponsorLamportsPerBusiness: isBillingOn ? makeLamports(1_000_000) : null,
      onError: () => {},
    }
    return buildBilling(deps, { network, chain: only<Chain>('chain', {}) }, only<Leader>('leader', {}), () => {})
  }

  test('charges have their own queue, so that many of them delay no payment', () => {
    const { queues } = registerSubjects(build('live', true).subjects)
    expect(queues).toEqual({ charge: { most: 128 } })
  })

  test('a network without recurring billing has no work of it', () => {
    expect(build('test', true)).toEqual({ subjects: [], jobs: [] })
  })

  test.each([
    [true, ['approve', 'delegations', 'due', 'refill']],
    [false, ['approve']],
  ])('while billing is on: %s, the jobs are %s, and transfers under way are moved', (isOn, kinds) => {
    const { jobs, subjects } = build('live', isOn)
    expect(jobs.map(({ kind }) => kind).toSorted()).toEqual(kinds)
    expect(subjects.map(({ kind }) => kind)).toEqual(['charge'])
  })
})
