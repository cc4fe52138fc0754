// Verifies the Ed25519 signatures of wallets, with libsodium: like the validators, it refuses public keys of small order,
// for which anyone can make signatures, and a second form of a signature.
import sodium from 'sodium-native'
import type { VerifySignature } from '#core/billing/approve.ts'
import { bytesOfAddress } from '#core/chain/public-key.ts'

/** Returns false as well for a signature that is not 64 bytes. The address must be 32 bytes in base58. */
export const verifyWalletSignature: VerifySignature = (wallet, message, signature) =>
  signature.length === sodium.crypto_sign_BYTES &&
  sodium.crypto_sign_verify_detached(Buffer.from(signature), Buffer.from(message), Buffer.from(bytesOfAddress(wallet)))
