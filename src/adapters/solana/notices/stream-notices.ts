// Notices of a stream, and of websockets while the stream sends none.
import type { Address } from '#core/chain/types.ts'
import { msSince } from '#lib/time.ts'
import type { FinalityNotices } from '#ports/blocks.ts'
import type { AccountNotices, NoticeCoverage } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { NoticeSource } from './notice-source.ts'

const NONE: ReadonlySet<Address> = new Set()
/** A stream is away when it is silent for so long, or did not tick for `STEADY_MS` without an end in `UNSTEADY_MS`. */
const AWAY_MS = 10_000
const UNSTEADY_MS = 180_000
/** It is back when it has ticked for so long: a stream that comes and goes covers less than websockets do. */
const STEADY_MS = 60_000
const CHOOSE_EVERY_MS = 1_000

export class StreamNotices implements AccountNotices, FinalityNotices {
  readonly #stream: NoticeSource
  readonly #websockets: NoticeSource
  readonly #clock: Clock
  readonly #timer: NodeJS.Timeout
  #wanted: ReadonlySet<Address> = NONE
  #onFinality: ((slot: bigint) => void) | null = null
  /** When the stream was not wanted, or ticked, or was steady, last. */
  #tickedAt: number
  #steadyAt: number
  #isAway = false

  constructor(stream: NoticeSource, websockets: NoticeSource, clock: Clock) {
    this.#stream = stream
    this.#websockets = websockets
    this.#clock = clock
    this.#tickedAt = clock.now().getTime()
    this.#steadyAt = this.#tickedAt
    this.#timer = setInterval(() => this.#choose(), CHOOSE_EVERY_MS)
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
    const { tickingForMs } = this.#stream
    const isSteady = !isWanted || tickingForMs >= STEADY_MS
    if (isSteady || tickingForMs > 0) this.#tickedAt = now
    if (isSteady) this.#steadyAt = now
    const hasLeft = msSince(this.#tickedAt, now) >= AWAY_MS || msSince(this.#steadyAt, now) >= UNSTEADY_MS
    const isAway = this.#isAway ? !isSteady : hasLeft
    if (isAway === this.#isAway) return
    this.#isAway = isAway
    this.#websockets.watch(isAway ? this.#wanted : NONE)
    this.#websockets.followFinality(isAway ? this.#onFinality : null)
  }
}
