// A Yellowstone gRPC provider: the published protocol over a real connection. It streams what a test hands it, or every final block of a
// chain.
import { createRequire } from 'node:module'
import { Metadata, Server, ServerCredentials, type ServerDuplexStream, status } from '@grpc/grpc-js'
import { type Address, createSolanaRpc } from '@solana/kit'
import { bytesOfAddress } from '#core/chain/public-key.ts'

const { SubscribeRequest, SubscribeUpdate }: typeof import('@triton-one/yellowstone-grpc') = createRequire(
  import.meta.url,
)('@triton-one/yellowstone-grpc')
type Request = ReturnType<typeof SubscribeRequest.decode>
type Update = ReturnType<typeof SubscribeUpdate.decode>
type Stream = ServerDuplexStream<Request, Update>

export type StreamedBlock = {
  readonly slot: bigint
  readonly blockhash: string
  readonly parentSlot: bigint
  readonly parentBlockhash: string
}

const UPDATE: Update = { filters: [], createdAt: new Date(0) }
const NUMBERS = { lamports: '1', rentEpoch: '0', writeVersion: '0' }

/** A message of a stream: what it says, and the accounts or blocks of which filter it belongs to. */
type ChangedAccount = { readonly account: Address; readonly slot: bigint; readonly bytes?: Uint8Array }
export type Message = ChangedAccount | { readonly block: StreamedBlock }

const SUBSCRIBE = {
  Subscribe: {
    path: '/geyser.Geyser/Subscribe',
    requestStream: true,
    responseStream: true,
    requestSerialize: (request: Request) => Buffer.from(SubscribeRequest.encode(request).finish()),
    requestDeserialize: (bytes: Buffer) => SubscribeRequest.decode(bytes),
    responseSerialize: (update: Update) => Buffer.from(SubscribeUpdate.encode(update).finish()),
    responseDeserialize: (bytes: Buffer) => SubscribeUpdate.decode(bytes),
  },
} as const

export type StreamProvider = Awaited<ReturnType<typeof startStreamProvider>>

/** `token`: what a client must present. `accountsMax`: a filter with more accounts ends its stream. */
export async function startStreamProvider({ token = '', accountsMax = 1_000_000 } = {}) {
  const filters = new Map<Stream, Request>()
  const pings: number[] = []
  let received = 0
  const server = new Server()
  server.addService(SUBSCRIBE, {
    Subscribe: (stream: Stream) => {
      if (String(stream.metadata.get('x-token')[0] ?? '') !== token) {
        stream.emit('error', { code: status.UNAUTHENTICATED, details: 'no valid token' })
        return
      }
      stream.sendMetadata(new Metadata())
      stream.on('data', (request: Request) => {
        if (request.ping !== undefined) return void pings.push(request.ping.id)
        received += 1
        const accounts = Object.values(request.accounts).flatMap(({ account }) => account)
        if (accounts.length > accountsMax)
          stream.emit('error', { code: status.INVALID_ARGUMENT, details: `only ${accountsMax} accounts are allowed` })
        else filters.set(stream, request)
      })
      stream.on('end', () => {
        filters.delete(stream)
        stream.end()
      })
      stream.on('cancelled', () => filters.delete(stream))
    },
  })
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  )
  /** Sends a message over each stream whose filter has it. `named`: the names that it says instead of those of the filter. */
  const send = (message: Message, named?: string[]): void => {
    for (const [stream, { accounts, blocksMeta }] of filters) {
      const update = 'account' in message ? ofAccount(message, accounts) : ofBlock(message.block, blocksMeta)
      if (update !== null) stream.write({ ...update, ...(named && { filters: named }) })
    }
  }
  return {
    url: `http://127.0.0.1:${port}`,
    send,
    ping: () => {
      for (const stream of filters.keys()) stream.write({ ...UPDATE, ping: {} })
    },
    pings,
    /** Filters that have arrived so far. */
    received: () => received,
    /** The accounts of each stream. */
    watched: () =>
      [...filters.values()].map(({ accounts }) => Object.values(accounts).flatMap(({ account }) => account)),
    /** Ends every stream. */
    cut: () => {
      for (const stream of filters.keys()) stream.emit('error', { code: status.UNAVAILABLE, details: 'cut' })
      filters.clear()
    },
    /** Ends every stream, without an error. */
    finish: () => {
      for (const stream of filters.keys()) stream.end()
      filters.clear()
    },
    close: () => server.forceShutdown(),
  }
}

function ofAccount(
  { account, slot, bytes = bytesOfAddress(account) }: ChangedAccount,
  filters: Request['accounts'],
): Update | null {
  const names = Object.keys(filters).filter((name) => filters[name]?.account.includes(account))
  if (names.length === 0) return null
  const state = { ...NUMBERS, pubkey: bytes, owner: new Uint8Array(32), executable: false }
  return {
    ...UPDATE,
    filters: names,
    account: { slot: String(slot), isStartup: false, account: { ...state, data: new Uint8Array() } },
  }
}

function ofBlock(block: StreamedBlock, filters: Request['blocksMeta']): Update | null {
  const names = Object.keys(filters)
  if (names.length === 0) return null
  const counts = { executedTransactionCount: '0', entriesCount: '0' }
  const place = { ...block, slot: String(block.slot), parentSlot: String(block.parentSlot) }
  return {
    ...UPDATE,
    filters: names,
    blockMeta: { ...place, ...counts, rewards: undefined, blockTime: undefined, blockHeight: undefined },
  }
}

/** Streams every final block of a chain from now on: each account that its transactions name, then the block. Returns how to stop. */
export function streamChain(provider: Pick<StreamProvider, 'send'>, rpcUrl: string): () => void {
  const rpc = createSolanaRpc(rpcUrl)
  const config = {
    commitment: 'finalized',
    maxSupportedTransactionVersion: 0,
    transactionDetails: 'accounts',
    rewards: false,
  } as const
  let next: bigint | null = null
  let isStopped = false
  const follow = async (): Promise<void> => {
    while (!isStopped) {
      const newest = await rpc.getSlot({ commitment: 'finalized' }).send()
      for (next ??= newest; next <= newest && !isStopped; next += 1n) {
        const block = await rpc
          .getBlock(next, config)
          .send()
          .catch(() => null)
        if (block === null) continue
        const accounts = new Set(
          block.transactions.flatMap(({ transaction }) => transaction.accountKeys.map(({ pubkey }) => pubkey)),
        )
        for (const account of accounts) provider.send({ account, slot: next })
        const { blockhash, parentSlot, previousBlockhash } = block
        provider.send({ block: { slot: next, blockhash, parentSlot, parentBlockhash: previousBlockhash } })
      }
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  follow().catch((error: unknown) => {
    if (!isStopped) throw error
  })
  return () => {
    isStopped = true
  }
}
