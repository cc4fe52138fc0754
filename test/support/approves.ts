// Sponsored transactions for tests: an approve and a revocation with their owner, and the stored message with the fee payer's signature.
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { blockhash, getAddressDecoder, getBase58Encoder } from '@solana/kit'
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { createCompiler } from '#adapters/solana/transactions/compiler.ts'
import { createSigner } from '#adapters/solana/transactions/signer.ts'
import type { ApprovePlan, RevokePlan, SponsoredMessage, SponsoredPlan } from '#core/billing/approve.ts'
import type { ServiceKey } from '#core/chain/keys.ts'
import { addressOfBytes } from '#core/chain/public-key.ts'
import type { Address, Signature } from '#core/chain/types.ts'
import { makeBaseUnits } from '#core/money/amounts.ts'
import { only } from './only.ts'

const seed = new Uint8Array(64).fill(17)
export const keys = createDepositKeys(seed)
export const signer = createSigner(seed)
export const serviceKey = (branch: ServiceKey): Address => keys.addressOf({ network: 'live', branch })
export const FEE_PAYER = serviceKey('fee_payer')
export const DELEGATE = serviceKey('delegate')
export const compiler = createCompiler({
  network: 'live',
  depositKeys: keys,
  computeUnitPrice: 10_000n,
  accounts: only('accounts', {}),
})

export type Person = { readonly address: Address; readonly privateKey: KeyObject }
export function newPerson(): Person {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const { x = '' } = publicKey.export({ format: 'jwk' })
  return { privateKey, address: addressOfBytes(Buffer.from(x, 'base64url')) }
}
export const OWNER = newPerson()
export const addressOf = (fill: number): Address => getAddressDecoder().decode(new Uint8Array(32).fill(fill))

export const REVOKE: RevokePlan = {
  kind: 'revoke',
  network: 'live',
  owner: OWNER.address,
  token: { mint: addressOf(4), tokenProgram: TOKEN_PROGRAM_ADDRESS, decimals: 6 },
  lifetime: { blockhash: blockhash(addressOf(9)), lastValidBlockHeight: 500n },
}
export const APPROVE: ApprovePlan = { ...REVOKE, kind: 'approve', total: makeBaseUnits(119_880_000n) }

export const messageOf = (plan: SponsoredPlan): Uint8Array => compiler.compileSponsored(plan).message

export async function sponsored(plan: SponsoredPlan): Promise<SponsoredMessage & { readonly wire: Uint8Array }> {
  const message = messageOf(plan)
  const signing = await signer.sponsor(plan, message)
  if ('refused' in signing) throw new Error(signing.refused)
  return { message, owner: plan.owner, feePayerSignature: bytesOf(signing.signature), wire: signing.wire }
}

export const bytesOf = (signature: Signature): Uint8Array => Uint8Array.from(getBase58Encoder().encode(signature))

export const signatureBy = (person: Person, message: Uint8Array): Uint8Array =>
  Uint8Array.from(sign(null, message, person.privateKey))

/** Returns what a wallet sends back: its signature takes the place of the zero bytes. */
export const signedBy = (person: Person, { wire, message }: { wire: Uint8Array; message: Uint8Array }): Uint8Array =>
  Uint8Array.of(...wire.subarray(0, 65), ...signatureBy(person, message), ...wire.subarray(129))
