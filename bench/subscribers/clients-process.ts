// Subscribers in a process of their own: websockets that count what arrives. They read no message, because they share the machine.
import { once } from 'node:events'
import { WebSocket } from 'ws'

export type Request =
  | {
      /** Opens so many websockets, which send these texts in turn, each after something has arrived. */
      readonly open: {
        readonly url: string
        readonly protocol: string
        readonly texts: readonly string[]
        readonly count: number
      }
    }
  /** Waits for so many messages since the last question. */
  | { readonly expect: number }

/** When the last message arrived, in milliseconds since the epoch. */
export type Answer = { readonly lastAt: number }

/** A websocket of one address counts against the limit of that address. */
const ADDRESSES = 40
const AT_ONCE = 50

let arrived = 0
let lastAt = 0
let wake = (): void => {}

async function open({ url, protocol, texts, count }: Extract<Request, { open: unknown }>['open']): Promise<void> {
  let left = count
  const openInTurn = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      const socket = new WebSocket(url, protocol, {
        localAddress: `127.0.0.${2 + (left % ADDRESSES)}`,
        perMessageDeflate: false,
      })
      await once(socket, 'open')
      for (const text of texts) {
        socket.send(text)
        const [answer] = await once(socket, 'message')
        if (String(answer).includes('"error"')) throw new Error(`a subscriber was refused: ${String(answer)}`)
      }
      socket.on('message', () => {
        arrived += 1
        lastAt = performance.timeOrigin + performance.now()
        wake()
      })
      socket.on('close', (code, reason) => {
        throw new Error(`a subscriber was disconnected: ${code} ${String(reason)}`)
      })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, openInTurn))
}

process.on('message', async (request: Request) => {
  if ('open' in request) await open(request.open)
  else {
    await new Promise<void>((resolve) => {
      wake = () => {
        if (arrived >= request.expect) resolve()
      }
      wake()
    })
    arrived -= request.expect
  }
  process.send?.({ lastAt } satisfies Answer)
})
// The measuring process is gone, or does not need this one any more.
process.on('disconnect', () => process.exit())
