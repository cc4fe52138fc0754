// What the service's live updates are measured against: a `ws` server that sends the body of a request to every client.
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { WebSocketServer } from 'ws'

const server = createServer(async (request, response) => {
  const body = await text(request)
  if (body !== '') for (const client of sockets.clients) client.send(body)
  response.end()
})
const sockets = new WebSocketServer({ server, perMessageDeflate: false })
sockets.on('connection', (socket) => socket.once('message', () => socket.send('{}')))
server.listen(Number(process.env.PORT), '127.0.0.1', 4_096)
process.on('SIGTERM', () => process.exit(0))
