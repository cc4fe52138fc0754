// Requests of people while money moves: sweeps on demand, cancels, releases of held money.
import { SOL } from '#core/chain/types.ts'
import { later, NETWORK_FEE, UNKNOWN_MINT } from '../../support/payment.ts'
import type { Flow } from '../flow.ts'
import { VAULT } from '../world.ts'
import {
  approve,
  cancel,
  chose,
  HALF,
  LATE,
  PRICE,
  pay,
  propose,
  RELEASED,
  release,
  SENT,
  SENT_TOKEN,
  SWEPT,
  sweep,
  until,
  untilStatus,
} from './steps.ts'

export function requests(): readonly Flow[] {
  return [
    {
      name: 'an underpaid payment that is swept on demand',
      intent: chose(SOL),
      lanes: [[pay(SOL, HALF), untilStatus('underpaid'), sweep]],
      endings: [
        {
          status: 'swept',
          events: ['underpaid', 'settling', 'swept'],
          transfers: ['sweep done'],
          money: { 'merchant SOL': HALF - NETWORK_FEE, 'buyer SOL': -HALF - SENT },
        },
      ],
    },
    {
      name: 'a payment that races a cancel',
      refusals: ['payment_already_received'],
      intent: chose(SOL),
      lanes: [[until((_, { now }) => now() > later(1)), pay(SOL, PRICE)], [cancel]],
      endings: [
        {
          status: 'swept',
          events: SWEPT,
          transfers: ['sweep done'],
          money: { 'merchant SOL': PRICE - NETWORK_FEE, 'buyer SOL': -PRICE - SENT },
        },
        {
          status: 'refunded',
          events: LATE,
          unordered: ['late_payment'],
          transfers: ['refund done'],
          money: { 'buyer SOL': -SENT - NETWORK_FEE },
        },
      ],
    },
    {
      name: 'a payment that races the end of its window',
      intent: { ...chose(SOL), expiresAt: later(20) },
      lanes: [[until((_, { now }) => now() > later(10)), pay(SOL, PRICE)]],
      endings: [
        {
          status: 'swept',
          events: SWEPT,
          transfers: ['sweep done'],
          money: { 'merchant SOL': PRICE - NETWORK_FEE, 'buyer SOL': -PRICE - SENT },
        },
        {
          status: 'refunded',
          events: LATE,
          unordered: ['late_payment'],
          transfers: ['refund done'],
          money: { 'buyer SOL': -SENT - NETWORK_FEE },
        },
      ],
    },
    {
      name: 'a payment without a known sender, cancelled, held and released',
      // The request is repeated because its answer was lost, and the refund has already failed. Spec: "Payment
      // transitions shown".
      refusals: ['payment_already_received'],
      intent: chose(SOL),
      lanes: [[pay(SOL, HALF, VAULT), untilStatus('underpaid'), cancel, untilStatus('refund_failed'), release(SOL)]],
      endings: [
        {
          status: 'refunded',
          events: RELEASED,
          unordered: ['held_released'],
          transfers: ['release done'],
          money: { 'owner SOL': HALF - NETWORK_FEE },
        },
      ],
    },
    {
      name: 'a payment without a known sender, held, and approved for an address of the buyer',
      refusals: ['payment_already_received'],
      intent: chose(SOL),
      lanes: [
        [pay(SOL, HALF, VAULT), untilStatus('underpaid'), cancel, untilStatus('refund_failed'), propose, approve],
      ],
      endings: [
        {
          status: 'refunded',
          events: RELEASED,
          unordered: ['held_released', 'refund_address_approved', 'refund_address_proposed'],
          transfers: ['release done'],
          money: { 'owner SOL': HALF - NETWORK_FEE },
        },
      ],
    },
    {
      name: 'a token that is not allowed, recorded with the payment',
      intent: chose(SOL),
      readsBlocks: true,
      lanes: [[pay(UNKNOWN_MINT, HALF), pay(SOL, PRICE), untilStatus('swept')]],
      endings: [
        {
          status: 'swept',
          events: SWEPT,
          transfers: ['sweep done'],
          money: {
            'merchant SOL': PRICE - NETWORK_FEE,
            'buyer SOL': -PRICE - SENT - SENT_TOKEN,
            'buyer SPAM': -HALF,
            'source SPAM': HALF,
          },
        },
      ],
    },
  ]
}
