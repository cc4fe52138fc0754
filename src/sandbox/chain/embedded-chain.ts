// A Solana chain that needs only this repository. It runs in a process of its own and survives every stop and crash, of
// itself and of the service.
import { type ChildProcess, spawn } from 'node:child_process'
import { getCompileCacheDir } from 'node:module'
import { Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type ChainSettings, type ToChild, type ToParent, toParent } from './messages.ts'
import { hasSurfnetPackage, SURFNET_PACKAGE } from './surfnet.ts'

export type EmbeddedChain = {
  readonly rpcUrl: string
  readonly wsUrl: string
  /** Constant for the data directory, and different from every public network. */
  readonly genesisHash: string
  /** The id of its process. */
  readonly pid: number
  /** Stores everything and ends the process. It can be repeated. */
  stop(): Promise<void>
  /** Resolves when the process has ended, asked or not; null when a signal killed it. */
  readonly exited: Promise<{ readonly code: number | null }>
}

export type EmbeddedChainOptions = {
  /** The chain is stored in `chain/` in this directory. One process at a time can use it. */
  readonly dataDir: string
  readonly slotTimeMs: number
  readonly onProgress?: (line: string) => void
  /** Which native package to look for; the one for this machine unless said otherwise. */
  readonly nativePackage?: string
}

/** Less memory, for a little more time of the processor: most of the chain's work is that of its native runtime. */
const NODE_OPTIONS = ['--max-semi-space-size=4', '--heap-growing-percent=40']
const STOP_WITHIN_MS = 5000
const LAST_WORDS = 2000

/** Rejects with one line that says what is wrong and what to do. */
export async function startEmbeddedChain(options: EmbeddedChainOptions): Promise<EmbeddedChain> {
  const { dataDir, slotTimeMs, onProgress = () => {}, nativePackage = SURFNET_PACKAGE } = options
  if (!hasSurfnetPackage(nativePackage))
    throw new Error(
      `The embedded Solana chain does not run here: ${nativePackage} is not installed. Set SOLANA_RPC_URL and SOLANA_WS_URL to use another chain.`,
    )
  const child = spawnChain({ dir: join(dataDir, 'chain'), slotTimeMs })
  const exited = new Promise<{ code: number | null }>((resolve) => child.once('exit', (code) => resolve({ code })))
  const { rpcUrl, wsUrl, genesisHash } = await readiness(child, onProgress)
  unref(child)
  return { rpcUrl, wsUrl, genesisHash, pid: child.pid ?? 0, stop: () => stop(child, exited), exited }
}

function spawnChain(settings: ChainSettings): ChildProcess {
  const program = fileURLToPath(new URL('./process.ts', import.meta.url))
  // A directory for this version of Node, inside the directory that NODE_COMPILE_CACHE names.
  const compiled = getCompileCacheDir()
  return spawn(process.execPath, [...NODE_OPTIONS, program, JSON.stringify(settings)], {
    // Out of the service's process group: what is sent to that one must not take the chain along.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // It needs no setting of the service's and is shown no secret; a proxy must not come between it and its runtime.
    env: { NO_PROXY: '*', no_proxy: '*', ...(compiled !== undefined && { NODE_COMPILE_CACHE: dirname(compiled) }) },
  })
}

/** It ends by itself with its parent; once it runs, it must not keep its parent from ending. */
function unref(child: ChildProcess): void {
  child.unref()
  child.channel?.unref()
  if (child.stderr instanceof Socket) child.stderr.unref()
}

type Ready = Extract<ToParent, { kind: 'ready' }>

function readiness(child: ChildProcess, onProgress: (line: string) => void): Promise<Ready> {
  const { promise, resolve, reject } = Promise.withResolvers<Ready>()
  let lastWords = ''
  let report = (line: string): void => reject(new Error(line))
  child.stderr?.on('data', (part: Buffer) => {
    lastWords = (lastWords + part.toString()).slice(-LAST_WORDS)
  })
  child.on('message', (message) => {
    const parsed = toParent.parse(message)
    if (parsed.kind === 'progress') onProgress(parsed.line)
    else if (parsed.kind === 'failed') report(`The embedded Solana chain failed: ${parsed.reason}`)
    else {
      resolve(parsed)
      report = onProgress
    }
  })
  child.once('error', (error) => reject(new Error(`The embedded Solana chain failed: ${error.message}`)))
  child.once('exit', (code) => reject(new Error(`The embedded Solana chain ended (${code}): ${lastWords.trim()}`)))
  return promise
}

async function stop(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  if (child.connected) child.send({ kind: 'stop' } satisfies ToChild, () => {})
  const timer = new AbortController()
  const late = sleep(STOP_WITHIN_MS, true, { signal: timer.signal }).catch(() => false)
  if (await Promise.race([exited.then(() => false), late])) child.kill('SIGKILL')
  timer.abort()
  await exited
}
