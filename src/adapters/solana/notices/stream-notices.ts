// Notices of a stream, and of websockets while the stream sends none.
import type { Address } from '#core/chain/types.ts'
import { msSince } from '#lib/time.ts'
import type { FinalityNotices } from '#ports/blocks.ts'
import type { AccountNotices, NoticeCoverage } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import { SILENT_MS } from './notice-feed.ts'
import type { NoticeSource } from './notice-source.ts'

const NONE: ReadonlySet<Address> = new Set()
/** A stream that is silent for so long is away: it has had the time to open again once. */
const AWAY_MS = 2 * SILENT_MS

export class StreamNotices implements AccountNotices, FinalityNotices {
  readonly #stream: NoticeSource
  readonly #websockets: NoticeSource
  readonly #clock: Clock
  readonly #timer: NodeJS.Timeout
  #wanted: ReadonlySet<Address> = NONE
  #onFinality: ((slot: bigint) => void) | null = null
  /** When the stream was wanted first, or ticked last. */
  #tickedAt: number | null = null
  #isAway = false

  constructor(stream: NoticeSource, websockets: NoticeSource, clock: Clock) {
    this.#stream = stream
    this.#websockets = websockets
    this.#clock = clock
    this.#timer = setInterval(() => this.#choose(), SILENT_MS / 5)
    this.#timer.unref()
  }

  watch(accounts: ReadonlySet<Address>): void {
    this.#wanted = accounts
    this.#stream.watch(accounts)
    if (this.#isAway) this.#websockets.watch(accounts)
  }

  followFinality(listener: ((slot: bigint) => void) | null): void {
    this.#onFinality = listener
    this.#stream.followFinality(listener)
    if (this.#isAway) this.#websockets.followFinality(listener)
  }

  onNotice(listener: (account: Address) => void): void {
    this.#stream.onNotice(listener)
    this.#websockets.onNotice(listener)
  }

  coveredSince(account: Address): bigint | null {
    return this.#stream.coveredSince(account) ?? this.#websockets.coveredSince(account)
  }

  coverage(): NoticeCoverage {
    return this.#isAway ? this.#websockets.coverage() : this.#stream.coverage()
  }

  get room(): number {
    return this.#isAway ? this.#websockets.room : this.#stream.room
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all([this.#stream.close(), this.#websockets.close()])
  }

  #choose(): void {
    const now = this.#clock.now().getTime()
    const isWanted = this.#wanted.size > 0 || this.#onFinality !== null
    if (this.#stream.isTicking || !isWanted) this.#tickedAt = now
    this.#tickedAt ??= now
    const isAway = msSince(this.#tickedAt, now) >= AWAY_MS
    if (isAway === this.#isAway) return
    this.#isAway = isAway
    this.#websockets.watch(isAway ? this.#wanted : NONE)
    this.#websockets.followFinality(isAway ? this.#onFinality : null)
  }
}
