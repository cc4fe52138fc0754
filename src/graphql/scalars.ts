// The scalars of the schema. Each refuses what it cannot hold, so that no resolver meets a rounded or broken value.
import { GraphQLError, GraphQLScalarType, Kind, type ValueNode, visit } from 'graphql'
import { GraphQLJSONObject } from 'graphql-scalars'
import { isSignature } from '#core/chain/base58.ts'
import { isGivenAsset, isPublicKey } from '#core/chain/public-key.ts'
import type { Address, Asset, Signature } from '#core/chain/types.ts'
import { type BaseUnits, isBaseUnits, isUsdCents, type UsdCents } from '#core/money/amounts.ts'
import { CLEAN_TEXT, cleanedText, isKey, isName, isProse, MAX_TEXT } from '#core/text.ts'
import { isRounded } from '#lib/values.ts'

/** What a resolver gets and gives for each scalar, in both schemas. */
export type Scalars = {
  Asset: { Input: Asset; Output: Asset }
  BaseUnits: { Input: BaseUnits; Output: BaseUnits }
  DateTimeISO: { Input: Date; Output: Date }
  FormText: { Input: string; Output: string }
  ImageData: { Input: Uint8Array; Output: never }
  JSONObject: { Input: Readonly<Record<string, unknown>>; Output: object }
  Line: { Input: string; Output: string }
  Mint: { Input: Address; Output: string }
  Signature: { Input: Signature; Output: string }
  SignedUnits: { Input: bigint; Output: bigint }
  SolanaAddress: { Input: Address; Output: Address }
  Sum: { Input: bigint; Output: bigint }
  Text: { Input: string; Output: string }
  UInt64: { Input: bigint; Output: bigint }
  UUID: { Input: string; Output: string }
  UsdCents: { Input: UsdCents; Output: UsdCents }
}

function refuse(name: string, rule: string): never {
  throw new GraphQLError(`${name} is ${rule}.`, { extensions: { code: 'invalid_request' } })
}

/** Defines a scalar whose inputs and literals are strings that pass `is` once they are cleaned. */
function stringScalar<T extends string>(
  name: string,
  description: string,
  rule: string,
  is: (value: unknown) => value is T,
  clean: (text: string) => string = (text) => text,
): GraphQLScalarType<T, string> {
  const read = (given: unknown): T => {
    const value = typeof given === 'string' ? clean(given) : given
    return is(value) ? value : refuse(name, rule)
  }
  return new GraphQLScalarType<T, string>({
    name,
    description,
    // What comes from inside was judged when it came in.
    serialize: (value) => (typeof value === 'string' ? value : refuse(name, rule)),
    parseValue: read,
    parseLiteral: (node) => read(node.kind === Kind.STRING ? node.value : undefined),
  })
}

/** Defines a scalar that is a decimal string on the wire and a bigint inside. */
function digitsScalar<T extends bigint>(
  name: string,
  description: string,
  rule: string,
  is: (value: unknown) => value is T,
): GraphQLScalarType<T, string> {
  const read = (value: unknown): T => {
    const digits = typeof value === 'string' && /^\d{1,20}$/.test(value) ? BigInt(value) : undefined
    return is(digits) ? digits : refuse(name, rule)
  }
  return new GraphQLScalarType<T, string>({
    name,
    description,
    serialize: (value) => (is(value) ? value.toString() : refuse(name, rule)),
    parseValue: read,
    parseLiteral: (node) => read(node.kind === Kind.STRING || node.kind === Kind.INT ? node.value : undefined),
  })
}

export const BaseUnitsScalar = digitsScalar<BaseUnits>(
  'BaseUnits',
  'An amount in the smallest unit of its asset (lamports for SOL, token base units for a mint), as a decimal string.',
  'an unsigned 64-bit integer as a decimal string',
  isBaseUnits,
)

export const UInt64Scalar = digitsScalar<bigint>(
  'UInt64',
  'An unsigned 64-bit integer, such as a slot, as a decimal string.',
  'an unsigned 64-bit integer as a decimal string',
  isBaseUnits,
)

const SIGNED_RULE = 'a whole number as a decimal string'

/** Only ever given, for a sum or a difference may be of any size. */
export const SignedUnitsScalar = new GraphQLScalarType<bigint, string>({
  name: 'SignedUnits',
  description: 'A sum or a difference in the smallest unit of its asset, as a decimal string; negative where less.',
  serialize: (value) => (typeof value === 'bigint' ? value.toString() : refuse('SignedUnits', SIGNED_RULE)),
  parseValue: () => refuse('SignedUnits', SIGNED_RULE),
})

const SUM_RULE = 'a whole number of 0 or more as a decimal string'

/** Only ever given: a sum of amounts or of prices has no bound. */
export const SumScalar = new GraphQLScalarType<bigint, string>({
  name: 'Sum',
  description: 'A sum of amounts in base units, or of prices in US cents, as a decimal string. It can exceed 64 bits.',
  serialize: (value) => (typeof value === 'bigint' && value >= 0n ? value.toString() : refuse('Sum', SUM_RULE)),
  parseValue: () => refuse('Sum', SUM_RULE),
})

