import { createServer } from 'node:net'

/** The embedded chains listen from 20,000 to 29,999, and outgoing connections take ports from 32,768 on. */
const FIRST_PORT = 30_000
const PORTS = 2_700

let taken = 0

/**
 * Returns a port of 127.0.0.1 that nothing listens on. Processes that run side by side begin at different ports: the
 * caller listens later, and until then no other may be given the same one.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + ((process.pid * 101 + taken++) % PORTS)
    if (await isFree(port)) return port
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
