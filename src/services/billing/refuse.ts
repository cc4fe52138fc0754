import { type ErrorCode, ServiceError } from '#core/errors.ts'

/** Throws the error of a rule that is broken. */
export function refuse(code: ErrorCode | null): void {
  if (code !== null) throw new ServiceError(code)
}
