// One stream of a Yellowstone gRPC provider: accounts at `finalized`, and the metadata of every final block. Each block names the one
// before it, which proves that none is missing, and the filter that it has passed, which proves which accounts are covered.
import { createRequire } from 'node:module'
import type { ClientDuplexStream } from '@grpc/grpc-js'
import type { SubscribeRequest, SubscribeUpdate } from '@triton-one/yellowstone-grpc'
import { addressOfBytes } from '#core/chain/public-key.ts'
import type { Address } from '#core/chain/types.ts'
import { type FeedHandlers, type FeedOptions, type NoticeFeed, Ticks } from './notice-feed.ts'

const FINALIZED = 2

/** Streams share no connection, so that a new one does not begin on a connection that has died in silence. */
const CHANNEL = { 'grpc.use_local_subchannel_pool': 1, 'grpc.keepalive_time_ms': 10_000 }

const NOTHING: SubscribeRequest = {
  accounts: {},
  slots: {},
  transactions: {},
  transactionsStatus: {},
  blocks: {},
  blocksMeta: {},
  entry: {},
  accountsDataSlice: [],
}

type Stream = ClientDuplexStream<SubscribeRequest, SubscribeUpdate>

/** Opens a stream that begins with a filter. */
export type OpenStream = (filter: SubscribeRequest) => Promise<Stream>

/** Loads the client of streams, which no other service needs. Throws when it is not installed. */
export function loadStreams(url: string, token: string | null): OpenStream {
  // Its ES modules have other exports than its types say.
  const yellowstone: typeof import('@triton-one/yellowstone-grpc') = createRequire(import.meta.url)(
    '@triton-one/yellowstone-grpc',
  )
  return async (filter) => {
    const client = new yellowstone.default(url, token ?? undefined, CHANNEL)
    const stream = await client.subscribe()
    stream.once('status', () => client._client.close())
    stream.write(filter)
    return stream
  }
}

type Covered = {
  readonly account: Address
  /** The first filter that has it. */
  readonly filter: number
  /** From this slot on every change causes a notice. Null until a block has passed the filter. */
  since: bigint | null
}

type Block = NonNullable<SubscribeUpdate['blockMeta']>
type Place = { readonly slot: bigint; readonly blockhash: string }

/** A block with the wrong slot is found by the next one. */
const isNext = ({ parentSlot, parentBlockhash }: Block, { slot, blockhash }: Place): boolean =>
  parentBlockhash === blockhash && BigInt(parentSlot) === slot

const latest = (...slots: readonly [bigint, ...bigint[]]): bigint =>
  slots.reduce((most, slot) => (slot > most ? slot : most))

export type StreamOptions = {
  readonly openStream: OpenStream
  /** Called when the stream cannot be opened, or ends. */
  readonly onFault: (error: unknown) => void
}

export class StreamFeed implements NoticeFeed {
  readonly isRefused = false
  readonly #ticks: Ticks
  readonly #handlers: FeedHandlers
  readonly #onFault: (error: unknown) => void
  readonly #timer: NodeJS.Timeout
  readonly #covered = new Map<Address, Covered>()
  /** Accounts of filters that no block has passed. */
  #unproved: Covered[] = []
  /** The notices since the last block: a change arrives before its block. */
  #changed: { readonly covered: Covered; readonly slot: bigint }[] = []
  #stream: Stream | null = null
  /** The number of the filter that was sent last, and of the last that a block has passed. */
  #filter = 0
  #passed = 0
  /** Whether the next filter waits, at most until a block has passed the last one. */
  #isDue = false
  #newest: Place | null = null
  #hasEnded = false

  constructor(
    { openStream, onFault }: StreamOptions,
    options: FeedOptions,
    accounts: Iterable<Address>,
    handlers: FeedHandlers,
  ) {
    this.#ticks = new Ticks(options)
    this.#handlers = handlers
    this.#onFault = onFault
    for (const account of accounts) this.subscribe(account)
    this.#timer = setInterval(() => {
      if (this.#ticks.silentMs >= options.checkEveryMs) this.#end(new Error('no block arrives'))
    }, options.checkEveryMs)
    this.#timer.unref()
    // The accounts that are subscribed to at once are in the first filter.
    setImmediate(() => void this.#open(openStream))
  }

