// A program that starts a chain as the service does, says where it is, and waits to be killed.
import { startEmbeddedChain } from '#sandbox/chain/embedded-chain.ts'

const chain = await startEmbeddedChain({ dataDir: process.argv[2] ?? '', slotTimeMs: Number(process.argv[3]) })
process.stdout.write(`${JSON.stringify({ rpcUrl: chain.rpcUrl })}\n`)
setInterval(() => {}, 60_000)
