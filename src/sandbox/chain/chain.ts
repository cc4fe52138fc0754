// Puts the chain together: runtime, disk and front.
import { createHash, generateKeyPairSync } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKeyPairSignerFromPrivateKeyBytes, getBase58Decoder, type KeyPairSigner } from '@solana/kit'
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import type { Clock } from '#ports/clock.ts'
import { createAccountMethods } from './account-methods.ts'
import { AccountNotices } from './account-notices.ts'
import { type Blockhashes, startBlockhashes } from './blockhashes.ts'
import { type ChainClock, nextStartState, startChainClock } from './chain-clock.ts'
import { createCheatMethods, createClockMethods, mayPass, notKept } from './cheat-methods.ts'
import type { Database } from './database.ts'
import { keepEffects } from './effects.ts'
import { type Answerer, answerBy, openFront } from './front.ts'
import { createHistoryMethods } from './history-methods.ts'
import { createLedgerStore, type LedgerStore } from './ledger-store.ts'
import { createLifeStore, type Identity, type LifeStore } from './life-store.ts'
import { serveNotices } from './notices.ts'
import { answerAsOrigin } from './origin.ts'
import { createRecentChanges, type RecentChanges } from './recent-changes.ts'
import { createRuntimeTime } from './runtime-time.ts'
import { type Answered, answerOf, createSendMethods } from './send-methods.ts'
import { startSurfnet } from './surfnet.ts'
import type { Upstream } from './upstream.ts'
import { createWriteQueue, type WriteQueue } from './write-queue.ts'

export type Chain = {
  readonly rpcUrl: string
  readonly wsUrl: string
  readonly genesisHash: string
  /** Stops answering, keeps everything that was executed, and stores how far the chain has come. */
  stop(): Promise<void>
}

export type ChainOptions = {
  readonly database: Database
  readonly clock: Clock
  readonly slotTimeMs: number
  readonly onProgress: (line: string) => void
  /** The runtime is gone or the disk failed: the process must end, so that nothing is shown that is not kept. */
  readonly onBroken: (error: unknown) => void
}

/** The first balance of the faucet: five hundred million SOL. */
const FAUCET_LAMPORTS = 500_000_000_000_000_000n
/** Restoring is waiting for the runtime; more at once is no faster. */
const RESTORED_AT_ONCE = 16
const BEAT_SLOTS = 10
const MIN_BEAT_MS = 100
const MAX_BEAT_MS = 1000
const LOST_BEATS = 3

export async function startChain(options: ChainOptions): Promise<Chain> {
  const { database, clock, slotTimeMs, onProgress, onBroken } = options
  const life = createLifeStore(database)
  const ledger = createLedgerStore(database)
  const { genesisHash, faucetKey } = life.identity() ?? (await beginChain(life, ledger))
  const faucet = await createKeyPairSignerFromPrivateKeyBytes(faucetKey)

  const startState = nextStartState(life, ledger.lastSlot(), clock.now())
  const front = await openFront()
  const origin = { slot: startState.slot, genesisHash }
  front.route('/origin', async (call) => answerAsOrigin(origin, call))
  const { upstream, wsUrl, stopped } = await startSurfnet(`${front.url}/origin`, origin, slotTimeMs)
  stopped.then(onBroken, onBroken)

  const accounts = ledger.accounts()
  onProgress(
    life.marks() === null ? 'a new Solana chain begins' : `the Solana chain goes on, with ${accounts.length} accounts`,
  )
  await restore(accounts, upstream)
  const runtime = createRuntimeTime({ upstream, heightBase: startState.heightBase, slotTimeMs })
  const chainClock = await startChainClock({ life, runtime, clock, startState, slotTimeMs })
  const blockhashes = await startBlockhashes(genesisHash, upstream, chainClock)

  const recent = createRecentChanges()
  const queue = createWriteQueue<Answered>(
    (sent) => keepEffects(sent, upstream, ledger, recent, accountNotices, chainClock.eras()),
    onBroken,
  )
  const answer = answerAll({ upstream, queue, ledger, recent, chainClock, blockhashes, faucet, genesisHash })
  const accountNotices = new AccountNotices({ answer, chainClock, slotTimeMs })
  front.route('/', answer)
  front.accept((socket) => serveNotices(socket, { wsUrl, accountNotices, chainClock, slotTimeMs }))
  const ending = new AbortController()
  const onBeat = async (): Promise<void> => {
    await chainClock.beat()
    await blockhashes.renew()
    if (await chainClock.lags()) await catchUp(chainClock, queue)
  }
  beat(onBeat, slotTimeMs, ending.signal).catch(onBroken)
  return {
    rpcUrl: front.url,
    wsUrl: front.wsUrl,
    genesisHash,
    async stop() {
      ending.abort()
      front.close()
      await queue.settled()
      await chainClock.stop()
      upstream.close()
    },
  }
}

