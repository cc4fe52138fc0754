// A transfer waits while the issuer of its token has changed the mint.
import { expect, test } from 'vitest'
import { makeAddress } from '#core/chain/base58.ts'
import type { MintFacts } from '#core/chain/types.ts'
import { createMintGuard } from '#services/tokens/mint-guard.ts'
import { MINT } from '../../support/example-intent.ts'
import { createLife } from '../../support/mortal.ts'
import { NOW, OTHER_MINT, USDC } from '../../support/payment.ts'
import { createMemoryWorld, startInstance } from '../../support/settling-world.ts'

const TOKEN_2022 = makeAddress('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb')
const EXTENSIONS = ['transfer-hook', 'transfer-fee-config', 'mint-close-authority']
const TOKEN = { ...USDC, tokenProgram: TOKEN_2022, extensions: EXTENSIONS }

let facts: MintFacts | null
/** Each reading is a new one. */
let at = NOW.getTime()
const guard = createMintGuard({
  chainOf: () => ({ readMint: async () => facts }),
  directory: { tokens: async () => new Map([[MINT, TOKEN]]) },
  clock: {
    now() {
      at += 10_000
      return new Date(at)
    },
  },
})
const mint = (active: readonly string[]): MintFacts => ({
  mint: MINT,
  tokenProgram: TOKEN_2022,
  decimals: TOKEN.decimals,
  extensions: EXTENSIONS,
  active,
})

test('a transfer is held while its mint runs a program or takes a fee, says so, and goes on when that ends', async () => {
  const world = createMemoryWorld(MINT)
  const instance = startInstance(world, createLife(null), 1, guard)
  for (const [active, reason] of [
    ['transfer-hook', 'has a transfer hook with a program'],
    ['transfer-fee-config', 'takes a transfer fee'],
  ] as const) {
    facts = mint([active])
    await instance.work()
    world.pass(100n)
    expect(world.stores.transfer('transfer-1').transfer).toMatchObject({
      attemptCount: 0,
      reason: `Nothing is sent in USDC for now: its mint ${reason}.`,
    })
  }
  facts = mint([])
  for (let tick = 0; tick < 50; tick += 1) {
    await instance.work()
    world.pass(20n)
  }
  expect(world.stores.transfer('transfer-1').transfer).toMatchObject({ kind: 'sweep', status: 'done' })
  expect(instance.errors).toEqual([])
})

test('a transfer of the operator goes although it costs a fee, and waits where it would fail', async () => {
  const hold = (kind: string) => guard.holdOf({ network: 'live', asset: MINT, kind })
  facts = mint(['transfer-fee-config'])
  expect(await hold('release')).toBeNull()
  expect(await hold('token_release')).toBeNull()
  for (const kind of ['sweep', 'refund', 'charge']) expect(await hold(kind)).toContain('takes a transfer fee')
  facts = mint(['transfer-hook'])
  expect(await hold('release')).toContain('transfer hook')
  facts = null
  expect(await hold('refund')).toContain('does not exist any more')
})

test('SOL, and a token that is not on the allowlist, are not held', async () => {
  facts = mint(['transfer-hook'])
  for (const asset of ['SOL', OTHER_MINT] as const)
    expect(await guard.holdOf({ network: 'live', asset, kind: 'refund' })).toBeNull()
})
