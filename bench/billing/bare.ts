// The bare submission of charges that the service has signed: the same bytes, to another chain that is as it was before them.
import { type Base64EncodedWireTransaction, createSolanaRpc } from '@solana/kit'
import { forEachParallel } from '#lib/parallel.ts'
import { startSvmNode } from '../harness/svm-node.ts'
import { untilLanded } from './landing.ts'
import type { Place, SignedCharge } from './place.ts'

/** As many requests as a round of the service has under way. */
const AT_ONCE = 16

/** Returns how many of them landed a second, from the first request to the last landing. */
export async function submitBare(place: Place, charges: readonly SignedCharge[]): Promise<number> {
  const chain = await startSvmNode([place.feePayer], place.accounts)
  try {
    const rpc = createSolanaRpc(chain.rpcUrl)
    const wires = charges.map(({ wire }) => Buffer.from(wire).toString('base64') as Base64EncodedWireTransaction)
    const began = performance.now()
    await forEachParallel(wires, AT_ONCE, async (wire) => {
      await rpc.sendTransaction(wire, { encoding: 'base64', skipPreflight: true }).send()
    })
    const landedAt = await untilLanded(chain.rpcUrl, place.payoutAta, charges.length)
    return (charges.length * 1_000) / (landedAt - began)
  } finally {
    chain.stop()
  }
}
