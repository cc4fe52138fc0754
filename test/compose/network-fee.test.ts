// What is said at the start about a network fee that does not repay the cost of a settlement.
import { expect, it } from 'vitest'
import { remarksOnNetworkFee } from '#compose/parts.ts'
import { parseConfig } from '#config/config.ts'

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
