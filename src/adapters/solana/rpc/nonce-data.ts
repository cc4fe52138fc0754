// The data of a durable nonce account, as the system program keeps it.
import { type Address, type Blockhash, blockhash } from '@solana/kit'
import { getNonceDecoder, getNonceSize, NonceState, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'

/** Returns the nonce's present value; null when the account is no nonce account, or was never initialized. */
export function decodeNonce(owner: Address, data: Uint8Array): Blockhash | null {
  if (owner !== SYSTEM_PROGRAM_ADDRESS || data.length !== getNonceSize()) return null
  const nonce = getNonceDecoder().decode(data)
  return nonce.state === NonceState.Initialized ? blockhash(nonce.blockhash) : null
}
