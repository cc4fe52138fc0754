// Starts the chain of svm-node-process.ts, with wallets that have plenty of SOL, and other accounts as given.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Address } from '#core/chain/types.ts'
import { type RawAccount, SYSTEM_PROGRAM } from '../../test/simulator/chain/raw.ts'

const LAMPORTS = 1_000_000_000_000n

export type SvmNode = { readonly rpcUrl: string; readonly wsUrl: string; stop(): void }
/** The accounts of a chain before its first slot. */
export type Founded = ReadonlyMap<Address, RawAccount>

export async function startSvmNode(wallets: readonly Address[], accounts: Founded = new Map()): Promise<SvmNode> {
  const child = fork(new URL('./svm-node-process.ts', import.meta.url), { stdio: 'inherit', serialization: 'advanced' })
  const rich = { lamports: LAMPORTS, owner: SYSTEM_PROGRAM, data: new Uint8Array() }
  child.send(new Map([...wallets.map((wallet) => [wallet, rich] as const), ...accounts]))
  const [port] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('the chain did not start'))),
  ])
  return { rpcUrl: `http://127.0.0.1:${port}`, wsUrl: `ws://127.0.0.1:${port}`, stop: () => void child.kill() }
}
