import { type ErrorCode, ServiceError } from '#core/errors.ts'

/** Returns the value. Throws `code` when it is null. */
export function found<T>(value: T | null, code: ErrorCode): T {
  if (value === null) throw new ServiceError(code)
  return value
}
