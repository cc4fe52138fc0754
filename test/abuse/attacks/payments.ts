// Attacks by actions that a tenant or a buyer may take.
import type { Attack } from '../attack.ts'
import { ask, createTally, json, repeat } from '../wire.ts'

const LEAVES_AFTER_MS = 100
const SWEEPERS = 32
/** Simulated deposits wait for the chain, and a tenant may make about ten at once. */
const FUNDED = 8

export const sweepLeavers: Attack = {
  name: 'sweep-leavers',
  what: 'another tenant requests sweeps of funded payments, 32 at once, and disconnects after 0.1 s',
  isCheap: false,
  async run(target, signal) {
    const tally = createTally()
    const key = { authorization: `Bearer ${target.apiKey}` }
    const funded = target.indexes.slice(0, FUNDED)
    const query = 'mutation ($index: Int!) { simulateDeposit(index: $index, kind: under, asset: "SOL") { signature } }'
    const asExecuted = { ...key, accept: 'application/graphql-response+json' }
    const replies = await Promise.all(
      funded.map((index) => ask(target, '/graphql', json({ query, variables: { index } }, asExecuted), signal)),
    )
    if (replies.some((status) => status !== 200)) throw new Error(`no deposit was simulated: ${replies.join(', ')}`)
    await repeat(SWEEPERS, signal, async (place) => {
      const leaving = AbortSignal.any([signal, AbortSignal.timeout(LEAVES_AFTER_MS)])
      tally.add(await ask(target, '/sweep', json({ index: funded[place % FUNDED] }, key), leaving))
    })
    return tally.deed()
  },
}

export const selections: Attack = {
  name: 'selections',
  what: '8 buyers of the shop select a token again and again',
  isCheap: true,
  async run(target, signal) {
    const tally = createTally()
    await repeat(target.clientSecrets.length, signal, async (place) => {
      const choice = { client_secret: target.clientSecrets[place], mint: null }
      tally.add(await ask(target, '/intents/select-token', json(choice), signal))
    })
    return tally.deed()
  },
}

export const wrongKeys: Attack = {
  name: 'wrong-keys',
  what: '32 clients at one address try keys, and tokens of the operator',
  isCheap: true,
  async run(target, signal) {
    const tally = createTally()
    let number = 0
    await repeat(32, signal, async () => {
      number += 1
      const guess = String(number).padStart(32, '0')
      if (number % 2 === 0) {
        const headers = { authorization: `Bearer sk_live_${guess}` }
        tally.add(await ask(target, '/status?index=1', { headers }, signal))
      } else {
        const accounts = json({ query: '{ accounts { id } }' }, { authorization: `Bearer op_${guess}` })
        tally.add(await ask(target, '/operator/graphql', accounts, signal))
      }
    })
    return tally.deed()
  },
}