const ANY_OBJECT = GraphQLJSONObject.toConfig()

/** Refuses a number in a literal that a double would round. */
const requireExact = ({ value }: { readonly value: string }): void => {
  if (isRounded(Number(value), value)) refuse('JSONObject', 'an object of numbers that can be read exactly')
}

export const JSONObjectScalar = new GraphQLScalarType({
  ...ANY_OBJECT,
  description: 'A JSON object with any fields.',
  parseLiteral: (node, variables) => {
    visit(node, { IntValue: requireExact, FloatValue: requireExact })
    return ANY_OBJECT.parseLiteral(node, variables)
  },
})

const CENTS_RULE = 'an integer of US cents from 1 to 9007199254740991'

function readCents(value: unknown): UsdCents {
  const cents = Number.isSafeInteger(value) ? BigInt(Number(value)) : undefined
  return isUsdCents(cents) ? cents : refuse('UsdCents', CENTS_RULE)
}

/** A literal is read from its digits, so that one beyond 2^53 is refused and never rounded. */
const readCentsLiteral = (node: ValueNode): UsdCents => {
  const cents = node.kind === Kind.INT ? BigInt(node.value) : undefined
  return isUsdCents(cents) ? cents : refuse('UsdCents', CENTS_RULE)
}

export const UsdCentsScalar = new GraphQLScalarType<UsdCents, number>({
  name: 'UsdCents',
  description: 'A price in integer US cents, above 0 and at most 2^53 − 1.',
  serialize: (value) => (isUsdCents(value) ? Number(value) : refuse('UsdCents', CENTS_RULE)),
  parseValue: readCents,
  parseLiteral: readCentsLiteral,
})

const IMAGE_RULE = 'the bytes of a file in base64'
const readImage = (value: unknown): Uint8Array =>
  typeof value === 'string' && /^[A-Za-z0-9+/]+={0,2}$/.test(value) && value.length % 4 === 0
    ? Buffer.from(value, 'base64')
    : refuse('ImageData', IMAGE_RULE)

/** Only ever taken. */
export const ImageDataScalar = new GraphQLScalarType<Uint8Array, string>({
  name: 'ImageData',
  description: 'The bytes of a PNG, JPEG or WebP file of at most 1 MB, in base64.',
  serialize: () => refuse('ImageData', IMAGE_RULE),
  parseValue: readImage,
  parseLiteral: (node) => readImage(node.kind === Kind.STRING ? node.value : undefined),
})

export const SolanaAddressScalar = stringScalar<Address>(
  'SolanaAddress',
  'A Solana address: 32 bytes in base58.',
  'a Solana address: 32 bytes in base58',
  isPublicKey,
)

export const MintScalar = stringScalar<Address>(
  'Mint',
  'The mint address of an SPL token: 32 bytes in base58. Where SOL needs a mint, it is the wrapped-SOL mint.',
  'the mint address of a token: 32 bytes in base58',
  isPublicKey,
)

export const SignatureScalar = stringScalar<Signature>(
  'Signature',
  'The signature of a Solana transaction: 64 bytes in base58. It identifies the transaction.',
  'a transaction signature: 64 bytes in base58',
  isSignature,
)

export const AssetScalar = stringScalar<Asset>(
  'Asset',
  '`SOL`, or the mint address of an SPL token. Payments take the wrapped-SOL mint as SOL.',
  '"SOL" or the mint address of a token',
  isGivenAsset,
)

const textThat =
  (is: (text: string, longest: number) => boolean) =>
  (value: unknown): value is string =>
    typeof value === 'string' && is(value, MAX_TEXT)

/** For keys: a text is taken exactly as it is, or refused. */
export const TextScalar = stringScalar<string>(
  'Text',
  `Unicode text of one line and at most ${MAX_TEXT} characters, without control or hidden characters, that is not blank.`,
  `${CLEAN_TEXT}, of at most ${MAX_TEXT} characters in one line, and must not be blank`,
  textThat(isKey),
)

const CLEANED = 'Characters that cannot be stored, control characters and bidirectional embeddings are removed.'

/** For names: text that people read, and with which no program computes. */
export const LineScalar = stringScalar<string>(
  'Line',
  `Unicode text of one line and at most ${MAX_TEXT} characters that is not blank. ${CLEANED}`,
  `text of at most ${MAX_TEXT} characters in one line, and must not be blank`,
  textThat(isName),
  cleanedText,
)

/** For what identifies and names nothing, such as the lines of a postal address. Forms send those empty. */
export const FormTextScalar = stringScalar<string>(
  'FormText',
  `Unicode text of at most ${MAX_TEXT} characters. ${CLEANED} It may be empty.`,
  `text of at most ${MAX_TEXT} characters`,
  textThat(isProse),
  cleanedText,
)
