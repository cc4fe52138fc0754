// A full garbage collection in another process, asked for over its inspector, which has to listen already.
import { once } from 'node:events'
import { WebSocket } from 'ws'

/** Resolves when V8 has freed what nothing refers to, and given its memory back to the system as far as it can. */
export async function collectGarbage(inspectorUrl: string): Promise<void> {
  const socket = new WebSocket(inspectorUrl)
  await once(socket, 'open')
  const answered = once(socket, 'message')
  socket.send(JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' }))
  await answered
  socket.close()
  await once(socket, 'close')
}
