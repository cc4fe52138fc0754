// Payments whose transfers give up or are stopped: until a person takes them up again, or the books agree.
import { SOL } from '#core/chain/types.ts'
import { NETWORK_FEE } from '../../support/payment.ts'
import type { Flow, Step } from '../course.ts'
import {
  change,
  chose,
  clearHalt,
  PRICE,
  pay,
  retry,
  SENT,
  SWEPT,
  sweep,
  until,
  untilStatus,
  weather,
} from './words.ts'

const money = { 'merchant SOL': PRICE - NETWORK_FEE, 'buyer SOL': -PRICE - SENT }
const GAVE_UP = ['paid', 'settling', 'settle_failed', 'settling', 'swept']
const failed = (count: number): readonly string[] => Array<string>(count).fill('sweep failed')
const fails = (count: number): Step => weather(...Array<'fails'>(count).fill('fails'))
/** Somebody alters the books, so that they say five lamports more than the chain. */
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
    halted('a payment to an address that is halted, until its books agree', tamper(0n)),
    halted('a payment to an address that is halted, until the operator lets it go on', clearHalt),
    {
      name: 'a sweep that leaves the minimum behind after three failures, and collects it',
      intent: chose(SOL),
      lanes: [[fails(3), pay(SOL, PRICE)]],
      endings: [
        {
          status: 'swept',
          events: SWEPT,
          told: ['settlement_updated'],
          transfers: [...failed(3), 'sweep done', 'sweep done'],
          money,
        },
      ],
    },
    {
      name: 'a sweep that failed on chain too often, and is asked for by the business',
      intent: chose(SOL),
      slotsPerRound: 60n,
      lanes: [[fails(5), pay(SOL, PRICE), untilStatus('settle_failed'), sweep]],
      endings: [
        {
          status: 'swept',
          events: GAVE_UP,
          told: ['settlement_updated'],
          transfers: [...failed(5), 'sweep done', 'sweep done'],
          money,
        },
      ],
    },
    {
      name: 'a sweep none of whose transactions lands, taken up again by a person',
      intent: chose(SOL),
      slotsPerRound: 250n,
      lanes: [[weather(...Array<'is lost'>(8).fill('is lost')), pay(SOL, PRICE), untilStatus('settle_failed'), retry]],
      endings: [{ status: 'swept', events: GAVE_UP, transfers: ['sweep done'], money }],
    },
  ]
}
