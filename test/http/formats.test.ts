import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ServiceError } from '#core/errors.ts'
import { type Cell, csvRecord } from '#http/csv.ts'
import { parseJson } from '#http/exact-json.ts'
import { startTestService, type TestService, withKey } from '../support/services.ts'

describe('reading JSON', () => {
  it('reads whatever JSON.parse reads, but for integers beyond 2^53', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        fc.pre(!/\d{16}/.test(text))
        expect(parseJson(text)).toEqual(JSON.parse(text))
      }),
    )
  })

  it('reads an integer only when a double holds it exactly', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), (integer) => {
        const text = `{"deep":[${integer}]}`
        if (BigInt(Number(integer)) === integer) expect(parseJson(text)).toEqual({ deep: [Number(integer)] })
        else expect(parseJson(text)).toEqual({ deep: [Number.NaN] })
      }),
    )
  })

  it('reads an integer in any notation that means just it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1 }), fc.nat(12), fc.constantFrom('e', 'E', 'e+'), (integer, zeros, e) => {
        for (const text of [`${integer}.${'0'.repeat(zeros + 1)}`, `${integer}${'0'.repeat(zeros)}e-${zeros}`]) {
          expect(parseJson(text)).toBe(integer)
        }
        expect(parseJson(`0.${'0'.repeat(zeros)}${integer}${e}${zeros + String(integer).length}`)).toBe(integer)
      }),
    )
  })

  it.each(['4.99999999999999999999', '0.99999999999999999999999', '1e400', '-1e400', '1e-400'])(
    'has no number for %s, which reading would make another one',
    (text) => {
      expect(parseJson(text)).toBeNaN()
    },
  )

  it.each(['0e400', '0.0', '-0', '1e22', '0.1', '2.5', '1.7976931348623157e308'])('reads %s', (text) => {
    expect(parseJson(text)).toBe(JSON.parse(text))
  })

  it('is not fooled by a text that looks like a number', () => {
    expect(parseJson('{"a":"9007199254740993","b":"1e400"}')).toEqual({ a: '9007199254740993', b: '1e400' })
  })

  it('answers an exponent of absurd size at once', () => {
    const before = process.cpuUsage()
    expect(parseJson(`1e-${'9'.repeat(1000)}`)).toBeNaN()
    expect(parseJson(`${'1'.repeat(60_000)}`)).toBeNaN()
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(500)
  })
})

describe('ignored fields', () => {
  let service: TestService
  beforeAll(async () => {
    const create = async (): Promise<never> => {
      throw new ServiceError('sweep_destination_missing')
    }
    service = await startTestService({ services: { intents: { create } } })
  })
  afterAll(() => service.close())

  const REQUIRED = { amount_usd_cents: 1, accepted_tokens: [{ kind: 'sol' }] }
  const ignoredOf = async (body: object): Promise<string | null> => {
    const answer = await service.post('/intents', { ...REQUIRED, ...body }, withKey())
    expect(answer.status).toBe(409)
    return answer.headers.get('ignored-fields')
  }

  describe('Ignored-Fields', () => {
    it.each<[object, string | null]>([
      [{}, null],
      [{ reference: 'a', customer: { email: null, address: { line1: null } } }, null],
      [{ color: { a: 1 } }, 'color'],
      [{ color: null, b: [] }, 'color, b'],
      [{ metadata: { a: [{ b: 1 }] } }, null],
      [{ customer: { phone: '1', address: { line3: 'x' } } }, 'customer.phone, customer.address.line3'],
      [
        { accepted_tokens: [{ kind: 'sol' }, { kind: 'sol', mint: null, x: 1 }] },
        'accepted_tokens[1].mint, accepted_tokens[1].x',
      ],
      [{ 'a,b\r\nX: 1': 1, ü: 1, '\ud800': 1 }, 'a%2Cb%0D%0AX%3A%201, %C3%BC, %EF%BF%BD'],
    ])('names the paths of %j that the endpoint does not read: %s', async (body, named) => {
      expect(await ignoredOf(body)).toBe(named)
    })

    it('names at most 20 fields', async () => {
      const names = Array.from({ length: 30 }, (_, at) => `f${at}`)
      const named = await ignoredOf(Object.fromEntries(names.map((name) => [name, 1])))
      expect(named).toBe([...names.slice(0, 20), '...'].join(', '))
    })

    it('has at most 1,000 characters of names', async () => {
      expect(await ignoredOf({ a: 1, ['b'.repeat(1_000)]: 1, c: 1 })).toBe('a, ...')
    })
  })
})

describe('a record of CSV', () => {
  it.each<[string, readonly Cell[], string]>([
    ['has its cells between commas', ['a', 'b'], 'a,b'],
    ['has numbers as they are, negative ones too', [7, -1, '-1.5', '0.00000001'], '7,-1,-1.5,0.00000001'],
    ['has nothing for null', [null, '', null], ',,'],
    ['quotes commas, quotes and line breaks', ['a,b', 'a "b"', 'a\nb', 'a\r\nb'], '"a,b","a ""b""","a\nb","a\r\nb"'],
    ['keeps any other text', ['ü 💸', " 'a", "it's"], "ü 💸, 'a,it's"],
    ['defuses what a spreadsheet evaluates', ['=1+1', '+1+1', '-1+1', '@A1', '\tx'], "'=1+1,'+1+1,'-1+1,'@A1,'\tx"],
    ['defuses wide signs, too', ['＝1+1', '＋1', '－1', '＠A1'], "'＝1+1,'＋1,'－1,'＠A1"],
    ['defuses it also in quotes', ['=LINK("a","b")', '\r=1'], `"'=LINK(""a"",""b"")","'\r=1"`],
    ['defuses it after what ends a cell elsewhere', ['a;=1', 'a\t+1', 'a;b'], "a;'=1,a\t'+1,a;b"],
    ['takes a sign in front of other things for no number', ['+49 30', '-', '-1e5', '- 1'], "'+49 30,'-,'-1e5,'- 1"],
  ])('%s, and ends as RFC 4180 says', (_rule, cells, text) => {
    expect(csvRecord(cells)).toBe(`${text}\r\n`)
  })
})
