// Reads a mint from its chain and judges it.
import type { Address, MintFacts, Network } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { immovableBy, judgeMint } from '#core/tokens/mint-rules.ts'
import type { MintReader } from '#ports/chain.ts'

type Named = { readonly network: Network; readonly mint: Address }

/** Throws `invalid_mint` for an address that is no mint, `mint_not_supported` and `mint_needs_consent`. */
export async function readSupportedMint(
  reader: MintReader,
  named: Named,
  consent: readonly string[],
): Promise<MintFacts> {
  const facts = await readMint(reader, named)
  const judgement = judgeMint(facts, consent)
  if ('allowed' in judgement) return facts
  const { refused, ...extensions } = judgement
  throw new ServiceError(refused, extensions)
}

/** Throws `invalid_mint` for an address that is no mint, and `mint_not_supported` for one whose tokens cannot be sent. */
export async function readMovableMint(reader: MintReader, named: Named): Promise<MintFacts> {
  const facts = await readMint(reader, named)
  const extension = immovableBy(facts)
  if (extension !== null) throw new ServiceError('mint_not_supported', { extension })
  return facts
}

async function readMint(reader: MintReader, { network, mint }: Named): Promise<MintFacts> {
  const facts = await reader.readMint(mint)
  if (facts === null) throw new ServiceError('invalid_mint', { mint, network })
  return facts
}
