// The process of the chain. It belongs to no terminal and no process group of the service, so a signal that kills the
// service does not reach it. When its parent asks, or is gone, it stores its state and ends.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#adapters/node/clock.ts'
import { type Chain, startChain } from './chain.ts'
import { type Database, openDatabase } from './database.ts'
import { type ChainSettings, chainSettings, type ToParent, toChild } from './messages.ts'

/** A process of the life before may still be ending. */
const WAIT_FOR_OTHER_MS = 3000
const BETWEEN_TRIES_MS = 50
/** After this, a stop no longer waits for the runtime: what is on disk is consistent at any moment. */
const STOP_WITHIN_MS = 900

let database: Database | null = null
let chain: Chain | null = null
let isEnding = false

process.on('disconnect', () => void end())
process.on('SIGTERM', () => void end())
process.on('SIGINT', () => void end())
process.on('message', (message) => {
  if (toChild.safeParse(message).success) void end()
})
process.on('uncaughtException', fail)
process.on('unhandledRejection', fail)

// The parent may have died while this file was being loaded.
if (!process.connected) await end()
await start(chainSettings.parse(JSON.parse(process.argv[2] ?? '')))

async function start({ dir, slotTimeMs }: ChainSettings): Promise<void> {
  try {
    database = await takeOver(dir)
    const onProgress = (line: string): void => tell({ kind: 'progress', line })
    chain = await startChain({ database, clock: systemClock, slotTimeMs, onProgress, onBroken: fail })
    const { rpcUrl, wsUrl, genesisHash } = chain
    tell({ kind: 'ready', rpcUrl, wsUrl, genesisHash })
  } catch (error) {
    fail(error)
  }
}

/** Returns the file of the data directory, as soon as no other process has locked it. */
async function takeOver(dir: string): Promise<Database> {
  const pidFile = join(dir, 'pid')
  for (let waitedMs = 0; ; waitedMs += BETWEEN_TRIES_MS) {
    const opened = openDatabase(dir)
    if (opened !== null) {
      writeFileSync(pidFile, String(process.pid), { mode: 0o600 })
      return opened
    }
    if (waitedMs >= WAIT_FOR_OTHER_MS)
      throw new Error(`the Solana chain in ${dir} is in use by process ${holderOf(pidFile)}`)
    await sleep(BETWEEN_TRIES_MS)
  }
}

function holderOf(pidFile: string): string {
  return existsSync(pidFile) ? readFileSync(pidFile, 'utf8') : 'that is just starting'
}

async function end(): Promise<void> {
  if (isEnding) return
  isEnding = true
  await Promise.race([chain?.stop().catch(() => {}), sleep(STOP_WITHIN_MS)])
  database?.close()
  process.exit(0)
}

function fail(error: unknown): void {
  if (isEnding) return
  isEnding = true
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
  const reason = error instanceof Error ? `${error.message}${cause}` : String(error)
  const exit = (): never => process.exit(1)
  if (process.connected) process.send?.({ kind: 'failed', reason } satisfies ToParent, exit)
  else exit()
}

function tell(message: ToParent): void {
  // A parent that dies just now is noticed by its own event.
  if (process.connected) process.send?.(message, () => {})
}
