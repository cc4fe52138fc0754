// Attacks by GraphQL documents.
import { EVERY_FIELD } from '../../support/every-field.ts'
import type { Attack } from '../attack.ts'
import { ask, createTally, json, repeat } from '../wire.ts'

export const uniqueDocuments: Attack = {
  name: 'unique-documents',
  what: '32 clients without a key send new documents of 4 kB',
  isCheap: true,
  async run(target, signal) {
    const tally = createTally()
    let number = 0
    await repeat(32, signal, async () => {
      number += 1
      const fields = Array.from({ length: 60 }, (_, at) => `field_${number}_${at}_${'x'.repeat(30)}: __typename`)
      tally.add(await ask(target, '/graphql', json({ query: `query Q${number} { ${fields.join(' ')} }` }), signal))
    })
    return tally.deed()
  },
}

export const repeatedFields: Attack = {
  name: 'repeated-fields',
  what: '16 clients repeat fields, aliases and directives in one document',
  isCheap: true,
  async run(target, signal) {
    const tally = createTally()
    let number = 0
    await repeat(16, signal, async () => {
      number += 1
      const many = (count: number, text: (at: number) => string) => Array.from({ length: count }, (_, at) => text(at))
      const documents = [
        `{ config { ${'cluster '.repeat(2_000)} } }`,
        `{ ${many(500, (at) => `a${at}: config { cluster }`).join(' ')} }`,
        `{ config { cluster ${'@include(if: true) '.repeat(500)} } }`,
        `{ ${many(300, (at) => `...F${at}`).join(' ')} } ${many(300, (at) => `fragment F${at} on Query { config { cluster } }`).join(' ')}`,
        `${'{ config '.repeat(400)} cluster ${'}'.repeat(400)}`,
      ]
      const query = `${documents[number % documents.length]} # ${number}`
      tally.add(await ask(target, '/graphql', json({ query }), signal))
    })
    return tally.deed()
  },
}

export const fullLists: Attack = {
  name: 'full-lists',
  what: 'another tenant requests 16 lists of 100 payments with every field at once, again and again',
  isCheap: false,
  async run(target, signal) {
    const tally = createTally()
    const query = `{ paymentIntents(first: 100) { edges { cursor node { ${EVERY_FIELD} } } } }`
    const list = json({ query }, { authorization: `Bearer ${target.apiKey}` })
    await repeat(16, signal, async () => tally.add(await ask(target, '/graphql', list, signal)))
    return tally.deed()
  },
}
