// Checks that the reason for held money is true, by the chain and by the faults of the world. docs/contract.md, "Held money".
import type { Address, Asset } from '#core/chain/types.ts'
import { MAX_ATTEMPTS } from '#services/transfers/steps.ts'
import type { Fault } from '../faults.ts'
import { isTight } from '../stage.ts'
import type { Ending } from './ending.ts'
import type { Inflow } from './evidence.ts'
import { type Check, sum } from './figures.ts'
import type { Reported } from './reported.ts'
import { lamportsWorth } from './worth.ts'

/** Lamports that a payment is worth at most which is too small to return. */
const SMALL = 100_000n

type Held = Pick<Ending, 'ground' | 'stage'> & {
  readonly address: Address
  readonly asset: Asset
  readonly amount: bigint
  /** The final payments of the asset. */
  readonly payments: readonly Inflow[]
}

/** Each reason, by words of it, and what must be true for it. */
const REASONS: readonly (readonly [words: string, isTrue: (held: Held) => boolean])[] = [
  ['sender is not known', ({ payments }) => !payments.every(isClear)],
  ['Several wallets took part', ({ payments }) => !payments.every(isClear)],
  [
    'worth less than returning it costs',
    // The reason is that of the larger part.
    ({ stage, asset, amount, payments }) => lamportsWorth(stage, asset, amount) <= 2n * SMALL * BigInt(payments.length),
  ],
  ['has no account for this token', happened('account closed', 'token dust, account closed')],
  ['is frozen by its issuer', happened('account frozen')],
  ['No price shows', happened('price feed down', 'price stale', 'price spike', 'clock off by a day')],
  ['have cost the fee payer as much as they may', ({ stage }) => isTight(stage.refundBudget)],
  [
    'failed too often',
    ({ ground: { chain }, stage, address }) => {
      const isOurs = (keys: readonly Address[]) => keys[0] === stage.feePayer && keys.includes(address)
      const failed = chain.all().some(({ keys, error }) => error !== null && isOurs(keys))
      return failed || chain.allUnlanded().filter(isOurs).length >= MAX_ATTEMPTS
    },
  ],
  [
    'is on the list of custodians',
    ({ stage, payments }) => payments.some(({ payers }) => payers.some((payer) => stage.custodians.has(payer))),
  ],
  ['is not accepted here', ({ stage, asset }) => !stage.mints.has(asset)],
]

export function checkReasonsOfHeld({ ground, stage, monitor }: Ending, reported: Reported, check: Check): void {
  const { evidence } = monitor.figures
  const { address } = reported
  for (const { asset, amount, reason } of reported.held) {
    const payments = evidence.inflows(address, asset).filter(({ signature }) => evidence.isFinal(signature))
    const [, isTrue] = REASONS.find(([words]) => reason.includes(words)) ?? []
    check(
      'the reason for held money is true',
      isTrue === undefined || isTrue({ ground, stage, address, asset, amount, payments }),
      () =>
        `${amount} ${asset}, of ${sum(payments.map((one) => one.amount))} in ${payments.length} payments: ${reason}`,
    )
  }
}

const isClear = ({ signers, payers }: Inflow): boolean => signers === 1 && payers.length === 1

function happened(...faults: readonly Fault[]) {
  return ({ ground }: Held): boolean => faults.some((fault) => ground.faults.counts[fault] > 0)
}
