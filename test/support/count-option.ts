// An option of a command line that counts something.
import { InvalidArgumentError } from 'commander'

export function countOption(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError('It must be a whole number above zero.')
  return value
}
