// A payment as JSON: the snapshot that events store, with exact decimal strings.
import { record } from '#core/codec.ts'
import {
  INTENT_FIELDS,
  type IntentField,
  type IntentJson,
  type PaymentIntent,
  type Written,
} from '#core/payments/payment-intent.ts'

const codec = record(INTENT_FIELDS)

export const intentToJson = (intent: PaymentIntent): IntentJson => codec.write(intent)

/** Reads parsed JSON. Throws RangeError with the place of a field that `intentToJson` did not write. */
export const intentFromJson = (json: unknown): PaymentIntent => codec.read(json, 'intent')

/** Reads the values of columns by the names of their fields. Throws RangeError with the place of a wrong value. */
export const intentFromColumns = (columns: unknown): PaymentIntent => codec.read(columns, 'payment_intents')

export const FIELD_NAMES: readonly IntentField[] = Object.keys(INTENT_FIELDS).filter(
  (name): name is IntentField => name in INTENT_FIELDS,
)

export const isWritten = (name: IntentField, ...times: readonly Written[]): boolean =>
  times.includes(INTENT_FIELDS[name].written)
