// Judges the differences that an audit finds: a difference that lasts is a fault, a short one is a moment between readings.
import type { AuditedAddress } from '#core/audit/audit.ts'
import { isAsset } from '#core/chain/base58.ts'
import type { Asset } from '#core/chain/types.ts'
import { checked, fieldsOf, type Jsonified, oneOf, type Read, readList, readNullable, readString } from '#core/json.ts'

export const FAULT_KINDS = ['other_address', 'chain_has_less', 'chain_has_more', 'books_disagree'] as const
export type FaultKind = (typeof FAULT_KINDS)[number]

export type Fault = {
  readonly kind: FaultKind
  /** null where it is not about one account. */
  readonly account: string | null
  readonly asset: Asset | null
  /** In base units; negative where something is missing. Zero for another address. */
  readonly amount: bigint
}

export function faultsOf({ address, derivedAddress, balances, flows }: AuditedAddress): readonly Fault[] {
  const other: Fault = { kind: 'other_address', account: null, asset: null, amount: 0n }
  return [
    ...(address === derivedAddress ? [] : [other]),
    ...balances.flatMap(({ account, asset, difference }): Fault[] => {
      if (difference === 0n) return []
      return [{ kind: difference < 0n ? 'chain_has_less' : 'chain_has_more', account, asset, amount: difference }]
    }),
    ...flows.flatMap(({ asset, difference }): Fault[] =>
      difference === 0n ? [] : [{ kind: 'books_disagree', account: null, asset, amount: difference }],
    ),
  ]
}

const SECOND = 1_000

/**
 * How long a difference must last, in every reading, before it is a fault. A surplus on the chain is nearly always a
 * payment that the history does not list yet, and no money is in danger meanwhile.
 */
export const GRACE_MS: Readonly<Record<FaultKind, number>> = {
  other_address: 15 * SECOND,
  books_disagree: 15 * SECOND,
  chain_has_less: 30 * SECOND,
  chain_has_more: 300 * SECOND,
}

/** Since when each difference lasts, by its place: amounts may change while something moves. */
export type Suspicion = ReadonlyMap<string, Date>

const placeOf = ({ kind, account, asset }: Fault): string => `${kind} ${account} ${asset}`

/** Returns since when each difference lasts, and which are faults. A difference that was gone in between starts again. */
export function judgeFaults(
  before: Suspicion,
  faults: readonly Fault[],
  now: Date,
): { readonly suspicion: Suspicion; readonly proven: readonly Fault[] } {
  // So does every difference after the clock was put back.
  const sinceOf = (fault: Fault): Date => {
    const since = before.get(placeOf(fault)) ?? now
    return since > now ? now : since
  }
  const suspicion = new Map(faults.map((fault) => [placeOf(fault), sinceOf(fault)]))
  const ageOf = (fault: Fault) => now.getTime() - (suspicion.get(placeOf(fault)) ?? now).getTime()
  return { suspicion, proven: faults.filter((fault) => ageOf(fault) >= GRACE_MS[fault.kind]) }
}

/** Returns a sentence for each fault, for people. */
export const describeFaults = (faults: readonly Fault[]): string => faults.map(describeFault).join(' ')

function describeFault({ kind, account, asset, amount }: Fault): string {
  const units = `${amount < 0n ? -amount : amount} base units of ${asset}`
  switch (kind) {
    case 'other_address':
      return 'The master seed gives another address for this payment.'
    case 'chain_has_less':
      return `The chain holds ${units} less than the ledger says, in ${account}.`
    case 'chain_has_more':
      return `The chain holds ${units} more than the ledger says, in ${account}, and no transaction explains it.`
    case 'books_disagree':
      return `What was received is not what left and what remains: ${units} differ.`
  }
}

/** Returns whether two lists have the same differences, to the unit. */
export const areSameFaults = (some: readonly Fault[], others: readonly Fault[]): boolean => {
  const names = (faults: readonly Fault[]) =>
    faults
      .map((fault) => `${placeOf(fault)} ${fault.amount}`)
      .sort()
      .join()
  return names(some) === names(others)
}

export const faultsToJson = (faults: readonly Fault[]): Jsonified<readonly Fault[]> =>
  faults.map((fault) => ({ ...fault, amount: fault.amount.toString() }))

const signedUnits: Read<bigint> = (value, path) => BigInt(readString(value, path))

export const readFaults: Read<readonly Fault[]> = readList((value, path) => {
  const field = fieldsOf(value, path)
  return {
    kind: field('kind', oneOf(FAULT_KINDS)),
    account: field('account', readNullable(readString)),
    asset: field('asset', readNullable(checked(isAsset))),
    amount: field('amount', signedUnits),
  }
})
