// The signer's own layouts of the system program: transfers of SOL, and durable nonces.
import { type Address, address, createAddressWithSeed } from '@solana/kit'
import { bytesOfAddress } from '#core/chain/public-key.ts'
import type { NonceLifetime } from '#core/chain/types.ts'
import type { Leg, NoncePlan } from '#core/transfers/plan.ts'
import { type Demanded, type Demands, MessageMismatch } from './demands.ts'

export const SYSTEM_PROGRAM = address('11111111111111111111111111111111')
const RECENT_BLOCKHASHES = address('SysvarRecentB1ockHashes11111111111111111111')
const RENT = address('SysvarRent111111111111111111111111111111111')

const NONCE_BYTES = 80n

export const nonceUse = ({ account, authority }: NonceLifetime): Demanded => ({
  program: SYSTEM_PROGRAM,
  accounts: [account, RECENT_BLOCKHASHES, authority.address],
  writable: [account],
  data: Uint8Array.of(4, 0, 0, 0),
})

export function solTransfer(source: Address, { destination, amount }: Pick<Leg, 'destination' | 'amount'>): Demanded {
  const data = new Uint8Array(12)
  const view = new DataView(data.buffer)
  view.setUint32(0, 2, true)
  view.setBigUint64(4, amount, true)
  const accounts = [source, destination]
  return { program: SYSTEM_PROGRAM, accounts, writable: accounts, data }
}

/** Demands the creation of a nonce account whose authority is the service's own, at the address that derives from it. */
export async function nonceCreation(plan: NoncePlan, feePayer: Address): Promise<Demands> {
  const { source, authority, seed, rent } = plan
  if (authority.key.branch !== 'nonce_authority') throw new MessageMismatch('a nonce account with another authority')
  const own = await createAddressWithSeed({ baseAddress: authority.address, seed, programAddress: SYSTEM_PROGRAM })
  if (own !== source) throw new MessageMismatch('a nonce account at another address than its own')
  const base = bytesOfAddress(authority.address)
  const text = new TextEncoder().encode(seed)
  const allocation = Buffer.concat([
    u32(9),
    base,
    u64(text.length),
    text,
    u64(NONCE_BYTES),
    bytesOfAddress(SYSTEM_PROGRAM),
  ])
  return {
    mayComeFirst: [],
    mustFollow: [
      solTransfer(feePayer, { destination: source, amount: rent }),
      {
        program: SYSTEM_PROGRAM,
        accounts: [source, authority.address],
        writable: [source],
        data: Uint8Array.from(allocation),
      },
      {
        program: SYSTEM_PROGRAM,
        accounts: [source, RECENT_BLOCKHASHES, RENT],
        writable: [source],
        data: Uint8Array.from(Buffer.concat([u32(6), base])),
      },
    ],
  }
}

function u32(value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value, true)
  return bytes
}

function u64(value: bigint | number): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value), true)
  return bytes
}