  /** A filter replaces the last one: one is sent for all accounts that are subscribed to at the same time. */
  subscribe(account: Address): void {
    const covered = { account, filter: this.#filter + 1, since: null }
    this.#covered.set(account, covered)
    this.#unproved.push(covered)
    this.#change()
  }

  /** It stays in the filter until the next one is sent, unless it was the last. */
  unsubscribe(account: Address): void {
    if (this.#covered.delete(account) && this.#covered.size === 0) this.#change()
  }

  /** Linked blocks prove that a silence has hidden nothing. */
  coveredSince(account: Address): bigint | null {
    return this.isTicking ? (this.#covered.get(account)?.since ?? null) : null
  }

  get isTicking(): boolean {
    return this.#ticks.isTicking
  }

  close(): void {
    this.#end(null)
  }

  async #open(openStream: OpenStream): Promise<void> {
    if (this.#hasEnded) return
    try {
      this.#use(await openStream(this.#nextFilter()))
    } catch (error) {
      this.#end(error)
    }
  }

  #use(stream: Stream): void {
    stream.on('error', (error) => this.#end(error))
    if (this.#hasEnded) {
      stream.cancel()
      return
    }
    this.#stream = stream
    stream.on('data', (update: SubscribeUpdate) => this.#receive(update))
    stream.on('status', () => this.#end(new Error('the provider has ended the stream')))
  }

  #end(error: unknown): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    clearInterval(this.#timer)
    this.#stream?.cancel()
    if (error !== null) this.#onFault(error)
    this.#handlers.onEnd()
  }

  #change(): void {
    if (this.#isDue) return
    this.#isDue = true
    setImmediate(() => this.#sendDue())
  }

  /** One filter is under way at a time: of many accounts it has megabytes. */
  #sendDue(): void {
    if (this.#isDue && !this.#hasEnded && this.#passed === this.#filter) this.#stream?.write(this.#nextFilter())
  }

  #nextFilter(): SubscribeRequest {
    this.#isDue = false
    this.#filter += 1
    const name = String(this.#filter)
    const account = [...this.#covered.keys()]
    return {
      ...NOTHING,
      // A filter without accounts has all accounts of the chain.
      accounts: account.length === 0 ? {} : { [name]: { account, owner: [], filters: [] } },
      blocksMeta: { [name]: {} },
      commitment: FINALIZED,
    }
  }

  #receive({ filters, account, blockMeta, ping }: SubscribeUpdate): void {
    if (this.#hasEnded) return
    try {
      if (blockMeta !== undefined) this.#takeBlock(blockMeta, Math.max(...filters.map(Number)))
      if (account?.account !== undefined) this.#notice(addressOfBytes(account.account.pubkey), BigInt(account.slot))
      // An answer shows the proxies between both ends that the connection is in use.
      if (ping !== undefined) this.#stream?.write({ ...NOTHING, ping: { id: 1 } } satisfies SubscribeRequest)
    } catch (error) {
      this.#end(error)
    }
  }

  #takeBlock(block: Block, filter: number): void {
    if (block.blockhash === this.#newest?.blockhash) return
    if (this.#newest !== null && !isNext(block, this.#newest))
      throw new Error(`block ${block.slot} does not follow block ${this.#newest.slot}`)
    if (!(filter >= this.#passed && filter <= this.#filter))
      throw new Error(`block ${block.slot} has passed no filter that was sent`)
    this.#passed = filter
    const slot = BigInt(block.slot)
    this.#newest = { slot, blockhash: block.blockhash }
    if (!this.#ticks.add(slot)) return
    for (const covered of this.#unproved) if (covered.filter <= filter) covered.since = slot
    this.#unproved = this.#unproved.filter(({ since }) => since === null)
    // What is read at an earlier slot does not show the change. It belongs to this block, or to a later one when it came too early.
    for (const { covered, slot: own } of this.#changed)
      if (covered.since !== null) covered.since = latest(covered.since, own, slot)
    this.#changed = []
    this.#sendDue()
    this.#handlers.onTick(slot)
  }

  #notice(account: Address, slot: bigint): void {
    const covered = this.#covered.get(account)
    if (covered === undefined) return
    this.#changed.push({ covered, slot })
    this.#handlers.onAccount(account)
  }
}
