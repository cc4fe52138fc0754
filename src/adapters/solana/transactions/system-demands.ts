// The signer's own layout of the system program: transfers of SOL.
import { type Address, address } from '@solana/kit'
import type { Leg } from '#core/transfers/plan.ts'
import type { Demanded } from './demands.ts'

export const SYSTEM_PROGRAM = address('11111111111111111111111111111111')

export function solTransfer(source: Address, { destination, amount }: Pick<Leg, 'destination' | 'amount'>): Demanded {
  const data = new Uint8Array(12)
  const view = new DataView(data.buffer)
  view.setUint32(0, 2, true)
  view.setBigUint64(4, amount, true)
  const accounts = [source, destination]
  return { program: SYSTEM_PROGRAM, accounts, writable: accounts, data }
}
