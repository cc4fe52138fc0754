// A provider that answers what watching asks, as fast as it can, and counts. Its blocks are as large as mainnet's.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { blockhashOf, createBlockMaker, type Payment } from './mainnet-block.ts'

export type RpcServer = {
  readonly url: string
  readonly counts: Map<string, number>
  /** The newest final slot, and the time of its block. */
  advance(toSlot: number, at: Date): void
  /** Pays in the block of that slot. */
  pay(slot: number, payments: readonly Payment[]): void
  stop(): void
}

const EMPTY_ACCOUNT = null
const CLOCK_SYSVAR = 'SysvarC1ock11111111111111111111111111111111'

export async function startRpcServer(firstSlot: number): Promise<RpcServer> {
  const counts = new Map<string, number>()
  const paid = new Map<number, string>()
  const maker = createBlockMaker(7)
  const usual = transactionsOf(maker.block(0, 0))
  let newest = firstSlot
  let time = new Date(0)

  const header = (slot: number) =>
    `"blockHeight":${slot},"blockTime":${Math.floor(time.getTime() / 1_000)},"blockhash":"${blockhashOf(slot)}","parentSlot":${slot - 1},"previousBlockhash":"${blockhashOf(slot - 1)}"`
  const block = (slot: number): string => `{${header(slot)},"transactions":${paid.get(slot) ?? usual}`
  const clockAccount = () => {
    const data = Buffer.alloc(40)
    data.writeBigUInt64LE(BigInt(newest), 0)
    data.writeBigInt64LE(BigInt(Math.floor(time.getTime() / 1_000)), 32)
    return {
      lamports: 1,
      owner: CLOCK_SYSVAR,
      data: [data.toString('base64'), 'base64'],
      executable: false,
      rentEpoch: 0,
    }
  }
  // biome-ignore lint/suspicious/noExplicitAny: parameters are read by their place, as each method has them.
  const answer = (method: string, params: any[]): string => {
    switch (method) {
      case 'getSlot':
        return String(newest)
      case 'getFirstAvailableBlock':
        return '0'
      case 'getBlocks':
        return JSON.stringify(range(params[0], Math.min(params[1], newest)))
      case 'getBlock':
        return block(params[0])
      case 'getMultipleAccounts': {
        const value = params[0].map((one: string) => (one === CLOCK_SYSVAR ? clockAccount() : EMPTY_ACCOUNT))
        return JSON.stringify({ context: { slot: newest }, value })
      }
      default:
        throw new Error(`${method} is not expected here`)
    }
  }
  const server = createServer(async (request, response) => {
    const { id, method, params } = JSON.parse((await buffer(request)).toString())
    counts.set(method, (counts.get(method) ?? 0) + 1)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${answer(method, params)}}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    counts,
    advance(toSlot, at) {
      newest = toSlot
      time = at
    },
    pay(slot, payments) {
      paid.set(slot, transactionsOf(maker.block(slot, slot - 1, payments)))
    },
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** With what closes the block behind them. */
const transactionsOf = (block: string): string => block.split('"transactions":')[1] ?? ''

const range = (first: number, last: number): readonly number[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at)
