// Checks every attempt from its plan to its end: stored before it is signed, signed before it is sent, the only live
// attempt of its transfer and its source, with exactly the planned effect on the chain. docs/money.md, "Invariants",
// 2, 3 and 5.
import { CHARGE } from '#core/billing/charge-transfer.ts'
import { type Address, type Asset, type Signature, SOL } from '#core/chain/types.ts'
import type { Leg, TransactionPlan } from '#core/transfers/plan.ts'
import type { Attempt, NewTransfer } from '#core/transfers/transfer.ts'
import { heightOf, SKIPPED, timeOf } from '../chain/chain.ts'
import { type Landed, signatureOf } from '../chain/landed.ts'
import { replaced, type WorldPorts } from '../ports.ts'
import { virtualNow } from '../virtual-time.ts'
import type { Ground } from '../world.ts'
import { type Findings, textOf } from './findings.ts'

type Signed = {
  readonly attempt: Attempt
  readonly plan: TransactionPlan
  readonly signature: Signature
  /** Prepared after the end of the faults. */
  readonly inPeace: boolean
  readonly signedAt: number
}

const textOfLegs = (legs: readonly Leg[]): string =>
  legs.map(({ role, amount, destination }) => `${role} ${amount} to ${destination}`).join(', ')

export function watchAttempts(
  { chain, faults, lookAt, trace }: Pick<Ground, 'chain' | 'faults' | 'lookAt' | 'trace'>,
  findings: Findings,
  feePayer: Address,
  hooks: {
    readonly onSigned: (plan: TransactionPlan) => void
    /** Called when a worker begins with transfers that have no attempt yet. */
    readonly onBegun: (isPull: boolean) => void
    /** Called when the bytes of a transaction are stored: from now on it may be sent. */
    readonly onStored: (signature: Signature) => void
    /** Whether the fee payer signed it for a subscriber. */
    readonly isSponsored: (signature: Signature) => boolean
  },
) {
  const prepared = new Map<string, Attempt & { readonly inPeace: boolean }>()
  const signed = new Map<Signature, Signed>()
  /** The bytes that may be sent. Bytes that are signed and not stored yet never leave their worker. */
  const stored = new Map<Signature, string>()
  /** What may have been sent, and whose rows the database has forgotten. */
  const forgotten = new Map<Signature, Signed>()
  /** The legs of each planned transfer, by its key. */
  const frozen = new Map<string, string>()
  /** The keys of the transfers that a worker has claimed, by id. */
  const keys = new Map<string, string>()
  const keyOf = ({ attempt }: Signed): string => keys.get(attempt.transferId) ?? attempt.transferId
  const nameOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

  const mayStillLand = ({ signature, attempt }: Signed): boolean => {
    if (!stored.has(signature)) return false
    const landed = chain.landed(signature)
    if (landed !== null) return landed.slot > chain.finalized
    return heightOf(chain.finalized) <= attempt.lifetime.lastValidBlockHeight
  }

  /** The legs of a transaction are the legs that were stored when its transfer was planned. */
  const checkFrozen = ({ transferId }: Attempt, legs: readonly Leg[]): void => {
    const key = keys.get(transferId) ?? transferId
    const [planned, now] = [frozen.get(key), textOfLegs(legs)]
    findings.check('legs never change', planned === now, () => `${key}: planned ${planned}, signed ${now}`)
  }

  const onSigned = (plan: TransactionPlan, message: Uint8Array, wire: Uint8Array): void => {
    const attempt = prepared.get(nameOf(message))
    findings.check('nothing is signed that is not stored', attempt !== undefined, () => `a message of ${plan.source}`)
    if (attempt === undefined) return
    const signature = signatureOf(wire)
    if (plan.kind === 'legs') checkFrozen(attempt, plan.legs)
    if (signed.has(signature)) return
    signed.set(signature, { attempt, plan, signature, inPeace: attempt.inPeace, signedAt: virtualNow() })
    // Its last block, and the moments at which it could be abandoned too early.
    const lastMoment = timeOf(attempt.lifetime.lastValidBlockHeight + SKIPPED).getTime()
    const isOpen = () => chain.landed(signature) === null
    for (const off of [-1_000, 500, 3_000, 6_000, 10_000, 15_000]) lookAt(lastMoment + off, isOpen)
    hooks.onSigned(plan)
  }

  /** From now on the transaction may be sent, and land. */
  const onStored = (signature: Signature, wire: Uint8Array): void => {
    stored.set(signature, nameOf(wire))
    hooks.onStored(signature)
    const own = signed.get(signature)
    if (own === undefined) return
    checkBooks(own)
    for (const other of signed.values()) {
      const isRelated = other.attempt.transferId === own.attempt.transferId || other.plan.source === own.plan.source
      if (other === own || !isRelated) continue
      const landed = chain.landed(other.signature)
      findings.check(
        'no attempt while an older attempt may land',
        !mayStillLand(other),
        () =>
          `${signature.slice(0, 8)} of ${own.attempt.transferId} may land while ${other.signature.slice(0, 8)} of ` +
          `${other.attempt.transferId} ${landed === null ? 'may, too' : `is in ${landed.slot}, not final`}`,
      )
    }
  }

  /** A payment address from which money has left that its ledger does not know. */
  const isBelowBooks = (source: Address, asset: Asset | null): boolean =>
    [...forgotten.values()].some((one) => {
      const { plan, signature } = one
      const landed = chain.landed(signature)
      return (
        plan.kind === 'legs' &&
        !isPull(one) &&
        plan.source === source &&
        (asset === null || plan.asset === asset) &&
        landed !== null &&
        landed.error === null &&
        landed.slot <= chain.finalized
      )
    })
  const isPull = (one: Signed): boolean => keyOf(one).startsWith('charge:')

  const checkBooks = (own: Signed): void => {
    const { plan, signature } = own
    if (plan.kind !== 'legs' || isPull(own)) return
    findings.check(
      'nothing is sent from an address below its books',
      !isBelowBooks(plan.source, plan.asset),
      () => `${signature.slice(0, 8)} of ${keyOf(own)} from ${plan.source}`,
    )
  }

  return {
    isBelowBooks: (source: Address): boolean => isBelowBooks(source, null),
    isForgotten: (signature: Signature): boolean => forgotten.has(signature),
    /** After a failover: the database has only these attempts. */
    onForgotten(kept: ReadonlySet<string>): void {
      for (const one of signed.values()) {
        if (!stored.has(one.signature) || kept.has(one.attempt.id) || forgotten.has(one.signature)) continue
        trace.note(`${one.signature.slice(0, 8)} of ${keyOf(one)} is forgotten`)
        forgotten.set(one.signature, one)
      }
    },
    /** Returns the roles of the legs of a signed transaction, to one wallet or in all. */
    rolesOf(signature: Signature, wallet: Address | null): ReadonlySet<string> {
      const plan = signed.get(signature)?.plan
      const legs = plan?.kind === 'legs' ? plan.legs : []
      return new Set(legs.flatMap(({ destination, role }) => (wallet === null || destination === wallet ? [role] : [])))
    },
    signedAt: (signature: Signature): number | null => signed.get(signature)?.signedAt ?? null,
    transferOf: (signature: Signature): string | null => signed.get(signature)?.attempt.transferId ?? null,
    /** Returns true when a sent transaction may still land. */
    areUnderWay: () => [...signed.values()].some(mayStillLand),
    /** Returns the key of the transfer that a signed transaction belongs to. */
    keyOf(signature: Signature): string | null {
      const id = signed.get(signature)?.attempt.transferId
      return id === undefined ? null : (keys.get(id) ?? null)
    },
    /** Without faults, a signed transaction is sent and lands. */
    checkLanded(): void {
      for (const one of signed.values()) {
        const isThere = chain.landed(one.signature) !== null || mayStillLand(one)
        if (one.inPeace && stored.has(one.signature))
          findings.check(
            'a transaction that is signed without faults lands',
            isThere,
            () => `${one.signature} of ${one.attempt.transferId}`,
          )
      }
    },

    watch(ports: WorldPorts): Pick<WorldPorts, 'signer' | 'transfers'> {
      const { transfers, signer } = ports
      return {
        transfers: replaced(transfers, {
          async claim(network, options) {
            const claimed = await transfers.claim(network, options)
            for (const { transfer } of claimed) keys.set(transfer.id, transfer.key)
            const begun = claimed.filter(({ live }) => live === null)
            if (begun.length > 0) hooks.onBegun(begun.some(({ transfer }) => transfer.kind === CHARGE))
            return claimed
          },
          async prepareAttempt(lease, draft) {
            const attempt = await transfers.prepareAttempt(lease, draft)
            if (attempt !== null) prepared.set(nameOf(attempt.message), { ...attempt, inPeace: faults.over })
            return attempt
          },
          async recordSigned(lease, attemptId, wire, signature) {
            const done = await transfers.recordSigned(lease, attemptId, wire, signature)
            if (done) onStored(signature, wire)
            return done
          },
        }),
        signer: replaced(signer, {
          async sign(plan, message) {
            const answer = await signer.sign(plan, message)
            if ('wire' in answer) onSigned(plan, message, answer.wire)
            return answer
          },
        }),
      }
    },

    /** The legs of a transfer are frozen when it is planned. */
    onPlanned(transfers: readonly NewTransfer[]): void {
      for (const { key, legs } of transfers) frozen.set(key, textOfLegs(legs))
    },

    onSubmitted(wire: Uint8Array): void {
      const signature = signatureOf(wire)
      if (!signed.has(signature)) return
      findings.check('nothing is sent that is not stored', stored.get(signature) === nameOf(wire), () => signature)
    },

    onLanded(landed: Landed): void {
      if (landed.keys[0] !== feePayer || hooks.isSponsored(landed.signature)) return
      const own = signed.get(landed.signature)
      findings.check('nothing is signed that is not stored', own !== undefined, () => `${landed.signature} landed`)
      if (own === undefined || landed.error !== null) return
      // A transfer that the database has forgotten is planned again with the same key. A close that is forgotten may be repeated: it
      // pays nothing, and closes an account that someone has opened again.
      const counts = (one: Signed): boolean => one.plan.kind !== 'close' || !forgotten.has(one.signature)
      const successes = [...signed.values()].filter((one) => {
        const other = chain.landed(one.signature)
        return counts(one) && keyOf(one) === keyOf(own) && other !== null && other.error === null
      })
      findings.check('a transfer succeeds once', successes.length <= 1, () => keyOf(own))
      checkEffects(findings, own.plan, landed, feePayer)
    },
  }
}

