// One meaning for a value on both engines: how statements outside Prisma are given parameters and read rows.
import { types } from 'pg'
import type { Parameter } from '#adapters/prisma/engine.ts'

type Parser = (text: string) => unknown

const parseDate: Parser = types.getTypeParser(types.builtins.TIMESTAMPTZ)
const parseTextArray: (text: string) => unknown = types.getTypeParser(TEXT_ARRAY())
const asText: Parser = (text) => text
const parseBytes: Parser = (text) => new Uint8Array(Buffer.from(text.slice('\\x'.length), 'hex'))

function TEXT_ARRAY(): number {
  return 1009
}
