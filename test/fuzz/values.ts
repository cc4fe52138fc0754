// Values that a client may send by mistake or on purpose, mixed with values from the service.
import type { Dice } from '../simulator/dice.ts'

const TEXTS = [
  '',
  ' ',
  '\t\n',
  '0',
  '-1',
  'null',
  'undefined',
  '[object Object]',
  '__proto__',
  'constructor',
  "' OR 1=1 --",
  '"; DROP TABLE accounts; --',
  '{{7*7}}',
  '#{7*7}',
  '<script>alert(1)</script>',
  '../../etc/passwd',
  '%00',
  'a\u0000b',
  '\u202eabc',
  '\u200b',
  '\u2028',
  '\ud800',
  '\udfff\ud800',
  '\uffff',
  '🦄'.repeat(40),
  'ﷺ'.repeat(300),
  'x'.repeat(256),
  'x'.repeat(257),
  'x'.repeat(5_000),
  '11111111111111111111111111111111',
  'So11111111111111111111111111111111111111112',
  '1111111111111111111111111111111l',
  '00000000-0000-0000-0000-000000000000',
  'urn:uuid:00000000-0000-0000-0000-000000000000',
  '2026-11-20T12:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  'a@b',
  'a@example.com',
  'DE',
  'ZZ',
  'SOL',
  'sol',
] as const

const NUMBERS = [
  '0',
  '-0',
  '1',
  '-1',
  '1.5',
  '1e2',
  '1E400',
  '-1e-400',
  '100',
  '2147483647',
  '2147483648',
  '-2147483649',
  '4294967296',
  '9007199254740991',
  '9007199254740993',
  '18446744073709551615',
  '18446744073709551616',
  '340282366920938463463374607431768211456',
  '1'.repeat(400),
  '0.1',
  '1e999999999',
] as const

/** A value as JSON, so that numbers keep digits that a double would lose. */
export function strangeJson(dice: Dice, known: readonly string[], depth = 3): string {
  switch (dice.between(0, 11)) {
    case 0:
    case 1:
    case 2:
      return JSON.stringify(dice.pick(TEXTS))
    case 3:
    case 4:
      return dice.pick(NUMBERS)
    case 5:
      return dice.pick(['true', 'false'])
    case 6:
      return 'null'
    case 7:
    case 8:
      return JSON.stringify(dice.pick(known))
    case 9:
      return depth === 0 ? '[]' : `[${manyOf(dice, 3, () => strangeJson(dice, known, depth - 1)).join(',')}]`
    case 10: {
      const entry = (): string => `${JSON.stringify(dice.pick(TEXTS))}:${strangeJson(dice, known, depth - 1)}`
      return depth === 0 ? '{}' : `{${manyOf(dice, 3, entry).join(',')}}`
    }
    default:
      return dice.chance(0.05) ? '['.repeat(dice.between(10, 20_000)) : '[[[[[[[[]]]]]]]]'
  }
}

export const strangeText = (dice: Dice, known: readonly string[]): string =>
  dice.chance(0.3) ? dice.pick(known) : dice.chance(0.2) ? dice.pick(NUMBERS) : dice.pick(TEXTS)

const manyOf = <T>(dice: Dice, most: number, one: () => T): readonly T[] =>
  Array.from({ length: dice.between(0, most) }, one)

/** Changes, removes, doubles or inserts a few bytes. */
export function mutated(dice: Dice, bytes: Buffer): Buffer {
  let result = bytes
  for (let count = dice.between(1, 4); count > 0; count -= 1) {
    const at = dice.between(0, Math.max(0, result.length - 1))
    const [before, after] = [result.subarray(0, at), result.subarray(at)]
    const put = Buffer.from(dice.bytes(dice.between(1, 4)))
    const longer = Buffer.from(dice.pick(['\r\n', '\0', '{', '}', '"', '%', ' ', ':', '\r\n\r\n', 'é', '\n']))
    result = dice.pick([
      () => Buffer.concat([before, put, after]),
      () => Buffer.concat([before, put, after.subarray(put.length)]),
      () => Buffer.concat([before, after.subarray(dice.between(1, 8))]),
      () => Buffer.concat([before, after.subarray(0, 16), after]),
      () => Buffer.concat([before, longer, after]),
    ])()
  }
  return result
}
