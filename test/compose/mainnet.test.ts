// What is said at the start about settings that lower a guard where money is real.
import { expect, it } from 'vitest'
import { remarksOnMainnet } from '#compose/mainnet.ts'
import { parseConfig } from '#config/config.ts'
import { MAINNET_GENESIS_HASH } from '#core/chain/known-networks.ts'

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
