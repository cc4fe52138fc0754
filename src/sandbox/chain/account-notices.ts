// Account notices: of the clock with every block, of any other account when the change is final, so that a reading at
// `finalized` shows what the notice says. The runtime would lose some on a busy machine, and never sends one of the clock.
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { ChainClock } from './chain-clock.ts'
import type { Answerer } from './front.ts'
import { addressParam, configured, readParams } from './json-rpc.ts'
import { CLOCK_ACCOUNT } from './runtime-time.ts'

const MIN_LOOK_MS = 5
/** With very short slots, not every block is worth a notice of the clock. */
const CLOCK_EVERY_MS = 100
/** Without a subscription, changes are forgotten after these slots: far more than finality takes. */
const KEPT_SLOTS = 100
/** The runtime numbers its own subscriptions from zero. */
const FIRST_NUMBER = 2 ** 40
/** As nodes describe an account that is gone. */
const GONE =
  '{"data":["","base64"],"executable":false,"lamports":0,"owner":"11111111111111111111111111111111","rentEpoch":0,"space":0}'

const subscribeParams = z.tuple([addressParam, configured(z.object({ encoding: z.string().default('base64') }))])

export type NoticeOptions = {
  /** Answers calls of clients. */
  readonly answer: Answerer
  readonly chainClock: Pick<ChainClock, 'at'>
  readonly slotTimeMs: number
}

type Change = { readonly addresses: readonly string[]; readonly slot: number }
type Subscription = { readonly address: string; readonly encoding: string; readonly send: (text: string) => void }

export class AccountNotices {
  readonly #options: NoticeOptions
  readonly #subscriptions = new Map<number, Subscription>()
  /** Changes that may not be final yet. */
  #changes: readonly Change[] = []
  #next = FIRST_NUMBER
  #clockSlot = 0
  #isLooking = false

  constructor(options: NoticeOptions) {
    this.#options = options
  }

  /** Takes note of accounts that changed in a slot. */
  note(addresses: Iterable<string>, slot: number): void {
    // A subscription reports what becomes final after it, although it ran before.
    const kept = this.#isLooking ? this.#changes : this.#changes.filter((one) => one.slot > slot - KEPT_SLOTS)
    this.#changes = [...kept, { addresses: [...addresses], slot }]
  }

  /** Returns the number of the new subscription. Throws RpcFailure when the parameters are wrong. */
  subscribe(params: unknown, send: (text: string) => void): number {
    const [address, { encoding }] = readParams(subscribeParams, params)
    const number = this.#next
    this.#next += 1
    this.#subscriptions.set(number, { address, encoding, send })
    void this.#look()
    return number
  }

  unsubscribe(number: number): boolean {
    return this.#subscriptions.delete(number)
  }

  /** Sends what is due, again and again while anything is subscribed to. */
  async #look(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    while (this.#subscriptions.size > 0) {
      // The runtime may be gone; then the chain ends.
      await this.#sendDue().catch(() => {})
      await sleep(Math.max(MIN_LOOK_MS, this.#options.slotTimeMs / 4), undefined, { ref: false })
    }
    this.#isLooking = false
  }

  async #sendDue(): Promise<void> {
    const { slot } = await this.#options.chainClock.at('finalized')
    const { final = [], others = [] } = Object.groupBy(this.#changes, (one) => (one.slot <= slot ? 'final' : 'others'))
    this.#changes = others
    const due = new Set(final.flatMap(({ addresses }) => addresses))
    if (slot >= this.#clockSlot + CLOCK_EVERY_MS / this.#options.slotTimeMs) {
      this.#clockSlot = slot
      due.add(CLOCK_ACCOUNT)
    }
    const wanted = [...this.#subscriptions].filter(([, { address }]) => due.has(address))
    await Promise.all(wanted.map(([number, subscription]) => this.#notify(number, subscription)))
  }

  async #notify(number: number, { address, encoding, send }: Subscription): Promise<void> {
    const params = [address, { encoding, commitment: 'finalized' }]
    const result = await this.#options.answer({ id: null, method: 'getAccountInfo', params })
    const state = result.replace(/"value":null}$/, `"value":${GONE}}`)
    if (this.#subscriptions.has(number))
      send(`{"jsonrpc":"2.0","method":"accountNotification","params":{"result":${state},"subscription":${number}}}`)
  }
}