function answerAll(parts: {
  readonly upstream: Upstream
  readonly queue: WriteQueue<Answered>
  readonly ledger: LedgerStore
  readonly recent: RecentChanges
  readonly chainClock: ChainClock
  readonly blockhashes: Blockhashes
  readonly faucet: KeyPairSigner
  readonly genesisHash: string
}): Answerer {
  const methods = {
    ...createClockMethods(parts),
    ...createAccountMethods(parts),
    ...createHistoryMethods(parts),
    ...createSendMethods(parts),
    ...createCheatMethods(parts),
  }
  return answerBy(methods, async ({ method, params }) => {
    if (!mayPass(method)) throw notKept(method)
    return parts.upstream.call(method, params)
  })
}

async function beginChain(life: LifeStore, ledger: LedgerStore): Promise<Identity> {
  const { d: secret } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const faucetKey = Buffer.from(secret ?? '', 'base64url')
  const faucet = await createKeyPairSignerFromPrivateKeyBytes(faucetKey)
  const genesisHash = getBase58Decoder().decode(createHash('sha256').update(`genesis ${faucet.address}`).digest())
  const state = {
    lamports: FAUCET_LAMPORTS,
    owner: SYSTEM_PROGRAM_ADDRESS,
    data: new Uint8Array(),
    executable: false,
    rentEpoch: 0n,
  }
  ledger.keep([], [{ address: faucet.address, state }])
  life.putIdentity({ genesisHash, faucetKey })
  return { genesisHash, faucetKey }
}

async function restore(accounts: ReturnType<LedgerStore['accounts']>, upstream: Pick<Upstream, 'call'>): Promise<void> {
  const next = accounts.values()
  const work = async (): Promise<void> => {
    for (const { address, data, ...state } of next)
      await upstream.call('surfnet_setAccount', [address, { ...state, data: Buffer.from(data).toString('hex') }])
  }
  await Promise.all(Array.from({ length: RESTORED_AT_ONCE }, work))
}

const catchUp = (chainClock: ChainClock, queue: WriteQueue<Answered>): Promise<Answered> =>
  queue.submit({
    alone: true,
    execute: async () => ({ answer: await answerOf(chainClock.catchUp().then(() => 'null')) }),
  })

/** Calls `onBeat` every few slots. Rejects when the runtime has stopped answering. */
async function beat(onBeat: () => Promise<void>, slotTimeMs: number, signal: AbortSignal): Promise<void> {
  const every = Math.min(MAX_BEAT_MS, Math.max(MIN_BEAT_MS, BEAT_SLOTS * slotTimeMs))
  for (let lost = 0; !signal.aborted; ) {
    try {
      await sleep(every, undefined, { signal, ref: false })
      await onBeat()
      lost = 0
    } catch (error) {
      lost += 1
      if (!signal.aborted && lost === LOST_BEATS) throw error
    }
  }
}
