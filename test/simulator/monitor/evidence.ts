// The evidence of the chain for each deposit address: every incoming payment and every outgoing
// transaction. The monitor computes the correct data from this evidence, without the service's records.
import { type Address, type Asset, type Signature, SOL } from '#core/chain/types.ts'
import { type SimulatedChain, timeOf } from '../chain/chain.ts'
import type { Landed } from '../chain/landed.ts'
import { sum } from './figures.ts'

export type Inflow = {
  readonly signature: Signature
  readonly asset: Asset
  readonly account: Address
  readonly amount: bigint
  /** The block time in whole seconds, as nodes report it. */
  readonly time: number
  readonly slot: bigint
  /** Signers whose balance of the asset fell in the transaction. */
  readonly payers: readonly Address[]
  readonly signers: number
}

export type Outflow = {
  readonly signature: Signature
  readonly slot: bigint
  readonly asset: Asset
  /** Base units that left the address. */
  readonly left: bigint
  /** Base units that arrived, by wallet; for the fee payer with the fee of the transaction added. */
  readonly arrived: ReadonlyMap<Address, bigint>
  /** Lamports at the address after the transaction. */
  readonly stays: bigint
}

const MS = 1_000

export type Evidence = ReturnType<typeof createEvidence>

export function createEvidence(chain: Pick<SimulatedChain, 'landed' | 'finalized'>, feePayer: Address) {
  const inflows = new Map<Address, Inflow[]>()
  const outgoing = new Map<Address, Map<Signature, Asset[]>>()

  const outflowOf = (owner: Address, asset: Asset, landed: Landed): Outflow => {
    const arrived = new Map<Address, bigint>()
    let left = 0n
    for (const effect of landed.effects.filter((one) => one.asset === asset)) {
      if (effect.owner === owner) left -= effect.delta
      else arrived.set(effect.owner, (arrived.get(effect.owner) ?? 0n) + effect.delta)
    }
    if (asset === SOL && landed.keys[0] === feePayer) arrived.set(feePayer, (arrived.get(feePayer) ?? 0n) + landed.fee)
    const stays = landed.balances[landed.keys.indexOf(owner)]?.after ?? 0n
    return { signature: landed.signature, slot: landed.slot, asset, left, arrived, stays }
  }

  const isFinal = (signature: Signature): boolean => {
    const landed = chain.landed(signature)
    return landed !== null && landed.error === null && landed.slot <= chain.finalized
  }

  /** Returns every final transaction that took the asset out of the address. */
  const outflows = (owner: Address, asset: Asset): readonly Outflow[] =>
    [...(outgoing.get(owner) ?? [])].flatMap(([signature, assets]) => {
      const landed = chain.landed(signature)
      if (landed === null || !assets.includes(asset) || !isFinal(signature)) return []
      return [outflowOf(owner, asset, landed)]
    })

  return {
    onLanded(landed: Landed): void {
      if (landed.error !== null) return
      const signers = landed.keys.slice(0, landed.signers)
      for (const { account, owner, asset, delta } of landed.effects) {
        if (delta < 0n) {
          const own = outgoing.get(owner) ?? new Map<Signature, Asset[]>()
          own.set(landed.signature, [...(own.get(landed.signature) ?? []), asset])
          outgoing.set(owner, own)
          continue
        }
        const fell = landed.effects.filter((one) => one.asset === asset && one.delta < 0n)
        const payers = signers.filter((signer) => fell.some((one) => one.owner === signer))
        const time = Math.floor(timeOf(landed.slot).getTime() / MS) * MS
        const { signature, slot, signers: signatures } = landed
        const inflow = { signature, asset, account, amount: delta, time, slot, payers, signers: signatures }
        inflows.set(owner, [...(inflows.get(owner) ?? []), inflow])
      }
    },

    /** Returns every payment to an address, of one asset or of all. */
    inflows: (owner: Address, asset?: Asset): readonly Inflow[] =>
      (inflows.get(owner) ?? []).filter((one) => asset === undefined || one.asset === asset),
    outflows,
    isFinal,
    /** Returns the base units that final transactions took out of the address. */
    left: (owner: Address, asset: Asset): bigint => sum(outflows(owner, asset).map(({ left }) => left)),
    /** Returns the base units of an asset that final transactions moved from the address to these wallets. */
    arrivedAt: (owner: Address, asset: Asset, wallets: ReadonlySet<Address>): bigint =>
      sum(
        outflows(owner, asset).flatMap(({ arrived }) =>
          [...arrived].flatMap(([wallet, amount]) => (wallets.has(wallet) ? [amount] : [])),
        ),
      ),
    /** Returns an outgoing transaction of the address, if it is final. */
    outflow(owner: Address, asset: Asset, signature: Signature): Outflow | null {
      const landed = chain.landed(signature)
      return landed === null || !isFinal(signature) ? null : outflowOf(owner, asset, landed)
    },
  }
}
