// Money that goes back: an underpayment, the wrong asset, a late payment.
import { SOL } from '#core/chain/types.ts'
import { MINT } from '../../support/example-intent.ts'
import { NETWORK_FEE } from '../../support/payment.ts'
import type { Flow } from '../flow.ts'
import { FEE_MINT } from '../world.ts'
import {
  arrives,
  cancel,
  chose,
  fates,
  HALF,
  LATE,
  PRICE,
  pay,
  REFUNDED,
  SENT,
  SENT_TOKEN,
  SWEPT,
  soon,
  until,
  untilStatus,
  WRONG_ASSET,
} from './steps.ts'

export function refunds(): readonly Flow[] {
  const solBack = { 'buyer SOL': -SENT - NETWORK_FEE }
  const tokenBack = { 'buyer SOL': -SENT_TOKEN }
  return [
    {
      name: 'an underpaid SOL payment that is cancelled',
      intent: chose(SOL),
      lanes: [[pay(SOL, HALF), untilStatus('underpaid'), cancel]],
      endings: [{ status: 'refunded', events: REFUNDED, transfers: ['refund done'], money: solBack }],
    },
    ...(['rent doubles', 'rent halves'] as const).map(
      (fate): Flow => ({
        name: `an underpaid SOL payment that is cancelled, before whose refund lands the ${fate}`,
        intent: chose(SOL),
        lanes: [[fates(fate), pay(SOL, HALF), untilStatus('underpaid'), cancel]],
        endings: [{ status: 'refunded', events: REFUNDED, transfers: ['refund done'], money: solBack }],
      }),
    ),
    {
      name: 'an underpaid token payment that is cancelled',
      intent: chose(MINT),
      lanes: [[pay(MINT, HALF), untilStatus('underpaid'), cancel]],
      endings: [{ status: 'refunded', events: REFUNDED, transfers: ['refund done', 'rent done'], money: tokenBack }],
    },
    ...(
      [
        ['its refund lands the rent doubles', ['rent doubles']],
        ['its refund lands the rent halves', ['rent halves']],
        ['its account closes the rent doubles', ['lands', 'rent doubles']],
        ['its account closes the rent halves', ['lands', 'rent halves']],
      ] as const
    ).map(
      ([when, what]): Flow => ({
        name: `an underpaid token payment that is cancelled, and before ${when}`,
        intent: chose(MINT),
        lanes: [[fates(...what), pay(MINT, HALF), untilStatus('underpaid'), cancel]],
        endings: [{ status: 'refunded', events: REFUNDED, transfers: ['refund done', 'rent done'], money: tokenBack }],
      }),
    ),
    {
      name: 'an underpaid SOL payment whose window ends',
      intent: { ...chose(SOL), ...soon },
      lanes: [[pay(SOL, HALF)]],
      endings: [{ status: 'refunded', events: REFUNDED, transfers: ['refund done'], money: solBack }],
    },
    {
      name: 'an underpaid Token-2022 payment whose window ends',
      intent: { ...chose(FEE_MINT), ...soon },
      lanes: [[pay(FEE_MINT, HALF)]],
      endings: [
        {
          status: 'refunded',
          events: REFUNDED,
          transfers: ['refund done', 'rent done'],
          money: { 'buyer SOL': -SENT_TOKEN, 'buyer FEE': arrives(arrives(HALF)) - HALF },
        },
      ],
    },
    {
      name: 'SOL to a payment in tokens, which is then paid',
      intent: chose(MINT),
      lanes: [
        [
          pay(SOL, HALF),
          until(({ intent }) => intent.tokenRefunds.some(({ status }) => status === 'refunded')),
          pay(MINT, PRICE),
        ],
      ],
      endings: [
        {
          status: 'swept',
          events: SWEPT,
          unordered: WRONG_ASSET,
          transfers: ['refund done', 'sweep done', 'rent done'],
          money: { 'merchant USDC': PRICE, 'buyer USDC': -PRICE, 'buyer SOL': -SENT - NETWORK_FEE - SENT_TOKEN },
        },
      ],
    },
    {
      name: 'a token to a payment in SOL, paid at the same time',
      intent: chose(SOL),
      lanes: [[pay(MINT, HALF), pay(SOL, PRICE)]],
      endings: [
        {
          status: 'swept',
          events: SWEPT,
          unordered: WRONG_ASSET,
          transfers: ['refund done', 'sweep done', 'rent done'],
          money: { 'merchant SOL': PRICE - NETWORK_FEE, 'buyer SOL': -PRICE - SENT - SENT_TOKEN },
        },
      ],
    },
    {
      name: 'a late SOL payment after a cancel',
      intent: chose(SOL),
      lanes: [[cancel, pay(SOL, PRICE)]],
      endings: [
        { status: 'refunded', events: LATE, unordered: ['late_payment'], transfers: ['refund done'], money: solBack },
      ],
    },
    {
      name: 'a late token payment after the window',
      intent: { ...chose(MINT), ...soon },
      lanes: [[untilStatus('cancelled'), pay(MINT, PRICE)]],
      endings: [
        {
          status: 'refunded',
          events: LATE,
          unordered: ['late_payment'],
          transfers: ['refund done', 'rent done'],
          money: tokenBack,
        },
      ],
    },
    {
      name: 'a second SOL payment after the sweep',
      intent: chose(SOL),
      lanes: [[pay(SOL, PRICE), untilStatus('swept'), pay(SOL, HALF)]],
      endings: [
        {
          status: 'swept',
          events: SWEPT,
          unordered: ['late_payment'],
          transfers: ['sweep done', 'refund done'],
          money: { 'merchant SOL': PRICE - NETWORK_FEE, 'buyer SOL': -PRICE - SENT - SENT - NETWORK_FEE },
        },
      ],
    },
  ]
}
