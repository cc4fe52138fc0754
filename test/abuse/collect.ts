// Runs a full garbage collection in another process over its inspector, which must listen already.
import { once } from 'node:events'
import { WebSocket } from 'ws'

/** Resolves when V8 has freed unreachable objects, and returned memory to the system as far as it can. */
export async function collectGarbage(inspectorUrl: string): Promise<void> {
  const socket = new WebSocket(inspectorUrl)
  await once(socket, 'open')
  const answered = once(socket, 'message')
  socket.send(JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' }))
  await answered
  socket.close()
  await once(socket, 'close')
}
