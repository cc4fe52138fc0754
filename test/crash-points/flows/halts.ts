// Payments whose transfers fail or are halted, until a person retries them or the ledger agrees with the chain.
import { SOL } from '#core/chain/types.ts'
import { NETWORK_FEE } from '../../support/payment.ts'
import type { Flow, Step } from '../flow.ts'
import { change, chose, clearHalt, fates, PRICE, pay, retry, SENT, SWEPT, sweep, until, untilStatus } from './steps.ts'

const money = { 'merchant SOL': PRICE - NETWORK_FEE, 'buyer SOL': -PRICE - SENT }
const GAVE_UP = ['paid', 'settling', 'settle_failed', 'settling', 'swept']
const failed = (count: number): readonly string[] => Array<string>(count).fill('sweep failed')
const fails = (count: number): Step => fates(...Array<'fails'>(count).fill('fails'))
/** Alters the ledger: it contains five lamports more than the chain. */
const tamper = (lamports: bigint): Step =>
  change(({ books }) => {
    books.tampering.lamports = lamports
  })
const untilStopped: Step = until(({ transfers }, { records }) =>
  transfers.some(({ id }) => /Nothing is sent/.test(records.transfer(id).transfer.reason ?? '')),
)
const untilHalted: Step = async ({ books }) => (await books.halts.open('live')).length > 0

export function halts(): readonly Flow[] {
  const halted = (name: string, resolve: Step): Flow => ({
    name,
    intent: chose(SOL),
    reconciles: true,
    slotsPerRound: 40n,
    lanes: [[tamper(5n), untilHalted, pay(SOL, PRICE), untilStopped, resolve]],
    endings: [{ status: 'swept', events: SWEPT, transfers: ['sweep done'], money }],
  })
  return [
    halted('a payment to an address that is halted, until ledger and chain agree', tamper(0n)),
    halted('a payment to an address that is halted, until the operator ends the halt', clearHalt),
    {
      name: 'a sweep that leaves the rent minimum after three failures, and collects it later',
      intent: chose(SOL),
      lanes: [[fails(3), pay(SOL, PRICE)]],
      endings: [
        {
          status: 'swept',
          events: SWEPT,
          unordered: ['settlement_updated'],
          transfers: [...failed(3), 'sweep done', 'sweep done'],
          money,
        },
      ],
    },
    {
      name: 'a sweep that failed on chain too often, requested by the business',
      intent: chose(SOL),
      slotsPerRound: 60n,
      lanes: [[fails(5), pay(SOL, PRICE), untilStatus('settle_failed'), sweep]],
      endings: [
        {
          status: 'swept',
          events: GAVE_UP,
          unordered: ['settlement_updated'],
          transfers: [...failed(5), 'sweep done', 'sweep done'],
          money,
        },
      ],
    },
    {
      name: 'a sweep without a transaction that lands, retried by a person',
      intent: chose(SOL),
      slotsPerRound: 250n,
      lanes: [[fates(...Array<'is lost'>(8).fill('is lost')), pay(SOL, PRICE), untilStatus('settle_failed'), retry]],
      endings: [{ status: 'swept', events: GAVE_UP, transfers: ['sweep done'], money }],
    },
  ]
}
