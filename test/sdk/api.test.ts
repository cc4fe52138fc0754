// The typed part of the client derives from openapi.json alone.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { apiSource } from '../../scripts/sdk/api.ts'
import { SolanaPayments } from '../../sdk/src/index.ts'

const document = () => JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'))

/** Calls every method of the client, at any depth, and returns what each one asks for. */
async function everyRequest(): Promise<readonly string[]> {
  const asked: string[] = []
  const fetch = async (url: string | URL | Request, { method = '' }: RequestInit = {}) => {
    asked.push(`${method} ${new URL(String(url)).pathname}`)
    return new Response('{}')
  }
  const client = new SolanaPayments({ fetch })
  const callAll = async (member: unknown): Promise<void> => {
    if (typeof member !== 'function') {
      for (const below of Object.values(Object(member))) await callAll(below)
      return
    }
    // A parameter of the path is the first one where there is one.
    const result = member('VALUE')
    await (result instanceof Promise ? result : result.page())
  }
  await callAll({ ...client })
  return asked
}

describe('the client', () => {
  it('has a method for every endpoint, each once', async () => {
    const endpoints = Object.entries(document().paths).flatMap(([path, methods]) =>
      Object.keys(Object(methods)).map((method) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/, 'VALUE')}`),
    )
    expect((await everyRequest()).toSorted()).toEqual(endpoints.toSorted())
  })

  it('gets a new endpoint without a line written by hand', () => {
    const changed = document()
    const { get } = changed.paths['/payments/{id}']
    changed.paths['/invoices/{id}'] = {
      get: { ...get, operationId: 'findInvoice', description: 'Returns an invoice.' },
    }
    changed.paths['/invoices/{id}/send'] = {
      post: { ...get, operationId: 'sendInvoice', description: 'Sends an invoice.' },
    }
    const source = apiSource(changed)
    expect(source).toContain(
      'readonly invoices = {\n/**\n * Returns an invoice.\n *\n * `GET /invoices/{id}`\n */\nget: (id: string',
    )
    expect(source).toMatch(
      /send: \(id: string, options\?: RequestOptions\).*'POST', `\/invoices\/\$\{part\(id\)\}\/send`/,
    )
  })

  it('cannot have a field that is an amount in one place and a number in another', () => {
    const changed = document()
    changed.components.schemas.LatePayment.properties.count = { type: 'integer', format: 'uint64' }
    expect(() => apiSource(changed)).toThrow('count')
  })
})
