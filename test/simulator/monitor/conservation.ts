// Conservation: the ledger accounts for every lamport and token that ever arrived. docs/money.md, "Invariants", 1, 4
// and 6.
import { type Address, type Asset, type Signature, SOL } from '#core/chain/types.ts'
import { holdingOf } from '../chain/raw.ts'
import { holdingPlace } from '../chain/wallets.ts'
import type { Books, IntentBook } from './books.ts'
import type { Ending } from './ending.ts'
import { sum } from './figures.ts'

type Place = { readonly account: Address; readonly asset: Asset }

/** The accounts of a deposit address that the service uses: SOL and every token on the allowlist. */
export const placesOf = ({ mints }: Ending['stage'], { address }: Pick<IntentBook, 'address'>): readonly Place[] => [
  { asset: SOL, account: address },
  ...[...mints].map(([asset, mint]) => ({ asset, account: holdingPlace(address, mint) })),
]

/** The final balance on the chain. */
export function finalBalance({ chain }: Ending['ground'], { account, asset }: Place): bigint {
  const raw = chain.accountAt(account, chain.finalized)
  return asset === SOL ? (raw?.lamports ?? 0n) : (holdingOf(raw)?.amount ?? 0n)
}

export function checkConservation({ ground, stage, findings, monitor }: Ending, books: Books): void {
  for (const intent of books.intents) {
    for (const place of placesOf(stage, intent)) {
      const { account, asset } = place
      const here = (one: Place): boolean => one.account === account && one.asset === asset
      const balance = finalBalance(ground, place)
      const booked = sum(books.ledger.filter(here).map(({ delta }) => delta))
      findings.check(
        'the ledger of an address agrees with the chain',
        booked === balance,
        () => `intent ${intent.index}: ${booked} ${asset} booked, ${balance} there`,
      )
      const arrived = books.deposits.filter((one) => one.intentId === intent.id && here(one))
      const left = books.transfers
        .filter((one) => one.intentId === intent.id && one.asset === asset && one.status === 'done')
        .flatMap(({ legs }) => legs)
      findings.check(
        'an intent’s money adds up',
        sum(arrived.map(({ amount }) => amount)) - sum(left.map(({ amount }) => amount)) === balance,
        () => `intent ${intent.index}: ${balance} ${asset} there`,
      )
    }
    checkArrivals({ ground, stage, findings }, books, intent)
  }
  checkFeePayer({ ground, stage, findings, monitor }, books)
}

type Parts = Pick<Ending, 'ground' | 'stage' | 'findings'>

/** Every final transaction that paid the address is a deposit, and every deposit is such a transaction. */
function checkArrivals({ ground, stage, findings }: Parts, { deposits }: Books, intent: IntentBook): void {
  const { chain } = ground
  const places = placesOf(stage, intent)
  const real = chain
    .all()
    .filter(({ slot, error }) => slot <= chain.finalized && error === null)
    .flatMap(({ signature, effects }) =>
      effects
        .filter(
          ({ account, asset, delta }) =>
            delta > 0n && places.some((one) => one.account === account && one.asset === asset),
        )
        .map(({ account, asset, delta }) => `${signature} ${account} ${asset} ${delta}`),
    )
  const known = deposits
    .filter(({ intentId }) => intentId === intent.id)
    .map(({ signature, account, asset, amount }) => `${signature} ${account} ${asset} ${amount}`)
  const unknown = real.filter((one) => !known.includes(one))
  const invented = known.filter((one) => !real.includes(one))
  findings.check(
    'every final deposit is known',
    unknown.length === 0 && invented.length === 0 && new Set(known).size === known.length,
    () => `intent ${intent.index}: unknown ${unknown.join('; ')}, invented ${invented.join('; ')}`,
  )
}

function checkFeePayer({ ground, stage, findings, monitor }: Parts & Pick<Ending, 'monitor'>, { ledger }: Books): void {
  const { chain } = ground
  const { feePayer, feePayerFunds } = stage
  // A database that has forgotten a transaction does not know its cost.
  const booked = new Set(ledger.map(({ signature }) => signature))
  const isUnknown = (signature: Signature): boolean => monitor.isLost(signature) && !booked.has(signature)
  const given = chain
    .all()
    .filter(({ keys, slot, signature }) => slot <= chain.finalized && (keys[0] !== feePayer || isUnknown(signature)))
    .flatMap(({ effects }) => effects.filter(({ account, asset }) => account === feePayer && asset === SOL))
  const own = ledger.filter(({ account, asset }) => account === feePayer && asset === SOL)
  const expected = feePayerFunds + sum(given.map(({ delta }) => delta)) + sum(own.map(({ delta }) => delta))
  const balance = finalBalance(ground, { account: feePayer, asset: SOL })
  findings.check(
    'the ledger of the fee payer agrees with the chain',
    expected === balance,
    () => `${expected} by the books, ${balance} there`,
  )
}