/** Its effects equal its legs, except for the fee payer, who pays fees and rents. */
function checkEffects(findings: Findings, plan: TransactionPlan, landed: Landed, feePayer: Address): void {
  const rule = 'a transaction does what its plan says and nothing else'
  const what = () => `${landed.signature} for ${plan.source}: ${textOf(landed.effects)}`
  const asset = plan.kind === 'legs' ? plan.asset : plan.token.mint
  const expected = new Map<Address, bigint>()
  const move = (owner: Address, delta: bigint) => expected.set(owner, (expected.get(owner) ?? 0n) + delta)
  for (const { destination, amount } of plan.kind === 'legs' ? plan.legs : []) {
    move(destination, amount)
    move(plan.source, -amount)
  }
  const touched = new Map<Address, bigint>()
  for (const effect of landed.effects) {
    if (effect.asset === asset) touched.set(effect.owner, (touched.get(effect.owner) ?? 0n) + effect.delta)
  }
  for (const [owner, delta] of expected) {
    if (owner === feePayer) continue
    const real = touched.get(owner) ?? 0n
    // A mint with a transfer fee withholds its part.
    findings.check(rule, real === delta || (asset !== SOL && delta > 0n && real >= 0n && real < delta), what)
  }
  const closed = landed.effects.some(
    ({ asset: moved, account, owner, delta }) =>
      moved === SOL && owner === account && delta < 0n && account !== feePayer && account !== plan.source,
  )
  findings.check(rule, closed === (plan.kind === 'close'), what)
  for (const owner of touched.keys()) {
    if (plan.kind === 'legs' && asset !== SOL) findings.check(rule, expected.has(owner), what)
  }
}
