// Mishaps of the world while faults last: faulty nodes, frozen accounts, dust, clocks.

import type { Instruction } from '@solana/kit'
import type { Address } from '#core/chain/types.ts'
import type { TransactionPlan } from '#core/transfers/plan.ts'
import { LIES, type Lie } from './chain/node.ts'
import { holdingOf } from './chain/raw.ts'
import {
  closeHolding,
  freeze,
  holdingPlace,
  paySol,
  payToken,
  signedTransaction,
  thaw,
  type Wallet,
  type WorldMint,
} from './chain/wallets.ts'
import type { Instance } from './instance.ts'
import { walletOf } from './payees.ts'
import { RENTS } from './prices.ts'
import { isTightInTime, type Stage } from './stage.ts'
import type { Ground } from './world.ts'

const DAY_MS = 86_400_000

export type Mishaps = {
  /** Lets mishaps happen at this moment. */
  strike(instances: readonly Instance[], addresses: readonly Address[]): void
  /** A stranger sees a transaction before it is sent, and pays first. */
  grief(plan: TransactionPlan): void
  /** An issuer thaws an account. */
  thawSome(): void
  /** Ends all mishaps. */
  heal(instances: readonly Instance[]): void
}

export function createMishaps(ground: Ground, stage: Stage): Mishaps {
  const { chain, faults, nodes, trace } = ground
  const dice = ground.dice.stream('mishaps')
  const clocksMayDiffer = !isTightInTime(stage.refundBudget)
  const frozen = new Map<Address, () => Instruction>()
  const send = (signers: readonly Wallet[], instructions: readonly Instruction[]): void => {
    chain.submit(signedTransaction(signers, instructions, chain.lifetimeAt(chain.tip)))
  }

  const freezePlace = (owner: Address, mint: WorldMint): void => {
    const place = holdingPlace(owner, mint)
    trace.note(`freeze ${place} of ${owner}`)
    send([stage.issuer], [freeze(stage.issuer, place, mint)])
    frozen.set(place, () => thaw(stage.issuer, place, mint))
  }

  /** What every node says would be believed: that a block is final, or that a transaction never landed. */
  const aLie = (): Lie | null => {
    const lie = dice.pick(LIES)
    const isBelieved = lie === 'calls every block final' || lie === 'forgets signatures'
    return isBelieved && nodes.some(({ state }) => state.lie === lie) ? null : lie
  }

  /** While faults last, dust arrives whenever SOL is sent from these addresses: only what leaves the rent minimum succeeds. */
  const pestered = new Set<Address>()

  let outageEnds = 0n
  /** One node is left, and forgets signatures, for longer than a transaction lives: no proof can be had meanwhile. */
  const beginOutage = (): void => {
    const left = dice.pick(nodes)
    for (const node of nodes)
      Object.assign(
        node.state,
        node === left ? { down: false, lie: 'forgets signatures', lag: 0n } : { down: true, lie: null },
      )
    outageEnds = chain.tip + BigInt(dice.between(250, 600))
    trace.note(`node ${left.number} alone until slot ${outageEnds}`)
  }

  const disturbNodes = (): void => {
    if (chain.tip < outageEnds) return
    if (faults.strikes('providers down but one')) {
      beginOutage()
      return
    }
    for (const { number, state } of nodes) {
      const before = JSON.stringify([state.down, state.lie, Number(state.lag)])
      state.down = faults.strikes('provider down') || (state.down && dice.chance(0.5))
      if (faults.strikes('provider lagging')) state.lag = BigInt(dice.between(1, 200))
      else if (dice.chance(0.5)) state.lag = BigInt(dice.between(0, 2))
      if (faults.strikes('provider pruned')) state.prunedBelow = chain.tip - BigInt(dice.between(40, 400))
      else if (dice.chance(0.2)) state.prunedBelow = 0n
      if (faults.strikes('provider lying')) state.lie = aLie()
      else if (dice.chance(0.3)) state.lie = null
      const after = JSON.stringify([state.down, state.lie, Number(state.lag)])
      if (before !== after) trace.note(`node ${number}: ${after}, pruned below ${state.prunedBelow}`)
    }
  }

  const disturbAccounts = (addresses: readonly Address[]): void => {
    const mint = dice.pick([...stage.mints.values()])
    const shop = walletOf(dice.pick(stage.payees))
    const owner = dice.pick([...addresses, shop.address, dice.pick(stage.buyers).address])
    const isThere = chain.accountAt(holdingPlace(owner, mint), chain.tip) !== null
    if (isThere && dice.chance(0.3) && faults.strikes('account frozen')) freezePlace(owner, mint)
    const closable = dice.pick([shop, ...stage.buyers])
    const held = holdingOf(chain.accountAt(holdingPlace(closable.address, mint), chain.tip))
    if (held !== null && chain.accountAt(closable.address, chain.tip) !== null && faults.strikes('account closed')) {
      trace.note(`${closable.address} closes its account`)
      send([closable], closeHolding(closable, stage.issuer.address, mint, held.amount))
    }
    const target = addresses.length === 0 || dice.chance(0.6) ? null : dice.pick(addresses.slice(-3))
    if (target !== null && faults.strikes('dust')) {
      const from = dice.pick(stage.buyers)
      const sol = dice.chance(0.5)
      trace.note(`dust for ${target}`)
      send([from], sol ? [paySol(from, target, BigInt(dice.between(1, 3_000)))] : payToken(from, target, mint, 1n))
    }
  }

  return {
    strike(instances, addresses) {
      disturbNodes()
      disturbAccounts(addresses)
      if (faults.strikes('rent changed')) {
        const rent = dice.pick(RENTS)
        trace.note(`rent is ${rent} a byte and year`)
        chain.changeRent(rent)
      }
      for (const instance of instances) {
        if (clocksMayDiffer && faults.strikes('clock off by a day'))
          instance.skew = dice.pick([-DAY_MS, DAY_MS, -30_000, 30_000])
        else if (instance.skew !== 0 && dice.chance(0.15)) instance.skew = 0
      }
    },
    grief(plan) {
      const from = dice.pick(stage.buyers)
      const mint = plan.token === null ? undefined : stage.mints.get(plan.token.mint)
      const isPestered = pestered.has(plan.source) && !faults.over
      if (mint === undefined && (isPestered || faults.strikes('dust'))) {
        trace.note(`dust for ${plan.source}, just before it is sent from`)
        pestered.add(plan.source)
        for (let drops = 0; drops < 3; drops += 1)
          send([from], [paySol(from, plan.source, BigInt(dice.between(1, 1_000)))])
      }
      if (mint !== undefined && faults.strikes('dust')) {
        trace.note(`dust for ${plan.source}, just before it is sent from`)
        send([from], payToken(from, plan.source, mint, 1n))
      }
      if (mint === undefined || !faults.strikes('account frozen')) return
      const owner = plan.kind === 'legs' && dice.chance(0.5) ? dice.pick(plan.legs).destination : plan.source
      freezePlace(owner, mint)
    },
    thawSome() {
      for (const undo of frozen.values()) if (dice.chance(0.5)) send([stage.issuer], [undo()])
    },
    heal(instances) {
      for (const { state } of nodes) Object.assign(state, { down: false, lag: 0n, prunedBelow: 0n, lie: null })
      for (const instance of instances) instance.skew = 0
      for (const [place, undo] of frozen) {
        if (dice.chance(0.5)) send([stage.issuer], [undo()])
        else trace.note(`${place} stays frozen`)
      }
    },
  }
}
