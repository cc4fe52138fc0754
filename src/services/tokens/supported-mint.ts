// Reads a mint from its chain and judges it.
import type { Address, MintFacts, Network } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { judgeMint, type MintConsent } from '#core/tokens/mint-rules.ts'
import type { MintReader } from '#ports/chain.ts'

/** Throws `invalid_mint` for an address that is no mint, `mint_not_supported` and `mint_needs_consent`. */
export async function readSupportedMint(
  reader: MintReader,
  { network, mint }: { readonly network: Network; readonly mint: Address },
  consent: MintConsent,
): Promise<MintFacts> {
  const facts = await reader.readMint(mint)
  if (facts === null) throw new ServiceError('invalid_mint', { mint, network })
  const judgement = judgeMint(facts, consent)
  if ('refused' in judgement) throw new ServiceError(judgement.refused, { extension: judgement.extension })
  return facts
}
