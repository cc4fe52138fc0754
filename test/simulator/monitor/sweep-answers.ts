// Checks the answer of a sweep that a business requests, against the transaction that it names.
import { type Address, type Asset, SOL } from '#core/chain/types.ts'
import type { SweepResult } from '#services/payments/intent-services.ts'
import { createSweepAnswers } from './answers.ts'
import type { Outflow } from './evidence.ts'
import { type Figures, sum } from './figures.ts'

/** The swept payment. */
type Swept = {
  readonly index: number
  readonly address: Address
  readonly accountId: string
  readonly callerAccountId: string
}

export type CheckSweepAnswer = (swept: Swept, result: SweepResult) => Promise<void>

export function watchSweepAnswers({ evidence, findings, partiesOf, stage }: Figures): CheckSweepAnswer {
  const answerOf = createSweepAnswers()
  const assets: readonly Asset[] = [SOL, ...stage.mints.keys()]
  return async ({ index, address, accountId, callerAccountId }, result) => {
    const answer = await answerOf(callerAccountId, index, result)
    const check = (holds: boolean, what: () => string): void =>
      findings.check('the answer of a sweep agrees with the chain', holds, () => `intent ${index}: ${what()}`)
    const outflows = assets.flatMap((asset) => {
      const outflow = evidence.outflow(address, asset, answer.signature)
      return outflow !== null && outflow.left > 0n ? [outflow] : []
    })
    const [outflow] = outflows
    check(outflows.length === 1 && answer.from === address, () => `${answer.signature} from ${answer.from}`)
    if (outflow === undefined) return
    const { business, platform } = partiesOf(accountId)
    const swept = arrivedAt(outflow, business)
    check(answer.swept === swept, () => `${answer.swept} swept, and ${swept} arrived`)
    const fee = arrivedAt(outflow, platform)
    check(answer.platformFee === fee, () => `a platform fee of ${answer.platformFee}, and ${fee} arrived`)
    check(business.has(answer.to) && outflow.arrived.has(answer.to), () => `to ${answer.to}`)
  }
}

const arrivedAt = ({ arrived }: Outflow, wallets: ReadonlySet<Address>): bigint =>
  sum([...arrived].flatMap(([wallet, amount]) => (wallets.has(wallet) ? [amount] : [])))
