// One library derives deposit addresses, another signs for them. When they differ, the service must not start.

import { beforeEach, expect, test, vi } from 'vitest'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { createSigner } from '#adapters/solana/transactions/signer.ts'
import { makeBlockhash } from '#core/chain/base58.ts'
import { SOL } from '#core/chain/types.ts'
import { leg, units } from '../../../support/payment.ts'

const faults: ((publicKey: Uint8Array) => void)[] = []
const hashFaults: ((digest: Uint8Array) => void)[] = []
vi.mock('sodium-native', async (actual) => {
  const { default: sodium } = await actual<{ default: typeof import('sodium-native') }>()
  const { crypto_sign_PUBLICKEYBYTES, crypto_sign_SECRETKEYBYTES } = sodium
  return {
    default: {
      crypto_sign_PUBLICKEYBYTES,
      crypto_sign_SECRETKEYBYTES,
      crypto_sign_seed_keypair(publicKey: Buffer, secretKey: Buffer, seed: Buffer) {
        sodium.crypto_sign_seed_keypair(publicKey, secretKey, seed)
        faults.shift()?.(publicKey)
      },
      crypto_hash_sha512(digest: Buffer, data: Buffer) {
        sodium.crypto_hash_sha512(digest, data)
        hashFaults.shift()?.(digest)
      },
    },
  }
})
const wrong = (bytes: Uint8Array) => bytes.fill(1)
const right = () => {}

const seed = new Uint8Array(64).fill(5)
beforeEach(() => {
  faults.length = 0
  hashFaults.length = 0
})

test('a seed is refused on a machine whose libraries derive two keys from it', () => {
  hashFaults.push(wrong)
  expect(() => createDepositKeys(seed)).toThrow('two keys from one seed')
})

test('a seed is refused on a machine whose libraries give a key two addresses, on either network', () => {
  createDepositKeys(seed)
  faults.push(wrong)
  expect(() => createDepositKeys(seed)).toThrow('one key two addresses')
  faults.push(right, wrong)
  expect(() => createDepositKeys(seed)).toThrow('one key two addresses')
})

test('no transaction is signed for an address that is not the signing key’s', async () => {
  const keys = createDepositKeys(seed)
  faults.push(wrong)
  const key = { network: 'live', branch: 'deposit', account: 1, intent: 1 } as const
  const source = keys.addressOf(key)
  const authority = { address: source, key }
  const lifetime = { blockhash: makeBlockhash(source), lastValidBlockHeight: 1n } as const
  const legs = [leg('merchant', keys.addressOf({ network: 'live', branch: 'delegate' }), units(5n))]
  const plan = { kind: 'legs', network: 'live', asset: SOL, token: null, source, authority, lifetime, legs } as const
  expect(await createSigner(seed).sign(plan, new Uint8Array())).toEqual({
    refused: 'The signer refuses: the plan names a key that is not its signer’s.',
  })
})
