// Starts the chain of svm-node-process.ts, with wallets that have plenty of SOL.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Address } from '#core/chain/types.ts'

export type SvmNode = { readonly rpcUrl: string; readonly wsUrl: string; stop(): void }

export async function startSvmNode(wallets: readonly Address[]): Promise<SvmNode> {
  const child = fork(new URL('./svm-node-process.ts', import.meta.url), [...wallets], { stdio: 'inherit' })
  const [port] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('the chain did not start'))),
  ])
  return { rpcUrl: `http://127.0.0.1:${port}`, wsUrl: `ws://127.0.0.1:${port}`, stop: () => void child.kill() }
}
