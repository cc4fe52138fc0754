// Between its execution and its commit, a transaction is in the chain but not yet on disk. History answers only when it
// is both.
import { expect, it } from 'vitest'
import { createHistoryMethods } from '#sandbox/chain/history-methods.ts'

const SIGNATURE = '5'.repeat(88)
const ACCOUNT = '4'.repeat(44)

/** A chain at slot 600 in which one transaction of slot 590 gets on disk only while it is being waited for. */
function methodsBeforeCommit() {
  let isKept = false
  const touch = { signature: SIGNATURE, slot: 590, error: 'null' }
  const landed = { ...touch, wire: new Uint8Array(), json: '{"version":"legacy"}', jsonParsed: '{}' }
  const era = { firstSlot: 500, firstHeight: 490, firstTimeMs: 0, slotTimeMs: 10, lastSlot: null }
  return createHistoryMethods({
    genesisHash: ACCOUNT,
    chainClock: { at: async () => ({ slot: 600, height: 590 }), eras: () => [era] },
    queue: {
      settled: async () => {
        isKept = true
      },
    },
    ledger: {
      status: () => (isKept ? touch : null),
      transaction: () => (isKept ? landed : null),
      transactionsIn: () => (isKept ? [landed] : []),
      touches: () => (isKept ? [touch] : []),
    },
  })
}

it.each([
  ['getTransaction', [SIGNATURE]],
  ['getSignatureStatuses', [[SIGNATURE]]],
  ['getSignaturesForAddress', [ACCOUNT]],
  ['getBlock', [590, { transactionDetails: 'signatures' }]],
])('%s waits for what was executed before it', async (method, params) => {
  const answer = await methodsBeforeCommit()[method]?.(params)
  expect(answer).toMatch(method === 'getTransaction' ? /legacy/ : /55555|"slot":590/)
})
