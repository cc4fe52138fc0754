// The bare submission of charges that the service has signed: the same bytes, to another chain that is as it was before them.
import { type Address, type Base64EncodedWireTransaction, createSolanaRpc } from '@solana/kit'
import { getNonceEncoder, NonceState, NonceVersion, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import { forEachParallel } from '#lib/parallel.ts'
import { type Founded, startSvmNode } from '../harness/svm-node.ts'
import { untilLanded } from './landing.ts'
import type { Place, SignedCharge } from './place.ts'

/** As many requests as a round of the service has under way. */
const AT_ONCE = 16
const NONCE_LAMPORTS = 1_447_680n

/** Returns how many of them landed a second, from the first request to the last landing. */
export async function submitBare(place: Place, charges: readonly SignedCharge[]): Promise<number> {
  const nonces = noncesOf(charges, place.nonceAuthority)
  const chain = await startSvmNode([place.feePayer], new Map([...place.accounts, ...nonces]))
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

/** The nonce accounts with the values that the transactions use. */
function noncesOf(charges: readonly SignedCharge[], authority: Address): Founded {
  const encoder = getNonceEncoder()
  const dataOf = (nonce: Address): Uint8Array =>
    Uint8Array.from(
      encoder.encode({
        version: NonceVersion.Current,
        state: NonceState.Initialized,
        authority,
        blockhash: nonce,
        lamportsPerSignature: 5_000n,
      }),
    )
  return new Map(
    charges.map(({ nonceAccount, nonce }) => [
      nonceAccount,
      { lamports: NONCE_LAMPORTS, owner: SYSTEM_PROGRAM_ADDRESS, data: dataOf(nonce) },
    ]),
  )
}
